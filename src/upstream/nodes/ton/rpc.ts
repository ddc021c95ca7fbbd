/**
 * The nodes of TON: runs a contract's get method at each of them, or reads its
 * code. The answers decide where money goes, so no single node is trusted, and the
 * caller compares the answers.
 *
 * There are two interfaces, recognized by the URL:
 *
 *   .../jsonRPC  toncenter's v2: POST runGetMethod and getAddressInformation, cells in base64
 *   any other    TonAPI's: GET {url}/blockchain/accounts/{account}[/methods/{method}], cells in hex
 *
 * Source: toncenter.com/api/v2 (runGetMethod, getAddressInformation) · tonkeeper/opentonapi api/openapi.yml
 */
import { type Fields, fieldsOf } from '../../../chains/json/fields.ts'
import { parsedOrNone } from '../../../chains/json/parse.ts'
import type { Call } from '../../../flow/call.ts'
import { type Clock, sleep } from '../../../runtime/clock.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { recorded } from '../../../runtime/tape.ts'
import { createUpstreamContext } from '../../context.ts'
import type { UpstreamRequest } from '../../request.ts'
import type { Upstream } from '../../upstream.ts'
import { ChainNodes, type NodesOptions } from '../chain-nodes.ts'
import { aboutOf } from '../node-errors.ts'
import { onePerHost } from '../voters.ts'

const MAX_REPLY_BYTES = 256 * 1024
/** An account that exists. */
const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'

/** Hosts that need not be kept secret. */
const PUBLIC_HOSTS = ['toncenter.com', 'tonapi.io']

/** toncenter's limit without a key: a request a second, with some tolerance for clocks and networks. */
const KEYLESS_MS = 1_050

/** The stack from its bottom: a bag of cells for each cell or slice, null for any other entry. */
export type Stack = readonly (Buffer | null)[]

/** A URL is one node, however often it is listed, and only the first node of a host is asked. */
export class TonRpc extends ChainNodes {
  readonly #dialects: ReadonlyMap<Upstream, Dialect>
  /** The nodes that are called: nodes at one host are one party. */
  readonly #voters: readonly Upstream[]
  readonly #clock: Clock
  /** When a node without a key may be called next; monotonic, ms. */
  readonly #turns = new Map<Upstream, number>()

  constructor({ urls, context = createUpstreamContext() }: NodesOptions) {
    const distinct = [...new Set(urls.map((url) => new URL(url).href))]
    super('ton', { urls: distinct, context }, { maxBytes: MAX_REPLY_BYTES, publicHosts: PUBLIC_HOSTS })
    const dialects = new Map<Upstream, Dialect>()
    for (const [i, node] of this.nodes.entries()) {
      const { hostname, pathname, searchParams } = new URL(distinct[i]!)
      const isToncenter = /\/jsonrpc\/?$/i.test(pathname)
      dialects.set(node, isToncenter ? TONCENTER : TONAPI)
      const isLimited = hostname === 'toncenter.com' || context.limitsAsPublic
      const isKeyless = isLimited && isToncenter && !searchParams.has('api_key')
      if (isKeyless) this.#turns.set(node, Number.NEGATIVE_INFINITY)
    }
    this.#dialects = dialects
    this.#voters = onePerHost(this.nodes)
    this.#clock = context.clock
  }

  /**
   * Runs a method at every node at once.
   * @param account  canonical
   * @param slices  the method's arguments, as bags of one cell
   * @returns one stack for each node that answered one; none for nodes that failed, or if the method failed
   */
  runEverywhere(account: string, method: string, slices: readonly Buffer[], call: Call): Promise<Stack[]> {
    return this.#askEverywhere((dialect) => dialect.run(account, method, slices), call)
  }

  /**
   * Reads a contract's code at every node at once.
   * @param account  canonical
   * @returns one bag of cells for each node that answered one; none for nodes that failed, or without a contract
   */
  codeEverywhere(account: string, call: Call): Promise<Buffer[]> {
    return this.#askEverywhere((dialect) => dialect.code(account), call)
  }

  /** @returns what the nodes answered that did not fail */
  async #askEverywhere<T>(requestIn: (dialect: Dialect) => TonRequest<T>, call: Call): Promise<T[]> {
    const answers = await Promise.allSettled(
      this.#voters.map(async (node) => {
        const request = requestIn(this.#dialects.get(node)!)
        await this.#turnOf(node, call)
        return node.ask(request, call)
      }),
    )
    return answers.flatMap((answer) =>
      answer.status === 'rejected' || answer.value.found === null ? [] : [answer.value.found],
    )
  }

  override async greet(call: Call): Promise<void> {
    const asked = [...this.#dialects].map(([node, dialect]) => node.ask(dialect.code(USDT), call))
    await Promise.allSettled(asked)
  }

  /**
   * Waits for the node's next turn: after a 429, a build would be refused for lack of a second vote.
   * @throws GatewayError  upstream_rate_limited, if that is beyond the deadline
   */
  async #turnOf(node: Upstream, call: Call): Promise<void> {
    if (!this.#turns.has(node)) return
    const now = this.#clock.now()
    const turn = recorded(this.#clock, `turn ${node.label}`, () => this.#turns.get(node)!)
    const waitMs = Math.max(0, turn - now)
    if (waitMs >= call.leftMs) {
      const message = 'The TON node takes a request a second without a key, and others wait. Try again later.'
      const fields = { provider: node.label, scope: 'provider', retryAfterMs: Math.ceil(waitMs) } as const
      throw new GatewayError('upstream_rate_limited', message, fields)
    }
    this.#turns.set(node, now + waitMs + KEYLESS_MS)
    if (waitMs > 0) await sleep(this.#clock, waitMs)
  }
}

interface Answer<T> {
  /** Null if there is no such method or contract, or if the method failed. */
  readonly found: T | null
}

const NONE: Answer<never> = { found: null }

type TonRequest<T> = UpstreamRequest<Answer<T>>

/** How an interface is asked. */
interface Dialect {
  run(account: string, method: string, slices: readonly Buffer[]): TonRequest<Stack>
  code(account: string): TonRequest<Buffer>
}

const TONCENTER: Dialect = {
  run(address, method, slices) {
    const stack = slices.map((slice) => ['tvm.Slice', slice.toString('base64')])
    const read = (result: unknown) => stackOf(result, toncenterEntry)
    return toncenterRequest('runGetMethod', { address, method, stack }, read)
  },
  code: (address) =>
    toncenterRequest('getAddressInformation', { address }, (result) => codeOf(result, 'base64')),
}

function toncenterRequest<T>(
  method: string,
  params: object,
  readAnswer: (result: unknown) => Answer<T> | null,
): TonRequest<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: '1', method, params })
  const read = reader(({ result }) => readAnswer(result))
  return { method: 'POST', path: '', body, resend: true, read }
}

const TONAPI: Dialect = {
  run(account, method, slices) {
    const query = slices.map((slice) => `args=${slice.toString('hex')}`).join('&')
    const path = `${account}/methods/${method}${query === '' ? '' : `?${query}`}`
    return tonapiRequest(path, (answer) => stackOf(answer, tonapiEntry))
  },
  code: (account) => tonapiRequest(account, (answer) => codeOf(answer, 'hex')),
}

const tonapiRequest = <T>(path: string, readAnswer: (answer: Fields) => Answer<T> | null): TonRequest<T> => ({
  method: 'GET',
  path: `/blockchain/accounts/${path}`,
  body: null,
  resend: true,
  read: reader(readAnswer),
})

/**
 * Reads the answers of both interfaces. They have an error's text in `error`, and toncenter its code next to it; proxies
 * have an object there.
 */
function reader<T>(readAnswer: (answer: Fields) => Answer<T> | null): TonRequest<T>['read'] {
  return (status, body) => {
    const answer = fieldsOf(parsedOrNone(body))
    const { error, code } = answer
    if (error !== undefined && error !== null) {
      const about = aboutOf('ton', typeof error === 'object' ? fieldsOf(error) : { code, message: error })
      if (typeof about === 'symbol') return about
    }
    if (status === 200) return readAnswer(answer)
    // An account or a method that does not exist.
    return typeof error === 'string' ? NONE : null
  }
}

/** @returns null for a value that is not an account's state; one without a contract has no code, or an empty one */
function codeOf(value: unknown, encoding: 'base64' | 'hex'): Answer<Buffer> | null {
  const { balance, code = '' } = fieldsOf(value)
  if (balance === undefined || typeof code !== 'string') return null
  return code === '' ? NONE : { found: Buffer.from(code, encoding) }
}

/** @returns null for a value that is not a method's result; the virtual machine ends well with 0 or 1 */
function stackOf(value: unknown, entryOf: (entry: unknown) => Buffer | null): Answer<Stack> | null {
  const { exit_code: exitCode, stack } = fieldsOf(value)
  if (typeof exitCode !== 'number' || !Array.isArray(stack)) return null
  return exitCode === 0 || exitCode === 1 ? { found: stack.map(entryOf) } : NONE
}

/** `["cell", {"bytes": base64, ...}]`; a slice likewise. */
function toncenterEntry(entry: unknown): Buffer | null {
  const [kind, value] = Array.isArray(entry) ? (entry as unknown[]) : []
  const { bytes } = fieldsOf(value)
  return (kind === 'cell' || kind === 'slice') && typeof bytes === 'string'
    ? Buffer.from(bytes, 'base64')
    : null
}

/** `{"type": "cell", "cell": hex}`; a slice likewise. */
function tonapiEntry(entry: unknown): Buffer | null {
  const { cell, slice } = fieldsOf(entry)
  const text = cell ?? slice
  return typeof text === 'string' ? Buffer.from(text, 'hex') : null
}
