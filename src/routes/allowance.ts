import { Type } from 'typebox'
import { get } from '../http/route.ts'
import type { AllowanceReader } from '../research/onchain/allowances.ts'
import { parseAllowance } from '../research/onchain/request.ts'
import { Allowance } from '../research/onchain/shapes.ts'
import { ALLOWANCES } from './examples/onchain.ts'
import { ONE_TRANSACTION } from './transaction-status.ts'

const Address = (description: string) => Type.Optional(Type.String({ description, maxLength: 128 }))

const Input = Type.Object({
  chain: Type.String({ description: 'key of an EVM chain', maxLength: 64 }),
  token: Address('address of an ERC-20 token'),
  owner: Address('who allows it'),
  spender: Address("who may take it: `spender` of a build's `approval`"),
  hash: Type.Optional(
    Type.String({
      description: 'of an approval transaction, in the place of `token`, `owner` and `spender`',
      maxLength: 128,
    }),
  ),
})

/** GET /api/allowance (§4.10): what a spender may take, or what became of the approval. */
export const allowance = (allowances: AllowanceReader) =>
  get({
    path: '/api/allowance',
    input: Input,
    budgets: [],
    priority: 'quote',
    description: {
      summary: 'What a spender may take of a token',
      stability: 'unverified',
      group: ONE_TRANSACTION,
      text: 'Either `token`, `owner` and `spender`: the allowance at the newest block of the node that answered. Or `hash`: where an approval transaction stands, and what it set the allowance to.',
      result: Allowance,
      examples: ALLOWANCES,
      errors: [400, 502, 'default'],
    },
    async handle(query, exchange) {
      const id = parseAllowance(query)
      return Buffer.from(JSON.stringify(await allowances.read(id, exchange.scope())))
    },
  })
