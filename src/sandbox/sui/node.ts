/**
 * A Sui node of the sandbox: GraphQL over HTTP at /graphql, for the gateway's queries. It answers with a
 * coin's metadata, a wallet's balance, Mayan's state or a package's versions, or simulates a transaction and
 * says in the extensions that a ledger, not a chain, ran it.
 *
 * Source: MystenLabs/sui crates/sui-indexer-alt-graphql/schema.graphql, src/error.rs · docs.sui.io,
 * simulateTransaction
 */
import { FEE_MANAGER_STATE, KNOWN_MAYAN, MCTP_STATE } from '../../proof/sui/mctp.ts'
import { isOrigin, PUBLISHED_PACKAGES } from '../../proof/sui/packages.ts'
import { NODE_ERROR } from '../dials.ts'
import { nodeError } from '../node-error.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import { metadataOf, UPGRADED } from './compose.ts'
import { answer, QueryError, type Resolve } from './graphql.ts'
import { execute, heldBy } from './ledger.ts'

const CHECKPOINT_MS = 250

export function sui({ market }: Pick<World, 'market'>): ProviderServer {
  return {
    name: 'sui',
    faults: [NODE_ERROR],
    rateLimited: () => ({ status: 429, body: failure('Too many requests') }),
    nodeError(request, code) {
      const { error } = nodeError(request, code).body as { readonly error: { readonly message: string } }
      return { status: 200, body: failure(error.message) }
    },
    handle({ method, path, body, now }: ProviderRequest): ProviderReply {
      if (path !== '/graphql') return { status: 404, body: failure('Not found') }
      if (method !== 'POST') return { status: 405, body: failure('POST only'), headers: { allow: 'POST' } }
      const { query, variables } = (body ?? {}) as { query?: unknown; variables?: Record<string, unknown> }
      if (typeof query !== 'string') return { status: 400, body: failure('A query is missing') }
      try {
        const data = answer(query, variables ?? {}, rootsOf(market, now))
        return { status: 200, body: { data, extensions: { ledger: 'sandbox' } } }
      } catch (error) {
        if (!(error instanceof QueryError)) throw error
        return { status: 200, body: { data: null, ...failure(error.message, error.code) } }
      }
    },
  }
}

const rootsOf = (market: World['market'], now: number): Readonly<Record<string, Resolve>> => ({
  checkpoint: () => ({ sequenceNumber: Math.floor(now / CHECKPOINT_MS) }),
  coinMetadata({ coinType }) {
    const token = market.find('sui', String(coinType))
    return token && { decimals: token.decimals, address: metadataOf(token.address) }
  },
  address: ({ address }) => ({
    address,
    balance({ coinType }: { coinType: unknown }) {
      const token = market.find('sui', String(coinType))
      return { totalBalance: String(token === null ? 0n : heldBy(String(address), token)) }
    },
  }),
  package({ address, version }) {
    const id = String(address)
    const origin = UPGRADED.get(id) ?? (isOrigin(id) ? id : null)
    const packageVersionsAfter = { nodes: [] }
    if (origin === null) {
      const isListed = version === undefined && PUBLISHED_PACKAGES.includes(id)
      return isListed ? { address: id, version: 2, packageVersionsAfter } : null
    }
    if (version === 1) return { address: origin, version: 1 }
    return { address: id, version: id === origin ? 1 : 9, packageVersionsAfter }
  },
  object: ({ address }) => stateOf(String(address)),
  simulateTransaction({ transaction }) {
    const { bcs } = (transaction ?? {}) as { bcs?: { value?: unknown } }
    if (typeof bcs?.value !== 'string')
      throw new QueryError('BAD_USER_INPUT', 'Invalid argument: no transaction')
    const { status, error, changes, gas } = execute(market, bcs.value, now)
    // A failure before execution, refused as by a real node.
    if (status === 'INVALID') throw new QueryError('BAD_USER_INPUT', `Invalid argument: ${error}`)
    const nodes = changes.map(({ owner, coinType, amount }) => ({
      owner: { address: owner },
      coinType: { repr: coinType },
      amount: amount.toString(),
    }))
    const gasSummary = { computationCost: Number(gas), storageCost: 0, storageRebate: 0 }
    const balanceChanges = { nodes, pageInfo: { hasNextPage: false } }
    return { effects: { status, gasEffects: { gasSummary }, balanceChanges } }
  },
})

/** Mayan's two objects, of the known packages. */
function stateOf(id: string) {
  const packages =
    id === MCTP_STATE ? KNOWN_MAYAN.mctp : id === FEE_MANAGER_STATE ? KNOWN_MAYAN.feeManager : []
  const [latest] = packages
  return latest === undefined ? null : { asMoveObject: { contents: { json: { latest_package_id: latest } } } }
}

const failure = (message: string, code?: string) => ({
  errors: [{ message, ...(code !== undefined && { extensions: { code } }) }],
})
