/** Calls between threads: results, errors, and what becomes of calls to a thread that has ended. */
import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { Port } from '../../../src/gateway/threads/port.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'

interface Remote {
  readonly [method: string]: (...args: never[]) => unknown
  sum(a: number, b: bigint): bigint
  later(): Promise<string>
  refuse(): never
  fail(): never
  note(text: string): void
}

function connected(t: Test) {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  const noted: string[] = []
  const other = new Port<Remote>(port2, {
    sum: (a: number, b: bigint) => BigInt(a) + b,
    later: async () => 'came',
    refuse() {
      throw new GatewayError(
        'upstream_timeout',
        'It took too long.',
        { provider: 'lifi', scope: 'provider' },
        504,
      )
    },
    fail() {
      throw new TypeError('a bug')
    },
    note: (text: string) => noted.push(text),
  })
  return { port: new Port<Remote>(port1, {}), other, port2, noted }
}

t.test('a call is answered by the method of the other side', async (t) => {
  const { port, noted, port2 } = connected(t)
  t.equal(await port.call('sum', 2, 40n), 42n)
  t.same(await Promise.all([port.call('later'), port.call('sum', 1, 1n)]), ['came', 2n])
  port.tell('note', 'told')
  await once(port2, 'message')
  t.same(noted, ['told'])
})

t.test('an error that is an answer arrives as it is, and another one as an error', async (t) => {
  const { port } = connected(t)
  const refused = await port.call('refuse').catch((error: unknown) => error)
  t.ok(refused instanceof GatewayError)
  t.match(refused, {
    code: 'upstream_timeout',
    message: 'It took too long.',
    status: 504,
    scope: 'provider',
    fields: { provider: 'lifi' },
  })
  await t.rejects(port.call('fail'), { name: 'TypeError', message: 'a bug' })
})

t.test('calls to a thread that has ended are rejected, and what it is told is dropped', async (t) => {
  const { port } = connected(t)
  const waiting = port.call('later')
  port.close()
  await t.rejects(waiting, { message: 'the other thread has ended' })
  await t.rejects(port.call('sum', 1, 1n), { message: 'the other thread has ended' })
  port.tell('note', 'late')
})
