import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { Vm } from '../../../src/sandbox/solana/ledger/vm.ts'
import { runningClock } from '../../fixtures/clock.ts'
import { buildPrograms } from '../../fixtures/dist.ts'
import { listen } from '../../fixtures/gateway.ts'
import { run } from '../../fixtures/programs.ts'

const programs = t.testdir()
buildPrograms(programs)

const demo = (t: Test, url: string) => run(t, `${programs}/sandbox/demo.js`, { SWAPGATE_URL: url }).exit

t.test('the demo waits as a client should where a budget is used up, and says so', async (t) => {
  // Slots pass while it waits for its transaction.
  const gateway = await listen(t, {}, { clock: runningClock() })
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
  const { code, out, err } = await run(t, `${programs}/sandbox/demo.js`, { PORT }).exit
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

t.test('the sandbox starts alone, prints its URLs, and stops on a signal', async (t) => {
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

t.test('sandboxes run next to each other, and a taken port is an error', async (t) => {
  const [a, b] = await Promise.all([startSandbox(), startSandbox()])
  t.not(a.solanaUrl, b.solanaUrl)
  const port = Number(new URL(a.solanaUrl).port)
  await t.rejects(startSandbox({ port }), { code: 'EADDRINUSE' })
  await Promise.all([a.close(), b.close()])
  await t.rejects(fetch(a.solanaUrl))
})

t.test('says what to install where the virtual machine is missing', async (t) => {
  const load = () => Vm.load(() => Promise.reject(new Error('Cannot find native binding')))
  await t.rejects(load(), { message: /npm install litesvm@1\.5\.0 @solana\/web3\.js@1\.99\.0/ })
  t.intercept(process, 'platform', { value: 'win32' })
  t.intercept(process, 'arch', { value: 'x64' })
  await t.rejects(load(), { message: /Linux and macOS on x64 and arm64\. This is win32 x64\.$/ })
})
