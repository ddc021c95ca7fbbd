/**
 * The methods that the relay forwards. The operator may add some of `EXTRA_METHODS` to `METHODS`.
 *
 * Source: §4.9, §8
 */
import type { ExtraMethodName, MethodName, RpcCompat } from '../../runtime/resources/solrpc.ts'
import methods from '../../runtime/resources/solrpc-methods.json' with { type: 'json' }
import { compiledOnce, type Validator } from '../../runtime/validate.ts'
import { EXTRA_PARAMS, METHOD_PARAMS, type ParamsSchema } from './params.ts'
import { rebuilder } from './rebuild.ts'

interface MethodRow {
  readonly name: MethodName
  /** Compiled at its first use. */
  readonly validator: () => Validator<ParamsSchema>
  readonly budget: 'rpcRead' | 'rpcSend' | 'rpcBatch'
  /** How long the upstream's whole answer may take; each transaction of a batch has its own deadline. */
  readonly deadlineMs: number
}

interface ReadMethod extends MethodRow {
  readonly kind: 'read'
  /** @returns the upstream's params as JSON text, from validated ones */
  readonly rebuild: (params: readonly unknown[]) => string
}

/** The relay checks the transactions in its params: see `submissionParams` and `simulationParams`. */
interface TransactionMethod extends MethodRow {
  readonly kind: 'simulate' | 'send' | 'batch'
}

export type RelayMethod = ReadMethod | TransactionMethod

/** By name. */
export type Methods = ReadonlyMap<string, RelayMethod>

/** By the work that a method is for a node, ms. */
const DEADLINES_MS = {
  /** One lookup in the bank that the node has in memory. */
  lookup: 5_000,
  /** A scan, the ledger's history, or an execution. */
  work: 10_000,
  /** Preflight executes too, and a submission that timed out may still have been accepted. */
  submission: 15_000,
}

/** What each method takes. */
export const SCHEMAS: Readonly<Record<MethodName, ParamsSchema>> = { ...METHOD_PARAMS, ...EXTRA_PARAMS }

function methodOf(name: MethodName, work: keyof typeof DEADLINES_MS): RelayMethod {
  const schema = SCHEMAS[name]
  const row = { name, validator: compiledOnce(schema), deadlineMs: DEADLINES_MS[work] }
  switch (name) {
    case 'sendTransaction':
      return { ...row, kind: 'send', budget: 'rpcSend' }
    case 'sendTransactions':
      return { ...row, kind: 'batch', budget: 'rpcBatch' }
    case 'simulateTransaction':
      return { ...row, kind: 'simulate', budget: 'rpcRead' }
    default:
      return { ...row, kind: 'read', budget: 'rpcRead', rebuild: rebuilder(schema) }
  }
}

const table = (works: { readonly [Name in MethodName]?: string }): Methods =>
  new Map(
    Object.entries(works).map(([name, work]) => [
      name,
      methodOf(name as MethodName, work as keyof typeof DEADLINES_MS),
    ]),
  )

export const METHODS = table(methods.specified)
export const EXTRA_METHODS = table(methods.extra)

/** @param extra  the methods that the operator adds; with RPC_COMPAT=node, all are there */
export const methodsWith = (extra: readonly ExtraMethodName[], compat: RpcCompat = 'strict'): Methods =>
  new Map([
    ...METHODS,
    ...(compat === 'node' ? EXTRA_METHODS : extra.map((name) => [name, EXTRA_METHODS.get(name)!] as const)),
  ])
