import { Type } from 'typebox'
import { GatewayError } from '../errors.ts'
import { get } from '../http/route.ts'
import type { Inquiries } from '../relay/inquiries.ts'
import { TransactionStatus } from '../resources.ts'
import { requireSignature } from './signature.ts'

const Input = Type.Object({
  chain: Type.String({ description: 'chain key; only `solana` so far', maxLength: 64 }),
  signature: Type.String({ description: "the transaction's first signature", maxLength: 128 }),
})

/** GET /api/transaction-status (§4.10): where a transaction stands, and its receipt if it was submitted here. */
export const transactionStatus = (inquiries: Inquiries) =>
  get({
    path: '/api/transaction-status',
    input: Input,
    budgets: [],
    description: {
      summary: 'Status of a transaction',
      stability: 'unverified',
      text: 'The word of a Solana node, which is asked after everything else; whoever asks the same within a slot shares the answer.',
      result: TransactionStatus,
      errors: [400, 502, 'default'],
    },
    async handle({ chain, signature }, exchange) {
      if (chain !== 'solana') {
        const message = '`chain` must be solana: the status of other chains is not served.'
        throw new GatewayError('unsupported_chain', message, { field: 'chain' })
      }
      requireSignature(signature, 'signature')
      return Buffer.from(JSON.stringify(await inquiries.status(signature, exchange.caller())))
    },
  })
