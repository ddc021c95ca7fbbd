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
import { recorded, taped } from '../runtime/tape.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import type { Environment } from './environment.ts'
import type { Sharing } from './sharing.ts'
import type { WorkerLink } from './threads/worker-link.ts'

interface RelayingOptions extends Environment {
  readonly solana: SolanaRpc
  readonly counts: Counts
  /** Null for a single instance. */
  readonly sharing: Sharing | null
  /** Null in a thread that sends and polls itself. */
  readonly link: WorkerLink | null
}

export function createRelaying(options: RelayingOptions) {
  const { config, access, clock, solana, link } = options
  const verifier = createVerifier(config.verifier, { clock })
  const methods = methodsWith(config.extraRpcMethods, config.rpcCompat)
  const names = [...methods.values()].map(({ name }) => name)
  const sending = link?.sending({ rpc: solana, clock }) ?? sendingHere(options)
  const { submissions, statuses, accounts, slots, isOurs } = sending
  const submit: typeof submissions.submit = (transaction, ...terms) =>
    recorded(clock, `submit ${transaction.signature}`, () => submissions.submit(transaction, ...terms))
  const blockhashes = taped(clock, 'blockhashes', submissions.blockhashes)
  const relay = new Relay({
    rpc: solana,
    verifier,
    methods,
    submissions: { submit, blockhashes },
    maxV1Bytes: config.maxV1TransactionBytes,
    readCacheMs: config.readCache ? config.readCacheMs : null,
    access,
    clock,
  })
  const { confirmations } = relay.reads
  const sockets =
    config.ws && access.serves('solana')
      ? new SubscriptionSockets({ path: RELAY_PATH, statuses, accounts, slots, isOurs, confirmations, clock })
      : null
  const rpcEndpoint: RpcEndpoint =
    config.rpcCompat === 'node'
      ? { compat: 'node', body: nodeRpcRequest(names), calls: new NodeCalls({ relay, methods }) }
      : { compat: 'strict', body: solanaRpcRequest(names), calls: relay }
  return {
    ...sending,
    inquiries: taped(clock, 'inquiries', sending.inquiries),
    /** Null in a thread that sends and polls through another. */
    here: sending.here,
    verifier,
    methods,
    rpcEndpoint,
    relay,
    /** Null without WebSockets, and if Solana is not served. */
    sockets,
  }
}

/** What sends transactions, follows them, and polls for subscriptions. */
function sendingHere({ config, clock, solana: rpc, counts: { funnel }, sharing }: RelayingOptions) {
  const statuses = new StatusPoller({ rpc, clock })
  const leases = sharing?.leases ?? null
  const { maxRetries } = config
  const submissions = new Submissions({ rpc, statuses, maxRetries, funnel, leases, clock })
  const inquiries = new Inquiries(submissions)
  const accounts = new AccountPoller({ rpc, clock })
  const slots = new Slots({ statuses, clock })
  const here = { statuses, submissions, inquiries, accounts, slots }
  return { ...here, isOurs: (signature: string) => inquiries.isSubmitted(signature), here }
}
