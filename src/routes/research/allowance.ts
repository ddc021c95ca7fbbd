import { get, jsonOf } from '../../http/route.ts'
import type { AllowanceReader } from '../../research/onchain/allowances.ts'
import { AllowanceQuery, parseAllowance } from '../../research/onchain/request.ts'
import { Allowance } from '../../research/onchain/shapes.ts'
import recorded from '../examples/allowance.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/allowance (§4.10): an allowance, or the status of an approval transaction. */
export const allowance = (allowances: AllowanceReader) =>
  get({
    path: '/api/allowance',
    input: AllowanceQuery,
    priority: 'quote',
    description: described('getAllowance', Allowance, recorded),
    handle: (query, exchange) => jsonOf(allowances.read(parseAllowance(query), exchange.scope())),
  })
