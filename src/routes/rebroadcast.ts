import { Type } from 'typebox'
import { get } from '../http/route.ts'
import type { Inquiries } from '../relay/inquiries.ts'
import { Rebroadcasts } from '../runtime/resources.ts'

/** GET /api/rebroadcast (§4.10): accepted transactions that are being rebroadcast. */
export const rebroadcast = (inquiries: Inquiries) =>
  get({
    path: '/api/rebroadcast',
    input: Type.Object({}),
    budgets: [],
    description: {
      summary: 'Solana transactions that are being rebroadcast',
      stability: 'unverified',
      text: 'An accepted transaction is sent again until it is seen in a block, its blockhash has expired, or its retries are used up. The list covers all clients, so it holds no signatures.',
      result: Rebroadcasts,
      example: EXAMPLE,
      errors: [],
    },
    handle: () => Buffer.from(JSON.stringify(inquiries.rebroadcasts())),
  })

const EXAMPLE: Rebroadcasts = {
  everyMs: 2_000,
  count: 1,
  transactions: [
    { ageMs: 4_310, sends: 2, retriesLeft: 3, nextInMs: 1_690, lastValidBlockHeight: 358_112_904 },
  ],
}
