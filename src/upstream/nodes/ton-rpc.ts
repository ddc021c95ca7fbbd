/**
 * The nodes of TON: what a contract's get method answers, at each of them. One
 * node's word is worth little here, because the answers decide where money
 * goes; who asks compares them.
 *
 * Two interfaces are spoken, told apart by the URL:
 *
 *   .../jsonRPC  toncenter's v2: POST runGetMethod, cells in base64
 *   any other    TonAPI's: GET {url}/blockchain/accounts/{account}/methods/{method}, cells in hex
 *
 * Source: toncenter.com/api/v2 (runGetMethod) · tonkeeper/opentonapi api/openapi.yml
 */
import { parsedOrNone } from '../../chains/json/parse.ts'
import type { CancellationScope } from '../../runtime/cancellation.ts'
import type { UpstreamRequest } from '../call.ts'
import { createUpstreamContext, type UpstreamContext } from '../context.ts'
import type { UpstreamState } from '../health.ts'
import { Upstream } from '../upstream.ts'

const MAX_REPLY_BYTES = 256 * 1024

/** Hosts that are no secret. */
const PUBLIC_HOSTS = ['toncenter.com', 'tonapi.io']

export interface TonRpcOptions {
  /** At least one; each is a node of its own, however often it is listed. */
  readonly urls: readonly string[]
  readonly context?: UpstreamContext
}

/** The stack from its bottom: bags of cells for cells and slices, null for all else. */
export type Stack = readonly (Buffer | null)[]

export class TonRpc {
  readonly #nodes: readonly { readonly upstream: Upstream; readonly isToncenter: boolean }[]

  constructor({ urls, context = createUpstreamContext() }: TonRpcOptions) {
    const distinct = [...new Set(urls.map((url) => new URL(url).href))]
    this.#nodes = distinct.map((url, i) => ({
      isToncenter: /\/jsonrpc\/?$/i.test(new URL(url).pathname),
      upstream: new Upstream({
        label: `ton-${i + 1}`,
        url,
        maxBytes: MAX_REPLY_BYTES,
        publicHosts: PUBLIC_HOSTS,
        scope: 'provider',
        context,
      }),
    }))
  }

  /**
   * What the method answers, at every node at once.
   * @param account  canonical
   * @param slices  the method's arguments, as bags of one cell
   * @returns a stack for each node that answered one; none for those that failed, or where the method did
   */
  async runEverywhere(
    account: string,
    method: string,
    slices: readonly Buffer[],
    deadlineMs: number,
    scope: CancellationScope | null = null,
  ): Promise<Stack[]> {
    const answers = await Promise.allSettled(
      this.#nodes.map(({ upstream, isToncenter }) => {
        const request = isToncenter
          ? toncenterCall(account, method, slices)
          : tonapiCall(account, method, slices)
        return upstream.ask(request, { deadlineMs, scope })
      }),
    )
    return answers.flatMap((answer) =>
      answer.status === 'fulfilled' && answer.value.stack !== null ? [answer.value.stack] : [],
    )
  }

  state(): UpstreamState[] {
    return this.#nodes.map(({ upstream }) => upstream.state)
  }

  /** Closes all connections; calls that are still under way fail. */
  async close(): Promise<void> {
    await Promise.all(this.#nodes.map(({ upstream }) => upstream.close()))
  }
}

interface Outcome {
  /** Null where the method failed, or there is none. */
  readonly stack: Stack | null
}

const FAILED: Outcome = { stack: null }

function toncenterCall(account: string, method: string, slices: readonly Buffer[]): UpstreamRequest<Outcome> {
  const stack = slices.map((slice) => ['tvm.Slice', slice.toString('base64')])
  const call = {
    jsonrpc: '2.0',
    id: '1',
    method: 'runGetMethod',
    params: { address: account, method, stack },
  }
  return {
    method: 'POST',
    path: '',
    body: JSON.stringify(call),
    resend: true,
    read: (status, body) =>
      status === 200 ? outcomeOf(fieldsOf(parsedOrNone(body)).result, toncenterEntry) : refusalOf(body),
  }
}

function tonapiCall(account: string, method: string, slices: readonly Buffer[]): UpstreamRequest<Outcome> {
  const query = slices.map((slice) => `args=${slice.toString('hex')}`).join('&')
  return {
    method: 'GET',
    path: `/blockchain/accounts/${account}/methods/${method}${query === '' ? '' : `?${query}`}`,
    body: null,
    resend: true,
    read: (status, body) => (status === 200 ? outcomeOf(parsedOrNone(body), tonapiEntry) : refusalOf(body)),
  }
}

/** What both interfaces say of an account or method that there is not. @returns null where a node says no such thing */
function refusalOf(body: Buffer): Outcome | null {
  return typeof fieldsOf(parsedOrNone(body)).error === 'string' ? FAILED : null
}

/** @returns null where it is no outcome of a method; 0 and 1 are the virtual machine's two ways to end well */
function outcomeOf(value: unknown, entryOf: (entry: unknown) => Buffer | null): Outcome | null {
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

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
