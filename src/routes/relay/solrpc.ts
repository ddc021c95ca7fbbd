import { type TSchema, Type } from 'typebox'
import { base64Characters } from '../../chains/solana/encoding.ts'
import { MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'
import { post } from '../../http/route.ts'
import type { RelayCall } from '../../relay/calls.ts'
import { refusalOfBody } from '../../relay/methods/bodies.ts'
import { SCHEMAS } from '../../relay/methods/methods.ts'
import type { NodeCalls } from '../../relay/node-calls.ts'
import type { Relay } from '../../relay/relay.ts'
import { MAX_BATCH } from '../../relay/submissions/submission.ts'
import {
  type MethodName,
  type nodeRpcCall,
  type nodeRpcRequest,
  SolanaRpcResponse,
  type solanaRpcRequest,
} from '../../runtime/resources/solrpc.ts'
import recorded from '../examples/operations.json' with { type: 'json' }
import { described } from '../groups.ts'
import compatTexts from './compat-texts.json' with { type: 'json' }

// 256 signatures of 88 characters are 23 KiB, ten transactions in base58 17 KiB;
// a node's own bound is 50 KiB (agave MAX_REQUEST_BODY_SIZE).
const MAX_BODY_BYTES = 51_200

/** @returns the most bytes of a body: with room for ten transactions of version 1 */
export function maxBodyBytes(maxV1Bytes: number): number {
  const more = base64Characters(maxV1Bytes) - base64Characters(MAX_TRANSACTION_BYTES)
  return MAX_BODY_BYTES + MAX_BATCH * more
}

/**
 * Below any body with a transaction: 134 bytes with one signer and no instruction, 180 characters in either encoding,
 * in a call without an id.
 */
const LEAST_SUBMISSION_BYTES = 220

export const RELAY_PATH = '/api/solrpc'

/** What the endpoint accepts, and what answers it: by the specification, or as RPC_COMPAT=node does. */
export type RpcEndpoint =
  | {
      readonly compat: 'strict'
      readonly body: ReturnType<typeof solanaRpcRequest>
      readonly calls: Pick<Relay, 'read' | 'handle'>
    }
  | {
      readonly compat: 'node'
      readonly body: ReturnType<typeof nodeRpcRequest>
      readonly calls: Pick<NodeCalls, 'read' | 'handle'>
    }

const DESCRIBED = described('callSolana', SolanaRpcResponse, recorded.solrpc)
const OneOrMore = Type.Union([SolanaRpcResponse, Type.Array(SolanaRpcResponse)])

/** A body for each method that is relayed, with the schema that checks its params. */
const requestsOf = ({ properties }: ReturnType<typeof solanaRpcRequest | typeof nodeRpcCall>) => {
  const relayed: readonly string[] = properties.method.enum
  const requests = Object.entries(recorded.solrpc.requests).filter(([name]) => relayed.includes(name))
  return Object.fromEntries(
    requests.map(([name, request]) => [name, { ...request, params: SCHEMAS[name as MethodName] }]),
  )
}

/** POST /api/solrpc (§4.9): allowlisted reads and simulations, and signed transactions. */
export const solrpc = ({ compat, body, calls }: RpcEndpoint, maxV1Bytes: number) =>
  post({
    path: RELAY_PATH,
    body: body as TSchema,
    maxBytes: maxBodyBytes(maxV1Bytes),
    budgets: ['rpcRead', 'rpcSend', 'rpcBatch'],
    priority: {
      leastBuildBytes: LEAST_SUBMISSION_BYTES,
      // A method name spelled with a JSON escape is shed like a read.
      ofBytes: (bytes) => (bytes.includes('"sendTransaction') ? 'build' : 'quote'),
      // An array, which has no method, holds reads.
      of: (call) => ((call as Partial<RelayCall>).method?.startsWith('sendTransaction') ? 'build' : 'quote'),
    },
    description: {
      ...DESCRIBED,
      text: DESCRIBED.text + compatTexts[compat],
      ...(compat === 'node' && { result: OneOrMore }),
      requests: requestsOf(compat === 'node' ? body.anyOf[0] : body),
    },
    refusalOf: (refusal, refused) => refusalOfBody(compat, refusal, refused),
    read: (bytes, checked) => calls.read(bytes, checked as () => never),
    handle: (call, exchange) => calls.handle(call as never, exchange),
  })
