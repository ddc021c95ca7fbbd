import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { listen } from '../../fixtures/gateway.ts'
import { SIGNATURE, sampleIn, sign, signedBy } from '../../fixtures/quickstart.ts'
import { fund, SOLANA_WALLET } from '../../fixtures/swaps.ts'

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
  const { code, printed } = await signedBy('python3', ['-c', wallet + sampleIn('python', url)])
  t.equal(code, 0)
  t.equal(printed.length, 2)
  t.match(printed[1], SIGNATURE)
})

const hasCurl = spawnSync('curl', ['--version']).status === 0

t.test('the quickstart in curl swaps in the sandbox', { skip: hasCurl ? false : 'no curl' }, async (t) => {
  const { url, sandbox } = await listen(t)
  await fund(sandbox!.solanaRpc)
  const [build, send] = sampleIn('curl', url).split(/^# Your wallet signs solanaTransaction.*$/m)
  const run = async (script: string): Promise<Record<string, string>> =>
    JSON.parse((await promisify(execFile)('sh', ['-ec', script])).stdout)
  const { solanaTransaction } = await run(build!)
  const { result } = await run(send!.replace('<signed, base64>', sign(solanaTransaction!)))
  t.match(result, SIGNATURE)
})
