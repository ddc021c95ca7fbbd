/**
 * Takes docs/images/review.png, the README's picture, anew: the console reviews a swap of a sandboxed gateway, in
 * Chromium. `node --import=./scripts/ts-loader.mjs scripts/picture.ts`, after the review has changed its looks.
 */
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { readConfig } from '../src/config/config.ts'
import { startGateway } from '../src/gateway.ts'
import { loggerTo } from '../src/runtime/log.ts'
import { ROOT } from './docs/pages.ts'

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell'
const gateway = await startGateway(readConfig({ PORT: '0' }), loggerTo({ write() {} }, 'error'))
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 640 }, colorScheme: 'light' })
  page.setDefaultTimeout(60_000)
  await page.goto(`${gateway.url}/#/swap?chain=base&side=sell&amount=250`)
  await page.getByRole('button', { name: 'Sandbox wallet' }).click()
  await page.getByText('Offers for 250 USDC').waitFor()
  await page.getByRole('button', { name: 'Review swap' }).click()
  await page.locator('.verified > summary').waitFor()
  // From the card's edge to the last of the costs.
  const { x, y, width } = (await page.getByLabel('Balance changes').boundingBox())!
  const facts = (await page.locator('.review > .facts').boundingBox())!
  const top = y - 56
  const clip = { x: x - 20, y: top, width: width + 40, height: facts.y + facts.height + 10 - top }
  await page.screenshot({ path: join(ROOT, 'docs/images/review.png'), animations: 'disabled', clip })
} finally {
  await browser.close()
  await gateway.stop()
}
process.exit()
