import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { listen, SKIPPED, seriousFindings, startBrowser, visit } from '../../fixtures/browser.ts'
import { call, type TestGateway } from '../../fixtures/gateway.ts'

/** What the browser itself says of a request that was refused. */
const REFUSED = /status of 400/

t.test('the relay in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const gateway = await listen(t)
  const signed = await transfer(gateway)
  await sent(t, browser, gateway, signed)
  await sampled(t, browser, gateway)
  await refused(t, browser, gateway, signed)
  await accessible(t, browser, gateway, signed)
})

/** Signed by a funded wallet, with a blockhash of the sandbox's chain. */
async function transfer({ sandbox }: TestGateway): Promise<Buffer> {
  const connection = new Connection(sandbox!.solanaRpc, 'confirmed')
  const wallet = Keypair.generate()
  const funding = await connection.requestAirdrop(wallet.publicKey, 1_000_000_000)
  for (;;) {
    const { value } = await connection.getSignatureStatus(funding)
    if (value?.confirmationStatus === 'confirmed' || value?.confirmationStatus === 'finalized') break
  }
  const { blockhash } = await connection.getLatestBlockhash()
  const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: blockhash })
  const toPubkey = Keypair.generate().publicKey
  transaction.add(SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey, lamports: 12_345_678 }))
  transaction.sign(wallet)
  return transaction.serialize()
}

async function paste(page: Page, bytes: Uint8Array, encoding: 'base64' | 'hex' = 'base64'): Promise<void> {
  await page.getByLabel('Signed transaction').fill(Buffer.from(bytes).toString(encoding))
}

const answered = (page: Page) => page.locator('.answered')

function sent(t: Test, browser: Browser, { url, log }: TestGateway, signed: Buffer) {
  return t.test(
    'a good transaction is decoded before it is sent, sent, and followed until it is final',
    async (t) => {
      const { page } = await visit(t, browser, `${url}/#/relay`)
      await paste(page, signed)
      await page.getByText('all signatures correct').waitFor()
      await page.locator('.judged.unknown').waitFor()
      t.match(await page.locator('.explained .deeds').textContent(), /sends 0\.0123456 SOL to /)
      t.match(await page.locator('.risks').textContent(), /goes to \w{6}…\w{4}, an address that nobody named/)
      const asked = ['/api/solrpc', '/api/explain']
      t.equal(log.filter(({ route }) => asked.includes(String(route))).length, 0, 'nothing was sent')
      t.match(
        await page.locator('.instructions').textContent(),
        /^System program12 bytes of data, 2 accounts/,
      )
      await page.locator('.bytes > summary').getByText(`Bytes: ${signed.length} of 1,232`).click()
      const accounts = page.getByRole('table', { name: 'Accounts' })
      t.match(await accounts.getByRole('row').nth(1).textContent(), 'fee payersignerwritable')
      t.match(await accounts.getByRole('row').last().textContent(), 'read-onlyprogramSystem program')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await answered(page).getByText('As expected. The relay accepted it.').waitFor()
      await page.getByText(/^(processed|confirmed|finalized) in slot \d+$/).waitFor()
      const line = page.getByRole('region', {
        name: 'The request of this view',
        exact: true,
        includeHidden: true,
      })
      t.match(await line.textContent(), `"method":"sendTransaction","params":["${signed.toString('base64')}"`)
      t.notMatch(page.url(), signed.toString('base64').slice(0, 40), 'the URL does not have it')
    },
  )
}

function sampled(t: Test, browser: Browser, { url, sandbox }: TestGateway) {
  return t.test('a sample has a blockhash of now, and lands in the sandbox', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/relay`, { beside: [sandbox!.solanaRpc] })
    await page.getByRole('button', { name: 'Transfer' }).click()
    await page.getByText('all signatures correct').waitFor()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await answered(page).getByText('The relay accepted it.').waitFor()
    await page.getByText(/^(processed|confirmed|finalized) in slot \d+$/).waitFor()
  })
}

async function refused(t: Test, browser: Browser, { url }: TestGateway, signed: Buffer) {
  const flipped = Buffer.from(signed)
  flipped[5]! ^= 1
  const unsigned = Buffer.from(signed).fill(0, 1, 65)
  const cases: readonly (readonly [string, Uint8Array, string])[] = [
    ['a flipped bit', flipped, 'signature_invalid'],
    ['a missing signature', unsigned, 'transaction_not_signed'],
    ['too many bytes', Buffer.concat([signed, Buffer.alloc(1_300 - signed.length)]), 'transaction_too_large'],
    ['half of it', signed.subarray(0, 100), 'transaction_truncated'],
  ]
  for (const [name, bytes, code] of cases) {
    await t.test(`${name}: ${code} is what the page predicts, and what the relay answers`, async (t) => {
      const { page, expect } = await visit(t, browser, `${url}/#/relay`)
      await paste(page, bytes, code === 'transaction_too_large' ? 'hex' : 'base64')
      const details = page.locator('.panel details', { hasText: code })
      await details.waitFor()
      const said = await page.locator('.verdict.refused').textContent()
      const isOfSigner = /^(signature|transaction_not)_/.test(code)
      t.equal(/^Signer 1 of 1, \w{43,44}: /.test(said!), isOfSigner, 'whose it is')
      if (!isOfSigner) {
        t.equal(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled(), true)
        const reply = await call(url, 'sendTransaction', [
          Buffer.from(bytes).toString('base64'),
          { encoding: 'base64' },
        ])
        t.match(await reply.json(), { code, error: said }, 'the relay says the same')
        return
      }
      expect(REFUSED)
      await page.getByRole('button', { name: 'Send anyway' }).click()
      await answered(page)
        .getByText(/^As expected\. The relay said: /)
        .waitFor()
      await details.waitFor()
    })
  }

  await t.test('without preflight the relay takes nothing, and the page says so before', async (t) => {
    const { page, expect } = await visit(t, browser, `${url}/#/relay`)
    await paste(page, signed)
    await page.getByRole('checkbox', { name: 'Skip the check by a node' }).check()
    await page.locator('.panel details', { hasText: 'preflight_required' }).waitFor()
    expect(REFUSED)
    await page.getByRole('button', { name: 'Send anyway' }).click()
    await answered(page)
      .getByText(/^As expected\. The relay said: /)
      .waitFor()
  })
}

async function accessible(t: Test, browser: Browser, { url }: TestGateway, signed: Buffer) {
  for (const theme of ['light', 'dark'] as const) {
    await t.test(`axe-core finds nothing serious in the ${theme} theme`, async (t) => {
      const { page } = await visit(t, browser, `${url}/#/relay`, { theme, width: 360 })
      await page.getByText('Paste a transaction to see what it does.').waitFor()
      t.same(await seriousFindings(page), [])
      for (const bytes of [signed, signed.subarray(0, 100)]) {
        await paste(page, bytes)
        await page.locator('.verdict').waitFor()
        t.same(await seriousFindings(page), [])
        const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        t.equal(await page.evaluate(beyond), 0)
      }
    })
  }
}
