/**
 * A service with one client, on a machine that other processes keep busy: their load is not its own. The
 * service is a process of its own, because nothing else may use its thread's time, and it is the last to get
 * a processor.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** One more than there are processors, where these are few. */
const NEIGHBOURS = Math.min(8, availableParallelism() + 1)
/** Niceness: a processor goes to the service for a twentieth of the time that it goes to a neighbour. */
const LAST = 19
const AFTER_OTHER_TESTS = 5
/** With the neighbours' load counted, about half of them were shed. */
const REQUESTS = 30
/** Fewer requests have to do where the machine has hardly any time for the service. */
const MAX_MS = 15_000

function start(t: Test, args: readonly string[], env = {}): ChildProcess {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  return child
}

t.test('one request after another is answered on a busy machine', async (t) => {
  const program = ['--import=./scripts/ts-loader.mjs', 'src/main.ts']
  const environment = { MODE: 'live', PORT: '0', SOLANA_RPC_URLS: 'http://127.0.0.1:1' }
  const service = start(t, program, environment)
  let log = ''
  service.stdout!.on('data', (chunk) => (log += chunk))
  while (!log.includes('"listening"')) await once(service.stdout!, 'data')
  const { url } = JSON.parse(log.split('\n')[0]!)
  const statusOf = async (path: string): Promise<number> => {
    const reply = await fetch(url + path)
    await reply.arrayBuffer()
    return reply.status
  }
  await statusOf('/api/chains')

  setPriority(service.pid!, LAST)
  for (let i = 0; i < NEIGHBOURS; i++) setPriority(start(t, ['-e', 'for (;;);']).pid!, AFTER_OTHER_TESTS)
  let shed = 0
  const endsAt = performance.now() + MAX_MS
  for (let i = 0; i < REQUESTS && performance.now() < endsAt; i++) {
    if ((await statusOf('/api/chains')) === 503) shed++
  }
  t.equal(shed, 0)
  t.notMatch(log, 'overloaded')
})
