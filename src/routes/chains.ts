import { Type } from 'typebox'
import { CHAINS } from '../chains/chains.ts'
import { get } from '../http/route.ts'
import { Chains } from '../resources.ts'

/** GET /api/chains (§4.3): the chain table, as bytes that were written once. */
export const chains = () => {
  const body = Buffer.from(JSON.stringify({ chains: CHAINS }))
  return get({
    path: '/api/chains',
    input: Type.Object({}),
    budgets: [],
    description: {
      summary: 'Network metadata',
      result: Chains,
      example: { chains: [CHAINS[0]] },
      errors: [],
    },
    handle: () => body,
  })
}
