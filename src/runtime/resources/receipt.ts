import { type Static, Type } from 'typebox'
import { nullable } from './shared.ts'

const Micros = Type.Integer({ description: 'microseconds since the request was received' })

export const SubmissionReceipt = Type.Object({
  digest: Type.String({ description: "the transaction's first signature" }),
  receivedAt: Type.String({ format: 'date-time' }),
  parsedUs: Micros,
  verifiedUs: Micros,
  upstreams: Type.Array(
    Type.Object({
      name: Type.String(),
      sends: Type.Integer({ description: 'how often the transaction was sent to this upstream' }),
      sentUs: Micros,
      answeredUs: Type.Union([Micros, Type.Null()]),
      outcome: Type.Union(
        [Type.Enum(['accepted', 'refused', 'failed', 'untipped', 'unpriced', 'throttled']), Type.Null()],
        {
          description:
            '`accepted` if the upstream ever accepted, else its last answer; null while there is none. `untipped`, `unpriced`, `throttled`: not sent there, as the submission service asks for a tip or a price of compute units that the transaction does not have, or takes no more transactions at the moment',
        },
      ),
    }),
  ),
  landed: Type.Union([Type.Object({ slot: Type.Integer(), us: Micros }), Type.Null()], {
    description:
      'the slot, and when the transaction was first seen in it; null if it was not looked for or not seen',
  }),
})

export type SubmissionReceipt = Static<typeof SubmissionReceipt>

export const Rebroadcasts = Type.Object({
  everyMs: Type.Integer({ description: 'five slots as long as they take at present, at most 2000' }),
  count: Type.Integer({ description: 'number of transactions that are being resent' }),
  transactions: Type.Array(
    Type.Object({
      ageMs: Type.Integer({ description: 'since a node accepted the transaction' }),
      sends: Type.Integer({ description: 'how often it was resent' }),
      retriesLeft: Type.Integer(),
      nextInMs: Type.Integer(),
      lastValidBlockHeight: nullable(Type.Integer()),
    }),
    { description: 'the oldest transactions, at most 100, without their signatures' },
  ),
})

export type Rebroadcasts = Static<typeof Rebroadcasts>
