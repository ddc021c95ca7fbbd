import { get, jsonOf } from '../../http/route.ts'
import type { AllowanceReader } from '../../research/onchain/allowances.ts'
import { AllowanceQuery, parseAllowance } from '../../research/onchain/request.ts'
import { Allowance } from '../../research/onchain/shapes.ts'
import recorded from '../examples/allowance.json' with { type: 'json' }
import { TRANSACTIONS } from '../groups.ts'

/** GET /api/allowance (§4.10): an allowance, or the status of an approval transaction. */
export const allowance = (allowances: AllowanceReader) =>
  get({
    path: '/api/allowance',
    input: AllowanceQuery,
    priority: 'quote',
    description: {
      id: 'getAllowance',
      summary: 'Allowance of a spender',
      stability: 'unverified',
      group: TRANSACTIONS,
      text: 'With `token`, `owner` and `spender`: the allowance at the newest block of the node that answered. With `hash`: the status of an approval transaction, and the allowance that it set.',
      result: Allowance,
      examples: recorded.examples,
      errors: [400, 502, 'default'],
    },
    handle: (query, exchange) => jsonOf(allowances.read(parseAllowance(query), exchange.scope())),
  })
