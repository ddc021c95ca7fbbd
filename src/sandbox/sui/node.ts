/**
 * A Sui node of the sandbox: GraphQL over HTTP at /graphql, for the gateway's queries. It
 * does not parse the query: it answers a coin's metadata, or simulates the transaction
 * in the variables and says in the extensions that a ledger, not a chain, is behind it.
 *
 * Source: MystenLabs/sui crates/sui-indexer-alt-graphql/schema.graphql · docs.sui.io, simulateTransaction
 */
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import { execute } from './ledger.ts'

const CHECKPOINT_MS = 250

export function sui({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'sui',
    rateLimited: () => ({ status: 429, body: failure('Too many requests') }),
    handle({ method, path, body, now }: ProviderRequest): ProviderReply {
      if (path !== '/graphql') return { status: 404, body: failure('Not found') }
      if (method !== 'POST') return { status: 405, body: failure('POST only'), headers: { allow: 'POST' } }
      const coinType = readCoinType(body)
      if (coinType !== null) return metadataOf(market, coinType)
      const transaction = readTransaction(body)
      if (transaction === null) return { status: 200, body: { data: null, ...failure('Invalid input') } }
      const { status, error, changes, gas } = execute(market, transaction, now)
      const nodes = changes.map(({ owner, coinType, amount }) => ({
        owner: { address: owner },
        coinType: { repr: coinType },
        amount: amount.toString(),
      }))
      const gasSummary = { computationCost: Number(gas), storageCost: 0, storageRebate: 0 }
      const effects = {
        status,
        gasEffects: { gasSummary },
        balanceChanges: { nodes, pageInfo: { hasNextPage: false } },
      }
      const data = {
        checkpoint: { sequenceNumber: Math.floor(now / CHECKPOINT_MS) },
        simulateTransaction: { error, effects },
      }
      return { status: 200, body: { data, extensions: { ledger: 'sandbox' } } }
    },
  }
}

/** @returns null where the request asks for no coin's metadata */
function readCoinType(body: unknown): string | null {
  const { query, variables } = (body ?? {}) as { query?: unknown; variables?: { coinType?: unknown } }
  if (typeof query !== 'string' || !query.includes('coinMetadata')) return null
  return typeof variables?.coinType === 'string' ? variables.coinType : null
}

function metadataOf(market: World['market'], coinType: string): ProviderReply {
  const token = market.find('sui', coinType)
  const coinMetadata = token === null ? null : { decimals: token.decimals }
  return { status: 200, body: { data: { coinMetadata } } }
}

/** @returns base64; null where the request has none */
function readTransaction(body: unknown): string | null {
  const { query, variables } = (body ?? {}) as { query?: unknown; variables?: { transaction?: unknown } }
  if (typeof query !== 'string' || !query.includes('simulateTransaction')) return null
  const { bcs } = (variables?.transaction ?? {}) as { bcs?: { value?: unknown } }
  return typeof bcs?.value === 'string' ? bcs.value : null
}

const failure = (message: string) => ({ errors: [{ message }] })
