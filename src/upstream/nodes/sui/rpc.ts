/**
 * The GraphQL nodes of Sui, tried one after another until one answers a query. Sui's public JSON-RPC has been
 * off since July 2026; of its successors, GraphQL is the one over plain HTTP.
 *
 * Source: docs.sui.io, GraphQL · GraphQL over HTTP (a reply has `data`, `errors` or both) · MystenLabs/sui
 * crates/sui-indexer-alt-graphql/src/error.rs (codes)
 */
import { Type } from 'typebox'
import { fieldsOf } from '../../../chains/json/fields.ts'
import { parsedOrNone } from '../../../chains/json/parse.ts'
import { jsonReader } from '../../../chains/json/reader.ts'
import type { Call } from '../../../flow/call.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { nullable } from '../../../runtime/resources/shared.ts'
import type { UpstreamRequest } from '../../request.ts'
import type { Upstream } from '../../upstream.ts'
import { ChainNodes, type NodesOptions } from '../chain-nodes.ts'
import { failOver } from '../fail-over.ts'
import { aboutOf, type NodeError } from '../node-errors.ts'
import { onePerHost } from '../voters.ts'

/** Bound of a reply: many times the changes of one transaction. */
const MAX_REPLY_BYTES = 256 * 1024

export class SuiRpc extends ChainNodes {
  constructor(options: NodesOptions) {
    super('sui', options, { maxBytes: MAX_REPLY_BYTES })
  }

  /**
   * @param nodes  the nodes to try
   * @returns the whole reply as JSON text, which has `data` and no `errors`; null if the nodes refuse what
   *          the variables name, such as a transaction with missing objects
   * @throws GatewayError  502 upstream_*; upstream_failed names the code of a node's other errors
   */
  async query(
    query: string,
    variables: object,
    call: Call,
    nodes: readonly Upstream[] = this.nodes,
  ): Promise<string | null> {
    const request = queryRequest(JSON.stringify({ query, variables }))
    const answer = await failOver(nodes, {
      call,
      ask: (upstream, share) => upstream.ask(request, share),
      isNodeFault: ({ text }) => text === null,
    })
    if (answer?.error) throw answer.error
    if (answer !== null) return answer.text
    throw this.coolingDown('The Sui', nodes)
  }

  /**
   * A coin's decimals, by its metadata on the chain.
   * @param coinType  canonical
   * @throws GatewayError  unknown_token, upstream_*
   */
  async decimals(coinType: string, call: Call): Promise<number> {
    const text = await this.query(DECIMALS_QUERY, { coinType }, call)
    const reply = text === null ? null : readMetadata(text)
    if (reply === null) {
      const message = "The Sui nodes did not answer the coin's metadata. Try again later."
      throw new GatewayError('upstream_unusable', message, SUI)
    }
    const decimals = reply.data.coinMetadata?.decimals ?? null
    if (decimals !== null) return decimals
    throw new GatewayError('unknown_token', 'There is no coin of this type on Sui.')
  }

  /**
   * What a wallet holds of a coin, in base units.
   * @param coinType  canonical
   * @returns null if no node reports it
   * @throws GatewayError  upstream_*
   */
  async balance(owner: string, coinType: string, call: Call): Promise<bigint | null> {
    const text = await this.query(BALANCE_QUERY, { owner, coinType }, call)
    const reply = text === null ? null : readBalance(text)
    if (reply === null) return null
    // A wallet that the chain has not seen holds nothing.
    return BigInt(reply.data.address?.balance?.totalBalance ?? 0)
  }

  /** One node of each host, without failover: for questions on which several must agree. */
  get voters(): readonly Pick<SuiRpc, 'query'>[] {
    return onePerHost(this.nodes).map((node) => ({
      query: (query, variables, call) => this.query(query, variables, call, [node]),
    }))
  }

  override async greet(call: Call): Promise<void> {
    const coin = { coinType: '0x2::sui::SUI' }
    await Promise.allSettled(this.nodes.map((node) => this.query(DECIMALS_QUERY, coin, call, [node])))
  }
}

const SUI = { provider: 'sui', scope: 'provider' } as const

export const DECIMALS_QUERY = 'query ($coinType: String!) { coinMetadata(coinType: $coinType) { decimals } }'

const readMetadata = jsonReader(
  Type.Object({
    data: Type.Object({
      coinMetadata: nullable(
        Type.Object({ decimals: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 255 })]) }),
      ),
    }),
  }),
)

export const BALANCE_QUERY =
  'query ($owner: SuiAddress!, $coinType: String!) { address(address: $owner) { balance(coinType: $coinType) { totalBalance } } }'

const Balance = Type.Object({
  data: Type.Object({
    address: nullable(
      Type.Object({
        balance: Type.Union([
          Type.Null(),
          Type.Object({ totalBalance: Type.String({ pattern: '^\\d{1,20}$' }) }),
        ]),
      }),
    ),
  }),
})
const readBalance = jsonReader(Balance)

interface QueryAnswer {
  /** Null if the node does not have the requested data. */
  readonly text: string | null
  /** What is wrong with the node; null if nothing is. */
  readonly error: GatewayError | null
  readonly isFault: boolean
}

function queryRequest(body: string): UpstreamRequest<QueryAnswer> {
  return {
    method: 'POST',
    path: '',
    body,
    resend: true,
    read(status, reply) {
      const text = reply.toString()
      const { data, errors, error } = fieldsOf(parsedOrNone(text))
      const abouts = [...(Array.isArray(errors) ? errors : []), error].map((one) =>
        aboutOf('sui', errorFieldsOf(one)),
      )
      const about = abouts.find((one) => typeof one === 'symbol')
      if (about !== undefined) return about
      const isFault = abouts.includes('fault')
      if (errors !== undefined) return { text: null, error: faultOf(errors), isFault }
      const hasData = status === 200 && typeof data === 'object' && data !== null
      return hasData ? { text, error: null, isFault: false } : null
    },
    failureOf: ({ error }) => error && 'upstream_failed',
    isFault: ({ isFault }) => isFault,
  }
}

/** The fields of a GraphQL error, whose code is in its extensions, or of a proxy's error. */
function errorFieldsOf(error: unknown): NodeError {
  if (typeof error === 'string') return { message: error }
  const { code, message, extensions } = fieldsOf(error)
  return { code: fieldsOf(extensions).code ?? code, message }
}

/** @returns null if only what the variables name is refused */
function faultOf(errors: unknown): GatewayError | null {
  const { extensions } = fieldsOf(Array.isArray(errors) ? errors[0] : null)
  const { code } = fieldsOf(extensions)
  if (code === 'BAD_USER_INPUT') return null
  const named = typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? code : 'no code'
  const isQuery = named === 'GRAPHQL_VALIDATION_FAILED' || named === 'GRAPHQL_PARSE_FAILED'
  const remedy = isQuery ? 'Its schema lacks what is asked for.' : 'Try again later.'
  const message = `The Sui node answered GraphQL errors instead of data (${named}). ${remedy}`
  return new GatewayError('upstream_failed', message, SUI)
}
