/** The memory and the processor time of a gateway under clients that make it hold as much as they can. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Arbitrary } from 'fast-check'
import t from 'tap'
import { providerUrls } from '../../../bench/servers/process.ts'
import { startSandbox } from '../../../src/sandbox/index.ts'
import { leastMs } from '../../fixtures/cpu.ts'
import fc from '../../fixtures/fast-check.ts'
import { post } from '../../fixtures/gateway.ts'
import type { HeldReport } from '../../fixtures/held-child.ts'
import { headOf, longNode, MIB, requestOf } from '../../fixtures/long-node.ts'

const PROGRAM = new URL('../../fixtures/held-child.ts', import.meta.url)
const LOADER = new URL('../../../scripts/ts-loader.mjs', import.meta.url).href
const LIMITS = { client: 16 * MIB, all: 48 * MIB }
/** What is held is at most `all` and an answer; the rest is buffers on their way and memory not collected yet. */
const MOST_BYTES = 3 * LIMITS.all
/**
 * Of processor time, in one turn of the event loop. Alone it is at most 20 ms, with bodies in single bytes too;
 * beside other lanes on a slow machine 31 were seen, as what neighbours push out of the caches is counted, too.
 */
const MOST_TURN_MS = 40
/** A turn that an attack costs comes again; what a neighbour adds to one may not. */
const ATTEMPTS = 3
/** The same of the least of several, to which neighbours have added least. */
const LEAST_TURN_MS = 20
const HOLD_MS = 1_500
const SLOT = '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[]}'

const client = fc.integer({ min: 0, max: 5 })
const attacks = fc.record({
  answers: fc.array(
    fc.record({
      client,
      length: fc.integer({ min: 1, max: 15 * MIB }),
      reads: fc.constantFrom('at once', 'late', 'never'),
    }),
    { minLength: 10, maxLength: 60 },
  ),
  /** Of the parts of an answer. */
  sizes: fc.array(fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1_000, max: 200_000 })), {
    minLength: 1,
    maxLength: 4,
  }),
  bodies: fc.oneof(
    fc.constant([]),
    fc.array(fc.record({ client, parts: fc.integer({ min: 1, max: 50_000 }) }), { maxLength: 20 }),
  ),
  hosts: fc.array(fc.domain(), { maxLength: 40 }),
})

t.test('whatever the sizes and the chunks, memory and turns stay within their bounds', async (t) => {
  let sizes: readonly number[] = [65_536]
  const node = await longNode(t, () => sizes)
  const sandbox = await startSandbox()
  t.teardown(() => sandbox.close())
  const child = fork(PROGRAM, [JSON.stringify(LIMITS)], {
    execArgv: [`--import=${LOADER}`],
    env: {
      ...providerUrls(sandbox),
      PORT: '0',
      MODE: 'live',
      TRUSTED_PROXIES: 'loopback',
      SOLANA_RPC_URLS: node,
      LIMITS: 'rpcRead=off,swap=off',
    },
  })
  t.teardown(() => child.kill('SIGKILL'))
  const told = async (): Promise<HeldReport> => (await once(child, 'message'))[0]
  const { url } = await told()
  const report = (begins: boolean): Promise<HeldReport> => {
    const next = told()
    child.send(begins ? 'begin' : 'report')
    return next
  }
  const sockets = new Set<Socket>()
  const send = (bytes: string): Socket => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.pause()
    socket.write(bytes)
    sockets.add(socket)
    return socket
  }
  const bystander = async (): Promise<number> => {
    const response = await post(url, SLOT, { 'x-forwarded-for': '203.0.113.1' })
    await response.text()
    return response.status
  }
  const attack = async (one: typeof attacks extends Arbitrary<infer T> ? T : never): Promise<number[]> => {
    // Answers in single bytes are short: the node would be busy with them for minutes.
    sizes = one.sizes
    const most = Math.min(15 * MIB, 20_000 * Math.min(...sizes))
    const late: Socket[] = []
    for (const { client, length, reads } of one.answers) {
      const socket = send(requestOf(`198.51.100.${client}`, Math.min(length, most)))
      if (reads === 'at once') socket.resume()
      if (reads === 'late') late.push(socket)
    }
    for (const { client, parts } of one.bodies) {
      const head = headOf('/api/build', `198.51.100.${client}`, 'Transfer-Encoding: chunked')
      send(`${head}${'1\r\n[\r\n'.repeat(parts)}`)
    }
    for (const host of one.hosts) {
      send(`GET /openapi.json HTTP/1.1\r\nHost: ${host}\r\nX-Forwarded-For: 198.51.100.1\r\n\r\n`.repeat(20))
    }
    const statuses = [await bystander()]
    await sleep(HOLD_MS / 2)
    for (const socket of late) socket.resume()
    statuses.push(await bystander())
    await sleep(HOLD_MS / 2)
    statuses.push(await bystander())
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    return statuses
  }

  // Until the code is compiled.
  for (const one of fc.sample(attacks, { numRuns: 3, seed: 1 })) await attack(one)
  const { residentBytes: before } = await report(true).then(() => sleep(200).then(() => report(false)))
  await fc.assert(
    fc.asyncProperty(attacks, async (one) => {
      const leastTurnMs = await leastMs(MOST_TURN_MS, ATTEMPTS, async () => {
        await report(true)
        const statuses = await attack(one)
        const { residentBytes, heldBytes, turnMs } = await report(false)
        const mib = (bytes: number) => Math.round(bytes / MIB)
        t.comment(
          `${mib(residentBytes - before)} MiB more, ${mib(heldBytes)} held, a turn of ${turnMs.toFixed(1)} ms`,
        )
        t.same(statuses, [200, 200, 200])
        t.ok(heldBytes <= LIMITS.all + 16 * MIB, `held: ${heldBytes}`)
        t.ok(residentBytes <= before + MOST_BYTES, `resident: ${residentBytes - before} more than ${before}`)
        return turnMs
      })
      t.ok(leastTurnMs <= MOST_TURN_MS, `a turn of ${leastTurnMs} ms`)
    }),
    { numRuns: 8, endOnFailure: true },
  )

  let round = 0
  const leastTurnMs = await leastMs(LEAST_TURN_MS, 5, async () => {
    // Clients of whom nothing was refused yet.
    const bodies = Array.from({ length: 20 }, (_, i) => ({ client: 10 + 20 * round + i, parts: 50_000 }))
    round++
    await report(true)
    t.same(await attack({ answers: [], sizes: [65_536], bodies, hosts: [] }), [200, 200, 200])
    return (await report(false)).turnMs
  })
  t.ok(leastTurnMs <= LEAST_TURN_MS, `a turn of ${leastTurnMs} ms with 20 bodies in single bytes`)
})
