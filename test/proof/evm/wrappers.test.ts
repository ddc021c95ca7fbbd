/** Wrappers of wallets, encoded by viem, are read completely or not at all. */
import t from 'tap'
import type { Hex } from 'viem'
import { mayWrap, unwrap } from '../../../src/proof/evm/wrappers.ts'
import {
  accountBatch,
  bundle6,
  bundle7,
  type Call,
  DELEGATION_MANAGER,
  executeBatch,
  multiSend,
  redeem,
  safeCall,
} from '../../fixtures/evm-forms.ts'

const WALLET = `0x${'aa'.repeat(20)}` as const
const OTHER = `0x${'bb'.repeat(20)}` as const
const calls: readonly Call[] = [
  { to: `0x${'01'.repeat(20)}`, value: 0n, data: '0x095ea7b3' },
  { to: `0x${'02'.repeat(20)}`, value: 7n, data: '0x12345678aa' },
]
const asked = { wallet: WALLET, key: '', chainId: 8453, calls }
const inner = calls.map((one) => ({ from: WALLET, ...one }))
const opened = ({ to, value, data }: Call, from: Hex = OTHER, account: string | null = WALLET) =>
  unwrap([{ from, to: to.toLowerCase(), value, data }], account)

t.test('the calls within each wrapper are those of the account', async (t) => {
  const forms: Readonly<Record<string, readonly [call: Call, kind: string]>> = {
    'redeemed delegations': [redeem(asked), 'delegation'],
    "an account's own batch": [accountBatch(asked), 'batch'],
    'executeBatch of an account': [{ to: WALLET, value: 0n, data: executeBatch(asked) }, 'batch'],
    'a Safe with MultiSend': [safeCall(asked), 'safe'],
    'a bundle of version 0.6': [bundle6(asked), 'user_operation'],
    'a bundle of version 0.7': [bundle7(asked), 'user_operation'],
  }
  for (const [name, [call, kind]] of Object.entries(forms)) {
    t.ok(mayWrap(call.data), name)
    const { calls, wrappers } = opened(call)
    t.same(
      calls.filter(({ from }) => from === WALLET),
      inner,
      name,
    )
    t.ok(
      wrappers.some((one) => one.kind === kind && one.account === WALLET),
      name,
    )
  }
})

t.test("another account's batch is a call like any other, unless all are opened", async (t) => {
  const call = { to: OTHER, value: 5n, data: executeBatch(asked) } as const
  t.same(opened(call, WALLET), { calls: [{ from: WALLET, ...call }], wrappers: [] })
  t.equal(opened(call, WALLET, null).calls.length, 2)
})

t.test('what is not read completely is no wrapper', async (t) => {
  const whole = accountBatch(asked)
  const others: Readonly<Record<string, Call>> = {
    'another byte behind it': { ...whole, data: `${whole.data}00` },
    'a byte less': { ...whole, data: whole.data.slice(0, -2) as Hex },
    'coins for a delegation': { ...redeem(asked), value: 1n },
    'a delegation that is not of the account itself': redeem(asked, { authority: `0x${'00'.repeat(32)}` }),
    'foreign code of a Safe': safeCall(asked, 0n, OTHER),
    'a call by delegatecall within MultiSend': {
      ...safeCall(asked),
      data: safeCall({ ...asked, calls }).data.replace(
        multiSend(calls).slice(2),
        multiSend(calls, 1).slice(2),
      ) as Hex,
    },
    'a mode that goes on after failures': {
      ...whole,
      data: whole.data.replace(`01${'0'.repeat(62)}`, `0101${'0'.repeat(60)}`) as Hex,
    },
    'a function of no account': { to: WALLET, value: 0n, data: '0x12345678' },
    'a manager without delegations': { to: DELEGATION_MANAGER, value: 0n, data: '0xcef6d209' },
  }
  for (const [name, call] of Object.entries(others)) {
    const { calls, wrappers } = opened(call)
    t.same([calls.length, wrappers.length], [1, 0], name)
  }
})

t.test('batches nest, but not for ever', async (t) => {
  const nested = (depth: number): Call =>
    depth === 0
      ? calls[1]!
      : { to: WALLET, value: 0n, data: executeBatch({ ...asked, calls: [nested(depth - 1)] }) }
  t.same(opened(nested(4)).calls, [inner[1]])
  t.equal(opened(nested(5)).calls[0]!.to, WALLET)
  const many = {
    to: WALLET,
    value: 0n,
    data: executeBatch({ ...asked, calls: Array(65).fill(calls[1]) }),
  } as const
  t.equal(opened(many).calls.length, 1)
})
