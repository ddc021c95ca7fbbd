import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import t from 'tap'
import { listen } from '../../fixtures/gateway.ts'
import { fund, SOLANA_WALLET } from '../../fixtures/swaps.ts'

const PAGE = readFileSync(
  new URL('../../../src/clients/console/reference/index.html', import.meta.url),
  'utf8',
)
const WALLET = Keypair.fromSeed(new Uint8Array(32).fill(7))
const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{86,88}$/

/** A sample of the reference's first page, as a reader copies it. */
function sampleIn(language: string, url: string): string {
  const [, text] = new RegExp(`data-language="${language}"><code>([^]*?)</code>`).exec(PAGE)!
  const shown = text!.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
  return shown.replaceAll('http://localhost:8080', url)
}

/** The wallet's part. */
function sign(base64: string): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(base64, 'base64'))
  transaction.sign([WALLET])
  return Buffer.from(transaction.serialize()).toString('base64')
}

t.test('the quickstart in JavaScript swaps in the sandbox', async (t) => {
  const { url, sandbox } = await listen(t)
  await fund(sandbox!.solanaRpc)
  const lines: string[] = []
  const body = `return (async () => {${sampleIn('javascript', url)}})()`
  t.match(body, SOLANA_WALLET)
  await new Function('sign', 'console', body)(sign, { log: (line: string) => lines.push(line) })
  t.equal(lines.length, 1)
  t.match(lines[0], SIGNATURE)
})

t.test('the quickstart in Python swaps in the sandbox', async (t) => {
  const { url, sandbox } = await listen(t)
  await fund(sandbox!.solanaRpc)
  const wallet =
    'import sys\ndef sign(built):\n    print(built, flush=True)\n    return sys.stdin.readline().strip()\n'
  const child = spawn('python3', ['-c', wallet + sampleIn('python', url)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  const ended = once(child, 'close')
  const printed: string[] = []
  lines.on('line', (line: string) => {
    if (printed.push(line) === 1) child.stdin.end(`${sign(line)}\n`)
  })
  const [code] = await ended
  t.equal(code, 0)
  t.equal(printed.length, 2)
  t.match(printed[1], SIGNATURE)
})
