/** swap.coffee, taken over: where its messages go, what they carry and what they say. */
import { canonicalAddress } from '../../chains/address.ts'
import { fieldsOf, type Thief, theftsOf } from './thief.ts'

const STRANGER = canonicalAddress('ton', `0:${'66'.repeat(32)}`)
const COIN = 1_000_000_000n

export const thief: Thief = (body) => {
  const messages = Array.isArray(body.transactions) ? body.transactions.map(fieldsOf) : []
  const [first, ...rest] = messages
  if (first === undefined) return []
  return theftsOf(first, (changed) => ({ ...body, transactions: [changed, ...rest] }), [
    ['sends it to a stranger', (message) => ({ ...message, address: STRANGER })],
    [
      'sends more TON along',
      (message) => ({ ...message, value: String(BigInt(String(message.value)) + 5n * COIN) }),
    ],
    ['deploys a contract', (message) => ({ ...message, stateInit: message.cell })],
  ])
}
