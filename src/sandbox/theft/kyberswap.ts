/** A compromised KyberSwap: the calldata of its router, changed and encoded again. */
import { KYBERSWAP, type KyberDescription, type KyberExecution } from '../../proof/kyberswap.ts'
import { ALL, fieldsOf, spellingsOf, THIEF, type Thief, theftsOf } from './thief.ts'

/** Another token that the wallet may have approved to the same router. */
const OTHER = '0x4200000000000000000000000000000000000007'

export const thief: Thief = (body) => {
  const data = fieldsOf(body.data)
  const call = typeof data.data === 'string' ? KYBERSWAP.read(data.data) : null
  if (call === null || call.name === 'swapSimpleMode') return []
  const { name, args } = call
  const write = (changed: object) => ({ ...body, data: { ...data, ...changed } })
  const rewrite = (execution: KyberExecution) => write({ data: KYBERSWAP.write(name, execution) })
  const { desc } = args
  const described = (change: Partial<KyberDescription>) => (whole: KyberExecution) => ({
    ...whole,
    desc: { ...whole.desc, ...change },
  })
  return [
    ...theftsOf(args, rewrite, [
      ['lets a stranger receive', described({ dstReceiver: THIEF })],
      ['takes all of the token', described({ amount: ALL })],
      ['sells another token', described({ srcToken: OTHER })],
      ['buys another token', described({ dstToken: OTHER })],
      ['promises nothing', described({ minReturnAmount: 0n })],
      ['promises half', described({ minReturnAmount: desc.minReturnAmount / 2n })],
      ['fills a part', described({ flags: desc.flags | 1n })],
      ['takes a fee', described({ feeReceivers: [THIEF], feeAmounts: [desc.amount / 2n] })],
      ['uses a permit', described({ permit: new Uint8Array(224) })],
    ]),
    ...theftsOf({}, write, [
      ['names another router', () => ({ routerAddress: THIEF })],
      ['asks for native coins too', () => ({ transactionValue: String(10n ** 18n + desc.amount) })],
      ['calls approve', () => ({ data: approval() })],
      ['hides bytes behind the call', () => ({ data: `${data.data}${'00'.repeat(32)}` })],
    ]),
    ...spellingsOf(write, [
      ['writes addresses as 0X', () => ({ routerAddress: `0X${String(data.routerAddress).slice(2)}` })],
      ['writes amounts with leading zeros', () => ({ transactionValue: `000${data.transactionValue}` })],
    ]),
  ]
}

/** approve(thief, all), as calldata for a token. */
const approval = (): string => `0x095ea7b3${THIEF.slice(2).padStart(64, '0')}${'f'.repeat(64)}`
