import t from 'tap'
import type { RpcReply } from '../../../../src/upstream/nodes/json-rpc.ts'
import {
  CONFIRMED,
  FINALIZED,
  levelOf,
  minContextSlotOf,
  PROCESSED,
  slotOf,
} from '../../../../src/upstream/nodes/solana/slots.ts'

const of = (result: string | null): RpcReply => ({
  body: Buffer.alloc(0),
  result: result === null ? null : Buffer.from(result),
  error: result === null ? Buffer.from('{}') : null,
  id: { start: 0, end: 0, cutStart: 0, cutEnd: 0 },
})

t.test("an answer's slot is found without parsing the answer", async (t) => {
  const long = `{"context":{"apiVersion":"4.3.0","slot":447552293},"value":["${'A'.repeat(2_000)}","base64"]}`
  const cases: [method: string, result: string | null, slot: number | null][] = [
    ['getBalance', '{"context":{"apiVersion":"4.3.0","slot":447552293},"value":1}', 447_552_293],
    ['getBalance', '{"context" : { "slot" : 7 } , "value":{"slot":9}}', 7],
    ['getAccountInfo', long, 447_552_293],
    ['getSlot', '447552293', 447_552_293],
    ['getSlot', '{}', null],
    ['getSlot', '-1', null],
    ['getSlot', '1.5', null],
    ['getSlot', '123456789012345', 123_456_789_012_345],
    ['getSlot', '1234567890123456', null],
    ['getSlot', '12345678901234567', null],
    ['getEpochInfo', '{"absoluteSlot":447552293,"blockHeight":425552443,"epoch":1036}', 447_552_293],
    ['getEpochInfo', '{"blockHeight":425552443}', null],
    ['getBlockHeight', '425552443', null],
    ['getTransaction', '{"slot":5}', null],
    ['getBalance', '{"value":1}', null],
    ['getBalance', '{"context":{"slot":"7"},"value":1}', null],
    ['getBalance', '{"context":{"apiVersion":"4"},"value":1}', null],
    ['getBalance', '[]', null],
    ['getBalance', 'null', null],
    ['getBalance', null, null],
    // What a hostile answer puts before it is not gone through.
    ['getBalance', `{"a":"${'A'.repeat(2_000)}","context":{"slot":7}}`, null],
  ]
  for (const [method, result, slot] of cases) t.equal(slotOf(method, of(result)), slot, result ?? 'an error')
  // Wherever its first kilobyte ends, no slot is found but the whole one.
  for (let pad = 950; pad < 1_030; pad++) {
    const result = `{"context":{"apiVersion":"${'4'.repeat(pad)}","slot":447552293},"value":1}`
    t.ok([447_552_293, null].includes(slotOf('getBalance', of(result))))
  }
})

t.test('a read asks for a level, and perhaps for a slot', async (t) => {
  const cases: [method: string, params: string, level: number, slot: number][] = [
    ['getSlot', '[]', FINALIZED, 0],
    ['getSlot', '[{"commitment":"processed"}]', PROCESSED, 0],
    ['getSlot', '[{"commitment":"confirmed","minContextSlot":77}]', CONFIRMED, 77],
    ['getBalance', '["x",{"minContextSlot":9007199254740991}]', FINALIZED, 9_007_199_254_740_991],
    ['getSignatureStatuses', '[["x"]]', PROCESSED, 0],
  ]
  for (const [method, params, level, slot] of cases) {
    t.equal(levelOf(method, params), level)
    t.equal(minContextSlotOf(params), slot)
  }
})
