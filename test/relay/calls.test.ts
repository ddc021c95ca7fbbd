/** A call that is read in one pass over its bytes is what JSON.parse and the schema make of it. */
import type { Arbitrary } from 'fast-check'
import t from 'tap'
import { CallReader } from '../../src/relay/calls.ts'
import { METHODS } from '../../src/relay/methods/methods.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { METHOD_NAMES, type SolanaRpcRequest, solanaRpcRequest } from '../../src/runtime/resources/solrpc.ts'
import { compile } from '../../src/runtime/validate.ts'
import fc from '../fixtures/fast-check.ts'

const validator = compile(solanaRpcRequest([...METHOD_NAMES]))
const refused = new GatewayError('invalid_parameter', 'Refused.')

function parsed(text: string): SolanaRpcRequest {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw refused
  }
  if (!validator.Check(body)) throw refused
  return body as SolanaRpcRequest
}

/** How a text was read; null if it was refused. */
function readBy(read: () => { method: string; params: readonly unknown[]; id?: unknown }): unknown {
  try {
    const { method, params, id } = read()
    return { method, params, id: id instanceof Uint8Array ? JSON.parse(String(id)) : (id ?? null) }
  } catch (error) {
    if (error instanceof GatewayError) return null
    throw error
  }
}

const reader = new CallReader(METHODS)
const read = (text: string): unknown => readBy(() => reader.read(Buffer.from(text), () => parsed(text)))
const expected = (text: string): unknown => readBy(() => parsed(text))

const CALL = { jsonrpc: '"2.0"', id: '1', method: '"getSlot"', params: '[]' }
const textOf = (members: Readonly<Record<string, string>>): string =>
  `{${Object.entries(members)
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}`

t.test('a plain call is read without JSON.parse and the schema, and a spelled one with them', async (t) => {
  const unasked = (): never => t.fail('asked') as never
  const { method, params, id } = reader.read(Buffer.from(textOf({ ...CALL, id: '1e400' })), unasked)
  t.same([method, params, String(id)], ['getSlot', [], '1e400'])
  const spelled = textOf(CALL).replace('getSlot', 'get\\u0053lot')
  t.same(read(spelled), { method: 'getSlot', params: [], id: 1 })
  t.equal(reader.read(Buffer.from('{"jsonrpc":"2.0","method":"getSlot","params":[]}'), unasked).id, null)
})

t.test('what is no call is refused, as JSON.parse and the schema refuse it', async (t) => {
  for (const text of [
    '',
    '1',
    `[${textOf(CALL)}]`,
    `${textOf(CALL)}}`,
    textOf({ ...CALL, jsonrpc: '"1.0"' }),
    textOf({ ...CALL, jsonrpc: '2.0' }),
    textOf({ ...CALL, result: 'null' }),
    textOf({ ...CALL, error: 'null' }),
    textOf({ ...CALL, more: '1' }),
    textOf({ ...CALL, params: '{}' }),
    textOf({ ...CALL, params: 'null' }),
    textOf({ ...CALL, method: '"getSlots"' }),
    textOf({ ...CALL, method: '7' }),
    textOf({ jsonrpc: CALL.jsonrpc, id: '1', method: CALL.method }),
    textOf({ id: '1', method: CALL.method, params: '[]' }),
  ]) {
    t.equal(expected(text), null, text)
    t.equal(read(text), null, text)
  }
})

t.test('every text is read as JSON.parse and the schema read it', async (t) => {
  const names = ['jsonrpc', 'id', 'method', 'params', 'result', 'error', 'more', 'meth\\u006fd', '__proto__']
  const values = [
    ...Object.values(CALL),
    '"1.0"',
    '"get\\u0053lot"',
    '{}',
    'null',
    '1e3',
    '"x',
    '[1,{"a":[]}]',
  ]
  const member = fc.tuple(
    fc.constantFrom(...names),
    fc.constantFrom(...values),
    fc.constantFrom('', ' ', '\n'),
  )
  const usual = fc.constantFrom(...Object.entries(CALL)).map(([name, value]) => [name, value, ''] as const)
  const mixed: Arbitrary<readonly (readonly [string, string, string])[]> = fc.array(
    fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: member }),
    { minLength: 3, maxLength: 7 },
  )
  let calls = 0
  fc.assert(
    fc.property(mixed, (members) => {
      const text = `{${members.map(([name, value, space]) => `${space}"${name}"${space}:${value}`).join(',')}}`
      const whole = expected(text)
      if (whole !== null) calls++
      t.strictSame(read(text), whole, text)
    }),
    { numRuns: 2_000 },
  )
  t.ok(calls > 20, `${calls} calls among them`)
})
