/** Connections that become WebSockets, until somebody has taken them over. */
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Type } from 'typebox'
import type { Upgrade } from '../../../src/http/connections/upgrade.ts'
import { Replier } from '../../../src/http/reply/reply.ts'
import { get } from '../../../src/http/route.ts'
import { createGatewayServer } from '../../../src/http/server.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { OPEN_ACCOUNTS } from '../../fixtures/accounts.ts'
import { NO_DESCRIPTION } from '../../fixtures/description.ts'
import { rawBytes } from '../../fixtures/raw.ts'

const UPGRADE = 'GET /socket HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

async function start(t: Test, accept: (upgrade: Upgrade) => Promise<void>) {
  const faults: unknown[] = []
  const server = createGatewayServer({
    routes: [
      get({
        path: '/wait',
        input: Type.Object({}),
        budgets: [],
        description: NO_DESCRIPTION,
        handle: () => new Promise(() => {}),
      }),
    ],
    replier: new Replier({ mode: 'live', corsOrigins: '*', onReply: () => {} }),
    accounts: OPEN_ACCOUNTS,
    clock: CLOCK,
    onFault: (...fault) => faults.push(fault),
    onClosed: () => {},
    upgrades: { path: '/socket', accept },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, faults }
}

t.test('it is handed over with the bytes after the head', async (t) => {
  const { url, faults } = await start(t, async ({ socket, head, client }) => {
    socket.end(`${client}: ${head}`)
  })
  t.equal(await rawBytes(url, `${UPGRADE}early`), 'one: early')
  t.same(faults, [])
})

t.test('it is refused with an Error body, and closed', async (t) => {
  const { url } = await start(t, async ({ refuse }) => refuse('overloaded', 'Too many.'))
  const text = await rawBytes(url, UPGRADE)
  t.match(text, /^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n[\s\S]*"code":"overloaded"/)
})

t.test('a fault of the taking-over code ends that connection, and is reported', async (t) => {
  const { url, faults } = await start(t, async () => {
    throw new Error('secret detail')
  })
  t.equal(await rawBytes(url, UPGRADE), '')
  t.match(faults, [[{ message: 'secret detail' }, null]])
})

t.test('none comes into the middle of an answer', async (t) => {
  const { url } = await start(t, async () => {
    t.fail('it was taken over')
  })
  t.equal(await rawBytes(url, `GET /wait HTTP/1.1\r\nHost: h\r\n\r\n${UPGRADE}`), '')
})
