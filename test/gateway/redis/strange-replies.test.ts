import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import { GATEWAY } from '../../../src/flow/cancellation.ts'
import { shareDeliveries } from '../../../src/gateway/redis/deliveries.ts'
import { RedisInstances } from '../../../src/gateway/redis/instances.ts'
import { RedisLimits } from '../../../src/gateway/redis/quotas.ts'
import { RedisLeases } from '../../../src/gateway/redis/submissions.ts'
import { RedisWindows } from '../../../src/gateway/redis/windows.ts'
import { Deliveries } from '../../../src/http/counts/deliveries.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { callOf } from '../../fixtures/call.ts'
import { openStore, until } from '../../fixtures/redis.ts'

/** What no script of ours answers. */
const STRANGE: Readonly<Record<string, string>> = {
  'a number': ':7\r\n',
  'a status': '+OK\r\n',
  'a text': '$3\r\nabc\r\n',
  'no text': '$-1\r\n',
  'no list': '*-1\r\n',
  'an empty list': '*0\r\n',
  numbers: '*2\r\n:1\r\n:2\r\n',
  texts: '*2\r\n$1\r\na\r\n$1\r\nb\r\n',
  'lists of numbers': '*1\r\n*3\r\n:1\r\n:2\r\n:3\r\n',
  'lists of nothing': '*2\r\n*-1\r\n$-1\r\n',
  'a list with an error': '*5\r\n-ERR a\r\n:0\r\n:0\r\n:0\r\n:0\r\n',
  'an error': '-ERR strange\r\n',
}

/** Speaks RESP, knows PING, INFO and SET, and answers every script with the same. */
async function strangeServer(t: Test, reply: string): Promise<string> {
  const known: Readonly<Record<string, string>> = {
    PING: '+PONG\r\n',
    INFO: '$21\r\nredis_mode:standalone\r\n',
    SET: '+OK\r\n',
  }
  const server = createServer((socket) => {
    socket.on('error', () => {})
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
      // A command is a list of texts, which begins with its name.
      for (let end = commandEnd(text); end !== -1; end = commandEnd(text)) {
        const name = /^\*\d+\r\n\$\d+\r\n(\w+)/.exec(text)?.[1]?.toUpperCase() ?? ''
        text = text.slice(end)
        socket.write(known[name] ?? reply)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `redis://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Where the first command of a text ends; -1 where it is not whole. All of it is ASCII. */
function commandEnd(text: string): number {
  const head = /^\*(\d+)\r\n/.exec(text)
  if (head === null) return -1
  let at = head[0].length
  for (let i = 0; i < Number(head[1]); i++) {
    const length = /^\$(\d+)\r\n/.exec(text.slice(at, at + 16))
    if (length === null) return -1
    at += length[0].length + Number(length[1]) + 2
  }
  return at <= text.length ? at : -1
}

for (const [what, reply] of Object.entries(STRANGE)) {
  t.test(`${what} instead of each reply: every instance goes on alone`, async (t) => {
    const { store } = await openStore(t, await strangeServer(t, reply))
    const instances = new RedisInstances({ store, isDraining: () => false, beatMs: 10 })
    const deliveries = new Deliveries()
    shareDeliveries({ store, secret: 's'.repeat(32) }, deliveries)
    t.equal(await deliveries.search('digest', null), null)

    const none = { number: 0, clientSpent: 0, globalSpent: 0 }
    const windows = new RedisWindows(store, 60_000)
    const limit = { client: 10, global: 100 }
    t.equal(await windows.decide('swap', limit, { hi: 1, lo: 1 } as never, 1, none as never), null)

    const limits = new RedisLimits(store, { label: 'p', carries: 'calls', fingerprint: 'f' })
    const sizes = { fullMs: 1_000, costMs: 10, shareMs: 100 }
    const quotas = [{ lane: null, sizes, unbookedMs: 0 }]
    const asked = { lane: 'all', quotas, priority: 'quote', client: GATEWAY, probeMs: 1 }
    t.equal(await limits.decide(asked as never), null)
    await limits.startCooldown('all', { leftMs: 10, probeInMs: 5 })
    limits.endCooldown('all')

    const leases = new RedisLeases({ store, secret: 's'.repeat(32), clock: CLOCK })
    const outcome = await leases.acquire('AAAA', callOf(100), true)
    t.equal(outcome.kind, 'send')
    if (outcome.kind === 'send') outcome.lease?.end()

    await until(() => store.state === 'degraded')
    t.match(store.cause, what === 'an error' ? 'ERR' : 'strange_reply')
    t.equal(
      what === 'an empty list' ? instances.seen?.length : instances.seen,
      what === 'an empty list' ? 0 : null,
    )
  })
}
