/** The nodes of one chain other than Solana: their connections, labels and health. */
import type { Call } from '../../flow/call.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { createUpstreamContext, type UpstreamContext } from '../context.ts'
import type { UpstreamState } from '../health.ts'
import { Upstream, type UpstreamOptions } from '../upstream.ts'
import { shortestWaitMs } from './fail-over.ts'

export interface NodesOptions {
  /** The nodes' URLs, in order of preference; at least one. */
  readonly urls: readonly string[]
  readonly context?: UpstreamContext
}

export abstract class ChainNodes {
  /** In order of preference. */
  protected readonly nodes: readonly Upstream[]
  readonly #chainKey: string

  constructor(
    chainKey: string,
    { urls, context = createUpstreamContext() }: NodesOptions,
    bounds: Pick<UpstreamOptions, 'maxBytes' | 'publicHosts'>,
  ) {
    this.#chainKey = chainKey
    this.nodes = urls.map(
      (url, i) => new Upstream({ label: nodeLabel(chainKey, i), url, scope: 'provider', context, ...bounds }),
    )
  }

  /** Asks each node one question; the result is in its state. */
  abstract greet(call: Call): Promise<void>

  state(): UpstreamState[] {
    return this.nodes.map((node) => node.state)
  }

  /** Closes all connections; calls in progress fail. */
  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.close()))
  }

  /** The error if no node could be called. @param whose  the nodes' name in the message */
  protected coolingDown(whose: string, nodes: readonly Upstream[] = this.nodes): GatewayError {
    const message = `${whose} nodes are cooling down after failures. Try again when retryAfterMs have passed.`
    const fields = {
      provider: this.#chainKey,
      scope: 'provider',
      retryAfterMs: shortestWaitMs(nodes),
    } as const
    return new GatewayError('upstream_unavailable', message, fields)
  }
}

/** The labels of a chain's nodes begin with its key, in the order of their URLs: `base-1`. */
export const nodeLabel = (chainKey: string, index: number): string => `${chainKey}-${index + 1}`
