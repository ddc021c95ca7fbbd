/** JSON-RPC arrays: what a node's answers to several calls in one request come to. */
import t from 'tap'
import { type ArrayAnswer, arrayCall, hexCall, isData } from '../../../../src/upstream/nodes/evm/calls.ts'
import { RpcCall } from '../../../../src/upstream/nodes/json-rpc.ts'
import { LIMITED } from '../../../../src/upstream/request.ts'

const calls = [7, 8, 9].map((id) => {
  const call = new RpcCall('evm', { id, method: 'eth_call', paramsJson: '[]' })
  return [String(id), hexCall(call, isData)] as const
})
const array = arrayCall(new Map(calls))
const result = (id: number, hex: string) => `{"jsonrpc":"2.0","id":${id},"result":"${hex}"}`
const failure = (id: number, code: number, message: string) =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}`
const read = (body: string, status = 200) => array.read(status, Buffer.from(body))
const hexes = (body: string) => (read(body) as ArrayAnswer).answers?.map((one) => one?.hex ?? null)

t.test('each answer belongs to the call whose id it has', async (t) => {
  t.same(
    JSON.parse(String(array.body)).map(({ id }: { id: number }) => id),
    [7, 8, 9],
  )
  t.same(hexes(`[${result(9, '0x09')},${result(7, '0x07')},${result(8, '0x08')}]`), ['0x07', '0x08', '0x09'])
  t.same(hexes(`[${result(8, '0x08')}]`), [null, '0x08', null], 'the others are asked again')
  t.same(hexes(`[${result(6, '0x06')},${result(7, '0x07')}]`), ['0x07', null, null], 'an id of nobody')
  t.same(hexes(`[${result(7, '0x07')},${result(7, '0x0f')},${result(8, '0x08')}]`), [null, '0x08', null])
  t.same(
    hexes(
      `[${failure(7, 3, 'execution reverted')},${failure(8, -32000, 'header not found')},${result(9, '0x')}]`,
    ),
    [null, null, '0x'],
  )
  t.same(hexes('[null,1,"7",{}]'), [null, null, null])
})

t.test('a node that takes no array says so in one answer, or by its status', async (t) => {
  for (const [body, status] of [
    [failure(7, -32600, 'batches are not supported'), 200],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request"}}', 400],
    ['<html>', 413],
    ['', 200],
  ] as const) {
    t.same(read(body, status), { answers: null }, body)
  }
  t.equal(read(failure(7, -32005, 'slow down')), LIMITED)
})
