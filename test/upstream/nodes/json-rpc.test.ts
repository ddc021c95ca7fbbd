import t from 'tap'
import { acceptance, errorCode, errorFields } from '../../../src/upstream/nodes/json-rpc.ts'

t.test('the members of an error are read where there are any', async (t) => {
  t.same(errorFields(Buffer.from('{"code":-32005,"message":"limit"}')), { code: -32005, message: 'limit' })
  for (const text of ['null', '1', '"code"', '', '{']) t.same(errorFields(Buffer.from(text)), {}, text)
  t.equal(errorCode(Buffer.from('{"code":3}')), 3)
  t.equal(errorCode(Buffer.from('{"code":"3"}')), null)
  t.equal(errorCode(Buffer.from('null')), null)
})

t.test('an error of more than 256 KiB is not looked into', async (t) => {
  const error = (bytes: number) => Buffer.from('{"code":3}'.padEnd(bytes))
  t.equal(errorCode(error(262_144)), 3)
  t.equal(errorCode(error(262_145)), null)
})

t.test('an acceptance says where its parts are', async (t) => {
  const { body, result, error, id } = acceptance('result')
  t.same(JSON.parse(body.toString()), { jsonrpc: '2.0', result: 'result', id: 1 })
  t.equal(result?.toString(), '"result"')
  t.equal(error, null)
  t.equal(body.toString('utf8', id!.cutStart, id!.cutEnd), ',"id":1')
  t.equal(body.toString('utf8', id!.start, id!.end), '1')
})
