import { Type } from 'typebox'
import { get } from '../http/route.ts'
import type { Inquiries } from '../relay/inquiries.ts'
import { SubmissionReceipt } from '../runtime/resources.ts'
import { requireSignature } from './signature.ts'

const Input = Type.Object({
  digest: Type.String({ description: "the transaction's first signature, complete", maxLength: 128 }),
})

/** GET /api/fast-trade-proof (§4.10): when a submission was sent where, and the outcome. */
export const fastTradeProof = (inquiries: Inquiries) =>
  get({
    path: '/api/fast-trade-proof',
    input: Input,
    budgets: [],
    description: {
      summary: 'Receipt of a submitted Solana transaction',
      stability: 'unverified',
      text: 'When it was received, verified, sent to each upstream and answered, and the slot in which it was seen. The last 10,000 submissions are kept in memory until a restart.',
      result: SubmissionReceipt,
      examples: { landed: { request: { digest: DIGEST }, reply: RECEIPT } },
      errorExamples: { 404: NOT_FOUND },
      errors: [400, 404],
    },
    handle({ digest }) {
      requireSignature(digest, 'digest')
      return Buffer.from(JSON.stringify(inquiries.receipt(digest)))
    },
  })

const DIGEST = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

const RECEIPT: SubmissionReceipt = {
  digest: DIGEST,
  receivedAt: '2026-11-22T00:00:00.000Z',
  parsedUs: 214,
  verifiedUs: 1_387,
  upstreams: [
    { name: 'solana-1', sends: 1, sentUs: 1_502, answeredUs: 48_211, outcome: 'accepted' },
    { name: 'solana-2', sends: 1, sentUs: 1_530, answeredUs: 61_870, outcome: 'accepted' },
  ],
  landed: { slot: 381_204_117, us: 912_006 },
}

const NOT_FOUND = {
  error:
    'No transaction of this signature was among the last 10,000 submissions. Ask with the whole first signature.',
  scope: 'not_found',
  code: 'receipt_not_found',
  field: 'digest',
}
