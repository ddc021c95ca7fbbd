import t from 'tap'
import { acceptance, errorFields } from '../../../src/upstream/nodes/json-rpc.ts'

t.test('the members of an error are read where there are any', async (t) => {
  t.same(errorFields(Buffer.from('{"code":-32005,"message":"limit"}')), { code: -32005, message: 'limit' })
  for (const text of ['null', '1', '', '{']) t.same(errorFields(Buffer.from(text)), {}, text)
  t.same(errorFields(Buffer.from('"Unauthorized"')), { message: 'Unauthorized' }, 'as proxies write it')
})

t.test('an error of more than 256 KiB is not looked into', async (t) => {
  const error = (bytes: number) => Buffer.from('{"code":3}'.padEnd(bytes))
  t.same(errorFields(error(262_144)), { code: 3 })
  t.same(errorFields(error(262_145)), {})
})

t.test('an acceptance says where its parts are', async (t) => {
  const { body, result, error, id } = acceptance('result')
  t.same(JSON.parse(body.toString()), { jsonrpc: '2.0', result: 'result', id: 1 })
  t.equal(result?.toString(), '"result"')
  t.equal(error, null)
  t.equal(body.toString('utf8', id!.cutStart, id!.cutEnd), ',"id":1')
  t.equal(body.toString('utf8', id!.start, id!.end), '1')
})
