import { Type } from 'typebox'
import { get } from '../http/route.ts'
import type { Inquiries } from '../relay/inquiries.ts'
import { SubmissionReceipt } from '../resources.ts'
import { requireSignature } from './signature.ts'

const Input = Type.Object({
  digest: Type.String({ description: "the transaction's first signature, whole", maxLength: 128 }),
})

/** GET /api/fast-trade-proof (§4.10): when a submission went where, and what came of it. */
export const fastTradeProof = (inquiries: Inquiries) =>
  get({
    path: '/api/fast-trade-proof',
    input: Input,
    budgets: [],
    description: {
      summary: 'Receipt of a submitted Solana transaction',
      stability: 'unverified',
      text: 'When it was received, verified, sent to each upstream and answered by it, and in which slot it was seen. The last 10,000 submissions are kept in memory, and none survives a restart.',
      result: SubmissionReceipt,
      errors: [400, 404],
    },
    handle({ digest }) {
      requireSignature(digest, 'digest')
      return Buffer.from(JSON.stringify(inquiries.receipt(digest)))
    },
  })
