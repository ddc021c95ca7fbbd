import { type Static, Type } from 'typebox'
import { nullable, OPEN } from './shared.ts'
import methods from './solrpc-methods.json' with { type: 'json' }
import texts from './texts.json' with { type: 'json' }

const { solrpc: text } = texts

/**
 * The methods of `POST /api/solrpc`, in the specification's order: solrpc-methods.json, with the work that each is for
 * a node. `relay/methods/params.ts` has their parameters.
 */
type SpecifiedName = keyof typeof methods.specified
export const METHOD_NAMES = Object.keys(methods.specified) as readonly SpecifiedName[]

/** Reads that are relayed only with RPC_COMPAT=node, or if the operator lists them in EXTRA_RPC_METHODS. */
export type ExtraMethodName = keyof typeof methods.extra
export const EXTRA_METHOD_NAMES = Object.keys(methods.extra) as readonly ExtraMethodName[]

export type MethodName = SpecifiedName | ExtraMethodName

/** @param methods  the methods that are relayed */
export const solanaRpcRequest = (methods: readonly MethodName[]) =>
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0', { description: 'the version of JSON-RPC' }),
      id: Type.Optional(Type.Unknown({ description: 'returned exactly as it was sent' })),
      method: Type.Enum([...methods], { description: text.method, 'x-unlisted': 'method_not_allowed' }),
      params: Type.Array(Type.Unknown(), { description: "the method's parameters, as a node takes them" }),
    },
    { additionalProperties: false },
  )

/** What the relay's endpoint accepts: as the specification says, or as a node does. */
export const RPC_COMPATS = ['strict', 'node'] as const

export type RpcCompat = (typeof RPC_COMPATS)[number]

/** The most calls of an array. */
export const MAX_ARRAY_CALLS = 10

/** A call as a node takes it. @param methods  the methods that are relayed */
export const nodeRpcCall = (methods: readonly MethodName[]) =>
  Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Optional(Type.Unknown({ description: text.id })),
      method: Type.Enum([...methods], { 'x-unlisted': 'method_not_allowed' }),
      params: Type.Optional(nullable(Type.Array(Type.Unknown()), { description: 'absent: []' })),
    },
    { additionalProperties: false },
  )

export type NodeRpcCall = Static<ReturnType<typeof nodeRpcCall>>

/** The body with RPC_COMPAT=node. @param methods  the methods that are relayed */
export const nodeRpcRequest = (methods: readonly MethodName[]) =>
  Type.Union([
    nodeRpcCall(methods),
    Type.Array(Type.Unknown(), { description: text.nodeRpcRequest, minItems: 1, maxItems: MAX_ARRAY_CALLS }),
  ])

export type NodeRpcRequest = Static<ReturnType<typeof nodeRpcRequest>>

export const SolanaRpcRequest = solanaRpcRequest(METHOD_NAMES)

export type SolanaRpcRequest = Static<ReturnType<typeof solanaRpcRequest>>

export const SolanaRpcResponse = Type.Object(
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Type.Unknown()),
    result: Type.Optional(Type.Unknown()),
    error: Type.Optional(Type.Unknown()),
  },
  OPEN,
)
