import { type Static, Type } from 'typebox'
import { integer, nullable, string } from './shared.ts'
import texts from './texts.json' with { type: 'json' }

const { receipt: text } = texts

const Micros = integer('microseconds since the request was received')

export const SubmissionReceipt = Type.Object({
  digest: string("the transaction's first signature"),
  receivedAt: Type.String({ format: 'date-time' }),
  parsedUs: Micros,
  verifiedUs: Micros,
  upstreams: Type.Array(
    Type.Object({
      name: Type.String(),
      sends: integer('how often the transaction was sent to this upstream'),
      sentUs: Micros,
      answeredUs: Type.Union([Micros, Type.Null()]),
      outcome: Type.Union(
        [Type.Enum(['accepted', 'refused', 'failed', 'untipped', 'unpriced', 'throttled']), Type.Null()],
        { description: text.outcome },
      ),
    }),
  ),
  landed: nullable(Type.Object({ slot: Type.Integer(), us: Micros }), { description: text.landed }),
})

export type SubmissionReceipt = Static<typeof SubmissionReceipt>

export const Rebroadcasts = Type.Object({
  everyMs: integer('five slots as long as they take at present, at most 2000'),
  count: integer('number of transactions that are being resent'),
  transactions: Type.Array(
    Type.Object({
      ageMs: integer('since a node accepted the transaction'),
      sends: integer('how often it was resent'),
      retriesLeft: Type.Integer(),
      nextInMs: Type.Integer(),
      lastValidBlockHeight: nullable(Type.Integer()),
    }),
    { description: text.transactions },
  ),
})

export type Rebroadcasts = Static<typeof Rebroadcasts>
