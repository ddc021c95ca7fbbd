import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { startSandbox } from '../../src/sandbox/index.ts'
import { listen } from '../fixtures/gateway.ts'
import { buildPrograms, run } from '../fixtures/programs.ts'

const programs = t.testdir()
buildPrograms(programs)

const demo = (t: Test, url: string) => run(t, `${programs}/demo.js`, { SWAPGATE_URL: url }).exit

t.test(
  'the demo goes from an empty wallet to a confirmed transfer, then is refused three times',
  async (t) => {
    const gateway = await listen(t)
    const { code, out, err } = await demo(t, `${gateway.url}/`)
    t.same({ code, err }, { code: 0, err: '' })
    const steps = [
      /^ +[\d.]+ ms {2}make a wallet in memory +\w{32,44}$/,
      /^ +[\d.]+ ms {2}fund it at the faucet +2 SOL$/,
      /^ +[\d.]+ ms {2}read its balance +2 SOL$/,
      /^ +[\d.]+ ms {2}sign a transfer +215 bytes, 0.5 SOL$/,
      /^ +[\d.]+ ms {2}submit it +\w{80,88}$/,
      /^ +[\d.]+ ms {2}wait for its status +confirmed$/,
      /^ +[\d.]+ ms {2}read its balance again +1.499995 SOL$/,
      /^$/,
      /^a swap, from quote to token:$/,
      /^ +[\d.]+ ms {2}quote 0.25 SOL for USDC +[\d.]+ USDC by jupiter$/,
      /^ +[\d.]+ ms {2}build the transaction +unsigned, \d+ checks passed$/,
      /^ +[\d.]+ ms {2}sign and submit it +\w{80,88}$/,
      /^ +[\d.]+ ms {2}wait for its status +confirmed$/,
      /^ +[\d.]+ ms {2}read its USDC balance +[\d.]+ USDC$/,
      /^ +[\d.]+ ms {2}ask for its portfolio +\$3\d\.\d\d of USDC, \$\d{3}\.\d\d in all$/,
      /^$/,
      /^the same from a provider that was taken over:$/,
      /^ +[\d.]+ ms {2}quote 0.25 SOL for USDC +[\d.]+ USDC by jupiter$/,
      /^ +[\d.]+ ms {2}build the transaction +502 material_refused$/,
      /^ +it lets a stranger receive: refused by the rule destination_account$/,
      /^ +The provider built something else than what was asked for/,
      /^$/,
      /^and what the relay refuses:$/,
      /^ +[\d.]+ ms {2}a flipped bit +400 signature_invalid$/,
      /^ +A signature does not verify/,
      /^ +[\d.]+ ms {2}an oversized transaction +400 transaction_too_large$/,
      /^ +The transaction is longer than 1,232 bytes/,
      /^ +[\d.]+ ms {2}skipPreflight +400 preflight_required$/,
      /^ +Preflight is required/,
    ]
    t.match(out.trimEnd().split('\n'), steps)
  },
)

t.test('the demo waits as a client should where a budget is used up, and says so', async (t) => {
  const gateway = await listen(t)
  let refusals = 2
  const server = createServer(async (request, response) => {
    const body = await text(request)
    if (body.includes('"sendTransaction"') && refusals-- > 0) {
      response.writeHead(429, { 'retry-after': '0' })
      return response.end('{"error":"The rpcSend budget is used up."}')
    }
    const { method = '', headers, url } = request
    const type = headers['content-type'] ?? 'text/plain'
    const init = method === 'GET' ? {} : { method, body, headers: { 'content-type': type } }
    const answer = await fetch(`${gateway.url}${url}`, init)
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const PORT = String((server.address() as AddressInfo).port)
  const { code, out, err } = await run(t, `${programs}/demo.js`, { PORT }).exit
  t.same({ code, err }, { code: 0, err: '' })
  t.equal(out.split('The rpcSend budget is used up.\n             Retry-After says 0 s: waiting.').length, 3)
  t.match(out, /skipPreflight +400 preflight_required/)
})

t.test('the demo says what it needs', async (t) => {
  let health: object = { mode: 'live' }
  const server = createServer((_, response) => response.end(JSON.stringify(health)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  for (const answer of [{ mode: 'live' }, { mode: 'sandbox' }, null]) {
    health = answer as object
    const { code, err } = await demo(t, `http://127.0.0.1:${port}`)
    t.match({ code, err }, { code: 1, err: /^demo: The demo spends play money.*MODE=sandbox/ })
  }
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  const { code, err } = await demo(t, `http://127.0.0.1:${port}`)
  t.match({ code, err }, { code: 1, err: /^demo: No gateway answers.*`npm start`/ })
})

t.test('the sandbox starts alone, says where it is, and stops when it is told to', async (t) => {
  const { child, exit } = run(t, `${programs}/sandbox/main.js`, { PORT: '0' })
  const [line] = await once(child.stdout!, 'data')
  const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(String(line))!
  t.equal(await (await fetch(`${url}/health`)).text(), 'ok')
  child.kill('SIGTERM')
  t.match(await exit, { code: 0, err: '' })

  for (const PORT of ['x', '-1', '65536', '']) {
    t.match(await run(t, `${programs}/sandbox/main.js`, { PORT }).exit, {
      code: 1,
      err: /PORT must be a whole number/,
    })
  }
})

t.test('sandboxes stand beside each other, and a taken port is an error', async (t) => {
  const [a, b] = await Promise.all([startSandbox(), startSandbox()])
  t.not(a.solanaUrl, b.solanaUrl)
  const port = Number(new URL(a.solanaUrl).port)
  await t.rejects(startSandbox({ port }), { code: 'EADDRINUSE' })
  await Promise.all([a.close(), b.close()])
  await t.rejects(fetch(a.solanaUrl))
})

t.test('says what to install where the virtual machine is missing', async (t) => {
  class Absent {
    constructor() {
      throw new Error('Cannot find native binding')
    }
  }
  const { Vm } = await t.mockImport<typeof import('../../src/sandbox/solana/vm.ts')>(
    '../../src/sandbox/solana/vm.ts',
    { 'litesvm/dist/internal.js': { LiteSvm: Absent } },
  )
  await t.rejects(Vm.load(), { message: /npm install litesvm@1\.5\.0 @solana\/web3\.js@1\.99\.0/ })
  t.intercept(process, 'platform', { value: 'win32' })
  t.intercept(process, 'arch', { value: 'x64' })
  await t.rejects(Vm.load(), { message: /Linux and macOS on x64 and arm64\. This is win32 x64\.$/ })
})
