import { Type } from 'typebox'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { SIGNATURE_BYTES } from '../../chains/solana/sizes.ts'
import { get } from '../../http/route.ts'
import type { Asked, Inquiries } from '../../relay/submissions/inquiries.ts'
import { errorBody, GatewayError, invalidParameter } from '../../runtime/errors.ts'
import { SubmissionReceipt } from '../../runtime/resources/receipt.ts'
import { string } from '../../runtime/resources/shared.ts'
import recorded from '../examples/operations.json' with { type: 'json' }
import { described } from '../groups.ts'

const Input = Type.Object({
  digest: string("the transaction's first signature, complete", { maxLength: 128 }),
})

/** GET /api/fast-trade-proof (§4.10): when a submission was sent where, and the outcome. */
export const fastTradeProof = (inquiries: Asked<Inquiries>) =>
  get({
    path: '/api/fast-trade-proof',
    input: Input,
    description: described('getSubmission', SubmissionReceipt, {
      examples: { landed: { request: { digest: recorded.receipt.digest }, reply: recorded.receipt } },
      errors: { 404: NOT_FOUND },
    }),
    async handle({ digest }) {
      if (!isBase58Of(digest, SIGNATURE_BYTES)) throw invalidParameter('digest', NO_SIGNATURE)
      const receipt = await inquiries.receipt(digest)
      if (receipt === null) throw new GatewayError('receipt_not_found', UNKNOWN, { field: 'digest' })
      return Buffer.from(JSON.stringify(receipt))
    },
  })

const NO_SIGNATURE = '`digest` must be a Solana signature: base58 of 64 bytes.'

const UNKNOWN =
  'No transaction of this signature was among the last 10,000 submissions. Ask with the whole first signature.'

const NOT_FOUND = errorBody('receipt_not_found', UNKNOWN, { field: 'digest' })
