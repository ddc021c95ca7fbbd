/**
 * A Sui node of the sandbox: GraphQL over HTTP at /graphql, for the gateway's queries. It
 * does not parse the query: it answers a coin's metadata, a wallet's balance or Mayan's state, or
 * simulates the transaction in the variables and says in the extensions that a ledger, not a chain, is
 * behind it.
 *
 * Source: MystenLabs/sui crates/sui-indexer-alt-graphql/schema.graphql · docs.sui.io, simulateTransaction
 */
import { FEE_MANAGER_STATE, KNOWN_MAYAN, MCTP_STATE } from '../../proof/sui-mctp.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import { metadataOf } from './compose.ts'
import { execute, heldBy } from './ledger.ts'

const CHECKPOINT_MS = 250

export function sui({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'sui',
    rateLimited: () => ({ status: 429, body: failure('Too many requests') }),
    handle({ method, path, body, now }: ProviderRequest): ProviderReply {
      if (path !== '/graphql') return { status: 404, body: failure('Not found') }
      if (method !== 'POST') return { status: 405, body: failure('POST only'), headers: { allow: 'POST' } }
      const answer = readState(market, body)
      if (answer !== null) return { status: 200, body: { data: answer } }
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

/** @returns null where the request reads no state */
function readState(market: World['market'], body: unknown): Readonly<Record<string, unknown>> | null {
  const { query, variables = {} } = (body ?? {}) as { query?: unknown; variables?: Record<string, unknown> }
  if (typeof query !== 'string') return null
  const token = market.find('sui', String(variables.coinType))
  if (query.includes('coinMetadata')) {
    const coinMetadata =
      token === null ? null : { decimals: token.decimals, address: metadataOf(token.address) }
    return { coinMetadata }
  }
  if (query.includes('balance(')) {
    const totalBalance = String(token === null ? 0n : heldBy(String(variables.owner), token))
    return { address: { balance: { totalBalance } } }
  }
  if (!query.includes('asMoveObject')) return null
  return Object.fromEntries(['mctp', 'feeManager'].map((name) => [name, stateOf(String(variables[name]))]))
}

/** The two of Mayan's objects, whose packages are the known ones. */
function stateOf(id: string) {
  const packages =
    id === MCTP_STATE ? KNOWN_MAYAN.mctp : id === FEE_MANAGER_STATE ? KNOWN_MAYAN.feeManager : []
  const [latest] = packages
  return latest === undefined ? null : { asMoveObject: { contents: { json: { latest_package_id: latest } } } }
}

/** @returns base64; null where the request has none */
function readTransaction(body: unknown): string | null {
  const { query, variables } = (body ?? {}) as { query?: unknown; variables?: { transaction?: unknown } }
  if (typeof query !== 'string' || !query.includes('simulateTransaction')) return null
  const { bcs } = (variables?.transaction ?? {}) as { bcs?: { value?: unknown } }
  return typeof bcs?.value === 'string' ? bcs.value : null
}

const failure = (message: string) => ({ errors: [{ message }] })
