import { Type } from 'typebox'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { KEY_BYTES } from '../../chains/solana/sizes.ts'
import { Call } from '../../flow/call.ts'
import { get } from '../../http/route.ts'
import { pricesOf } from '../../providers/priority.ts'
import type { Asked, Inquiries } from '../../relay/submissions/inquiries.ts'
import type { Clock } from '../../runtime/clock.ts'
import { invalidParameter } from '../../runtime/errors.ts'
import { integer, nullable, string } from '../../runtime/resources/shared.ts'
import { MAX_FEE_ACCOUNTS, type PriorityFees } from '../../upstream/nodes/solana/priority.ts'
import recorded from '../examples/priority-fees.json' with { type: 'json' }
import { described } from '../groups.ts'

const DEADLINE_MS = 5_000

const Price = integer('micro-lamports per compute unit')
const percentiles = (description: string) =>
  nullable(Type.Object({ p25: Price, p50: Price, p75: Price, p90: Price }), { description })
const Slot = nullable(Type.Integer())

const Result = Type.Object({
  accounts: integer('how many different ones were asked about'),
  percentiles: percentiles(
    'over the slots, of the least that was paid in each to write to any of the accounts',
  ),
  slots: integer('how many slots the percentiles are of'),
  paying: integer('of these, those in which the least was above 0'),
  fromSlot: Slot,
  toSlot: Slot,
  levels: Type.Object(
    { none: Price, low: Price, medium: Price, high: Price },
    { description: 'what `priority` of /api/build comes to for these accounts' },
  ),
  maxComputeUnitPrice: integer('the most that this host allows'),
  landed: Type.Object(
    {
      count: Type.Integer(),
      withinMs: Type.Integer(),
      percentiles: percentiles('null if there is none'),
    },
    {
      description: 'what transactions paid that landed lately through this gateway: shown, and not built by',
    },
  ),
  tip: nullable(
    Type.Object({
      service: nullable(Type.String(), { description: 'null: none is needed' }),
      lamports: string('decimal'),
      accounts: Type.Array(Type.String(), {
        description: 'pay one of them by one transfer of the System program; all that are known',
      }),
      leastComputeUnitPrice: integer('what the service asks for, besides'),
      basis: Type.Union([Type.Literal('own'), Type.Literal('others'), Type.Literal('none')], {
        description:
          'what it goes by: what became of your own transactions within the last minute, else of those of all clients, else nothing',
      }),
    }),
    {
      description:
        "the cheapest tip that lately got transactions into blocks within ten slots, of this host's submission services; null if it has none whose tips are known",
    },
  ),
  asOf: integer('ms epoch'),
})

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
    description: described('getPriorityFees', Result, recorded),
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
