/** The Solana relay, put together: what checks, submits, reads and follows transactions. */

import { createVerifier } from '../chains/solana/signatures/verify.ts'
import type { Counts } from '../http/counts/counts.ts'
import { methodsWith } from '../relay/methods/methods.ts'
import { NodeCalls } from '../relay/node-calls.ts'
import { AccountPoller } from '../relay/reads/accounts.ts'
import { Slots } from '../relay/reads/slots.ts'
import { StatusPoller } from '../relay/reads/statuses.ts'
import { Relay } from '../relay/relay.ts'
import { Inquiries } from '../relay/submissions/inquiries.ts'
import { Submissions } from '../relay/submissions/submissions.ts'
import { SubscriptionSockets } from '../relay/subscriptions/sockets.ts'
import { RELAY_PATH, type RpcEndpoint } from '../routes/relay/solrpc.ts'
import { nodeRpcRequest, solanaRpcRequest } from '../runtime/resources/solrpc.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import type { Environment } from './environment.ts'
import type { Sharing } from './sharing.ts'

interface RelayingOptions extends Environment {
  readonly solana: SolanaRpc
  readonly counts: Counts
  /** Null for a single instance. */
  readonly sharing: Sharing | null
}

export function createRelaying(options: RelayingOptions) {
  const { config, access, clock, solana, counts, sharing } = options
  const verifier = createVerifier(config.verifier, { clock })
  const methods = methodsWith(config.extraRpcMethods, config.rpcCompat)
  const names = [...methods.values()].map(({ name }) => name)
  const statuses = new StatusPoller({ rpc: solana, clock })
  const submissions = new Submissions({
    rpc: solana,
    statuses,
    maxRetries: config.maxRetries,
    funnel: counts.funnel,
    leases: sharing?.leases ?? null,
    clock,
  })
  const readCacheMs = config.readCache ? config.readCacheMs : null
  const relay = new Relay({
    rpc: solana,
    verifier,
    methods,
    submissions,
    maxV1Bytes: config.maxV1TransactionBytes,
    readCacheMs,
    access,
    clock,
  })
  const accounts = new AccountPoller({ rpc: solana, clock })
  const sockets =
    config.ws && access.serves('solana')
      ? new SubscriptionSockets({
          path: RELAY_PATH,
          statuses,
          accounts,
          slots: new Slots({ statuses, clock }),
          receipts: submissions.receipts,
          confirmations: relay.reads.confirmations,
          clock,
        })
      : null
  const rpcEndpoint: RpcEndpoint =
    config.rpcCompat === 'node'
      ? { compat: 'node', body: nodeRpcRequest(names), calls: new NodeCalls({ relay, methods }) }
      : { compat: 'strict', body: solanaRpcRequest(names), calls: relay }
  return {
    verifier,
    methods,
    rpcEndpoint,
    statuses,
    accounts,
    submissions,
    inquiries: new Inquiries({ rpc: solana, submissions }),
    relay,
    /** Null without WebSockets, and if Solana is not served. */
    sockets,
  }
}
