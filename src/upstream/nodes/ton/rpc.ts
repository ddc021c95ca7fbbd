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
import { createUpstreamContext, type UpstreamContext } from '../../context.ts'
import type { UpstreamState } from '../../health.ts'
import type { UpstreamRequest } from '../../request.ts'
import { Upstream } from '../../upstream.ts'
import { aboutOf } from '../node-errors.ts'
import { onePerHost } from '../voters.ts'

const MAX_REPLY_BYTES = 256 * 1024
/** An account that exists. */
const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'

/** Hosts that need not be kept secret. */
const PUBLIC_HOSTS = ['toncenter.com', 'tonapi.io']

/** toncenter's limit without a key: a request a second, with some tolerance for clocks and networks. */
const KEYLESS_MS = 1_050

interface TonRpcOptions {
  /** At least one. A URL is one node, however often it is listed, and only the first node of a host is asked. */
  readonly urls: readonly string[]
  readonly context?: UpstreamContext
}

/** The stack from its bottom: a bag of cells for each cell or slice, null for any other entry. */
export type Stack = readonly (Buffer | null)[]

export class TonRpc {
  readonly #nodes: readonly Upstream[]
  readonly #toncenters: ReadonlySet<Upstream>
  /** The nodes that are called: nodes at one host are one party. */
  readonly #voters: readonly Upstream[]
  readonly #clock: Clock
  /** When a node without a key may be called next; monotonic, ms. */
  readonly #turns = new Map<Upstream, number>()

  constructor({ urls, context = createUpstreamContext() }: TonRpcOptions) {
    const distinct = [...new Set(urls.map((url) => new URL(url).href))]
    this.#nodes = distinct.map((url, i) => {
      const [label, scope] = [`ton-${i + 1}`, 'provider'] as const
      const options = { label, url, scope, maxBytes: MAX_REPLY_BYTES, publicHosts: PUBLIC_HOSTS, context }
      return new Upstream(options)
    })
    const isToncenter = (_: Upstream, i: number) => /\/jsonrpc\/?$/i.test(new URL(distinct[i]!).pathname)
    this.#toncenters = new Set(this.#nodes.filter(isToncenter))
    this.#voters = onePerHost(this.#nodes)
    this.#clock = context.clock
    for (const [i, node] of this.#nodes.entries()) {
      const { hostname, searchParams } = new URL(distinct[i]!)
      const isLimited = hostname === 'toncenter.com' || context.limitsAsPublic
      const isKeyless = isLimited && this.#toncenters.has(node) && !searchParams.has('api_key')
      if (isKeyless) this.#turns.set(node, Number.NEGATIVE_INFINITY)
    }
  }

  /**
   * Runs a method at every node at once.
   * @param account  canonical
   * @param slices  the method's arguments, as bags of one cell
   * @returns one stack for each node that answered one; none for nodes that failed, or if the method failed
   */
  async runEverywhere(
    account: string,
    method: string,
    slices: readonly Buffer[],
    call: Call,
  ): Promise<Stack[]> {
    const answers = await this.#askEverywhere(
      (isToncenter) =>
        isToncenter ? toncenterCall(account, method, slices) : tonapiCall(account, method, slices),
      call,
    )
    return answers.flatMap(({ stack }) => (stack === null ? [] : [stack]))
  }

  /**
   * Reads a contract's code at every node at once.
   * @param account  canonical
   * @returns one bag of cells for each node that answered one; none for nodes that failed, or without a contract
   */
  async codeEverywhere(account: string, call: Call): Promise<Buffer[]> {
    const answers = await this.#askEverywhere(
      (isToncenter) => (isToncenter ? toncenterAccount(account) : tonapiAccount(account)),
      call,
    )
    return answers.flatMap(({ code }) => (code === null ? [] : [code]))
  }

  /** @returns the answers of the nodes that did not fail */
  async #askEverywhere<T>(
    requestFor: (isToncenter: boolean) => UpstreamRequest<T>,
    call: Call,
  ): Promise<T[]> {
    const answers = await Promise.allSettled(
      this.#voters.map(async (node) => {
        const request = requestFor(this.#toncenters.has(node))
        await this.#turnOf(node, call)
        return node.ask(request, call)
      }),
    )
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  }

  /** Asks each node one question; the result is in its state. */
  async greet(call: Call): Promise<void> {
    await Promise.allSettled(
      this.#nodes.map((node) => {
        const isToncenter = this.#toncenters.has(node)
        return node.ask(isToncenter ? toncenterAccount(USDT) : tonapiAccount(USDT), call)
      }),
    )
  }

  /**
   * Waits for the node's next turn: after a 429, a build would be refused for lack of a second vote.
   * @throws GatewayError  upstream_rate_limited, if that is beyond the deadline
   */
  async #turnOf(node: Upstream, call: Call): Promise<void> {
    const turn = this.#turns.get(node)
    if (turn === undefined) return
    const now = this.#clock.now()
    const waitMs = Math.max(0, turn - now)
    if (waitMs >= call.leftMs) {
      const message = 'The TON node takes a request a second without a key, and others wait. Try again later.'
      const fields = { provider: node.label, scope: 'provider', retryAfterMs: Math.ceil(waitMs) } as const
      throw new GatewayError('upstream_rate_limited', message, fields)
    }
    this.#turns.set(node, now + waitMs + KEYLESS_MS)
    if (waitMs > 0) await sleep(this.#clock, waitMs)
  }

  state(): UpstreamState[] {
    return this.#nodes.map((node) => node.state)
  }

  /** Closes all connections; calls in progress fail. */
  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()))
  }
}

interface MethodOutcome {
  /** Null if the method failed or does not exist. */
  readonly stack: Stack | null
}

const FAILED: MethodOutcome = { stack: null }

interface AccountState {
  /** A bag of cells; null if there is no contract. */
  readonly code: Buffer | null
}

const NO_CONTRACT: AccountState = { code: null }

function toncenterCall(
  account: string,
  method: string,
  slices: readonly Buffer[],
): UpstreamRequest<MethodOutcome> {
  const stack = slices.map((slice) => ['tvm.Slice', slice.toString('base64')])
  return toncenterRequest('runGetMethod', { address: account, method, stack }, FAILED, (result) =>
    outcomeOf(result, toncenterEntry),
  )
}

function toncenterAccount(account: string): UpstreamRequest<AccountState> {
  return toncenterRequest('getAddressInformation', { address: account }, NO_CONTRACT, (result) =>
    stateOf(result, 'base64'),
  )
}

function toncenterRequest<T>(
  method: string,
  params: object,
  none: T,
  readAnswer: (result: unknown) => T | null,
): UpstreamRequest<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: '1', method, params })
  return {
    method: 'POST',
    path: '',
    body,
    resend: true,
    read: reader(none, ({ result }) => readAnswer(result)),
  }
}

function tonapiCall(
  account: string,
  method: string,
  slices: readonly Buffer[],
): UpstreamRequest<MethodOutcome> {
  const query = slices.map((slice) => `args=${slice.toString('hex')}`).join('&')
  const path = `${account}/methods/${method}${query === '' ? '' : `?${query}`}`
  return tonapiRequest(path, FAILED, (answer) => outcomeOf(answer, tonapiEntry))
}

const tonapiAccount = (account: string): UpstreamRequest<AccountState> =>
  tonapiRequest(account, NO_CONTRACT, (answer) => stateOf(answer, 'hex'))

function tonapiRequest<T>(
  path: string,
  none: T,
  readAnswer: (answer: Fields) => T | null,
): UpstreamRequest<T> {
  return {
    method: 'GET',
    path: `/blockchain/accounts/${path}`,
    body: null,
    resend: true,
    read: reader(none, readAnswer),
  }
}

/**
 * Reads the answers of both interfaces. They have an error's text in `error`, and toncenter its code next to it; proxies
 * have an object there.
 * @param none  for an account or method that does not exist
 */
function reader<T>(none: T, readAnswer: (answer: Fields) => T | null): UpstreamRequest<T>['read'] {
  return (status, body) => {
    const answer = fieldsOf(parsedOrNone(body))
    const { error, code } = answer
    if (error !== undefined && error !== null) {
      const about = aboutOf('ton', typeof error === 'object' ? fieldsOf(error) : { code, message: error })
      if (typeof about === 'symbol') return about
    }
    if (status === 200) return readAnswer(answer)
    return typeof error === 'string' ? none : null
  }
}

/** @returns null for a value that is not an account's state; one without a contract has no code, or an empty one */
function stateOf(value: unknown, encoding: 'base64' | 'hex'): AccountState | null {
  const { balance, code = '' } = fieldsOf(value)
  if (balance === undefined || typeof code !== 'string') return null
  return code === '' ? NO_CONTRACT : { code: Buffer.from(code, encoding) }
}

/** @returns null for a value that is not a method's result; the virtual machine ends well with 0 or 1 */
function outcomeOf(value: unknown, entryOf: (entry: unknown) => Buffer | null): MethodOutcome | null {
  const { exit_code: exitCode, stack } = fieldsOf(value)
  if (typeof exitCode !== 'number' || !Array.isArray(stack)) return null
  return exitCode === 0 || exitCode === 1 ? { stack: stack.map(entryOf) } : FAILED
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
