import { Type } from 'typebox'
import { LEVELS } from '../levels.ts'
import { boolean, integer, nullable } from './shared.ts'
import { RPC_COMPATS } from './solrpc.ts'
import texts from './texts.json' with { type: 'json' }

const { settings: text } = texts

export const Settings = Type.Object({
  mode: Type.Enum(['sandbox', 'live']),
  version: Type.String(),
  chains: Type.Array(
    Type.Object({
      chain: Type.String(),
      quotes: Type.Array(Type.String(), { description: text.quotes }),
      builds: Type.Array(Type.String(), { description: 'the providers that build transactions' }),
    }),
  ),
  providers: Type.Array(Type.String(), { description: text.providers }),
  minVerification: Type.Enum([...LEVELS], { description: text.minVerification }),
  logos: boolean('whether /api/logo is served'),
  limits: Type.Record(
    Type.String(),
    Type.Object({
      client: nullable(Type.Integer()),
      global: nullable(Type.Integer()),
      windowSeconds: Type.Integer(),
    }),
    { description: 'requests per window, by budget; null if a limit is lifted' },
  ),
  inFlight: Type.Object(
    { client: nullable(Type.Integer()), global: nullable(Type.Integer()) },
    { description: text.inFlight },
  ),
  streams: Type.Object({ client: Type.Integer(), global: Type.Integer() }, { description: text.streams }),
  relay: Type.Object({
    compat: Type.Enum([...RPC_COMPATS], { description: text.compat }),
    methods: Type.Array(Type.String()),
    maxCalls: integer('calls in one body: 1, or reads in an array'),
    maxTransactionBytes: Type.Integer(),
    maxV1TransactionBytes: integer(text.maxV1TransactionBytes),
    maxRetries: Type.Integer(),
    minBatch: Type.Integer(),
    maxBatch: Type.Integer(),
  }),
})
