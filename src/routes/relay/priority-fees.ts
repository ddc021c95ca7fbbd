import { Type } from 'typebox'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { KEY_BYTES } from '../../chains/solana/sizes.ts'
import { Call } from '../../flow/call.ts'
import { get } from '../../http/route.ts'
import { pricesOf } from '../../providers/priority.ts'
import type { Asked, Inquiries } from '../../relay/submissions/inquiries.ts'
import type { Clock } from '../../runtime/clock.ts'
import { invalidParameter } from '../../runtime/errors.ts'
import { MAX_FEE_ACCOUNTS, type PriorityFees } from '../../upstream/nodes/solana/priority.ts'
import recorded from '../examples/priority-fees.json' with { type: 'json' }
import { described } from '../groups.ts'
import result from './priority-fees-result.json' with { type: 'json' }

const DEADLINE_MS = 5_000

const Input = Type.Object({
  accounts: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 45 * MAX_FEE_ACCOUNTS,
      'x-separator': ',',
      description: `comma list of up to ${MAX_FEE_ACCOUNTS} accounts that the transaction writes to. Without them nodes answer 0 mostly`,
    }),
  ),
})

/** GET /api/priority-fees: the current price of priority on Solana. */
export const priorityFees = (
  fees: PriorityFees,
  inquiries: Asked<Inquiries>,
  maxComputeUnitPrice: bigint,
  clock: Clock,
) =>
  get({
    path: '/api/priority-fees',
    input: Input,
    budgets: ['rpcRead'],
    priority: 'quote',
    description: described('getPriorityFees', result, recorded),
    handle({ accounts: text }, exchange) {
      const accounts = [...new Set(text?.split(',') ?? [])]
      const isList =
        accounts.length <= MAX_FEE_ACCOUNTS && accounts.every((one) => isBase58Of(one, KEY_BYTES))
      if (!isList) throw invalidParameter('accounts', NO_LIST)
      return exchange.withBudget('rpcRead', async () => {
        const scope = exchange.scope()
        const call = Call.of(clock, 'quote', DEADLINE_MS, scope)
        const recent = await fees.recent(accounts, call)
        const told = {
          accounts: accounts.length,
          ...recent,
          levels: pricesOf(recent, maxComputeUnitPrice),
          maxComputeUnitPrice: Number(maxComputeUnitPrice),
          landed: await inquiries.landedFees(),
          tip: await inquiries.adviseTip(scope.client),
          asOf: clock.date(),
        }
        return Buffer.from(JSON.stringify(told))
      })
    },
  })

const NO_LIST = `\`accounts\` must be a comma list of up to ${MAX_FEE_ACCOUNTS} addresses: base58 of 32 bytes each.`
