/**
 * The methods that the relay forwards, one row each. The operator may add some of `EXTRA_METHODS` to
 * `METHODS`.
 *
 * Source: §4.9, §8
 */
import {
  EXTRA_METHOD_NAMES,
  type ExtraMethodName,
  type MethodName,
  type RpcCompat,
} from '../../runtime/resources/solrpc.ts'
import { compiledOnce, type Validator } from '../../runtime/validate.ts'
import { EXTRA_PARAMS, METHOD_PARAMS, type ParamsSchema } from './params.ts'
import { rebuilder } from './rebuild.ts'

interface MethodRow {
  readonly name: MethodName
  /** Compiled at its first use: see `compileMethods`. */
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

/** One lookup in the bank that the node has in memory. */
const LOOKUP_MS = 5_000
/** A scan, the ledger's history, or an execution. */
const WORK_MS = 10_000
/** A submission: preflight executes too, and a submission that timed out may still have been accepted. */
const SUBMIT_MS = 15_000

const SCHEMAS: Readonly<Record<MethodName, ParamsSchema>> = { ...METHOD_PARAMS, ...EXTRA_PARAMS }

const row = <Kind extends RelayMethod['kind']>(
  name: MethodName,
  kind: Kind,
  budget: MethodRow['budget'],
  deadlineMs: number,
) => ({
  name,
  kind,
  validator: compiledOnce(SCHEMAS[name]),
  budget,
  deadlineMs,
})

const read = (name: MethodName, deadlineMs: number): ReadMethod => ({
  ...row(name, 'read', 'rpcRead', deadlineMs),
  rebuild: rebuilder(SCHEMAS[name]),
})

const table = (rows: readonly RelayMethod[]): Methods => new Map(rows.map((method) => [method.name, method]))

export const METHODS = table([
  read('getBalance', LOOKUP_MS),
  read('getTokenAccountsByOwner', WORK_MS),
  read('getLatestBlockhash', LOOKUP_MS),
  read('getSignatureStatuses', WORK_MS),
  read('getAccountInfo', LOOKUP_MS),
  read('getMultipleAccounts', WORK_MS),
  read('getTokenAccountBalance', LOOKUP_MS),
  row('sendTransaction', 'send', 'rpcSend', SUBMIT_MS),
  row('sendTransactions', 'batch', 'rpcBatch', SUBMIT_MS),
  row('simulateTransaction', 'simulate', 'rpcRead', WORK_MS),
  read('getTransaction', WORK_MS),
  read('getBlockHeight', LOOKUP_MS),
  read('getSlot', LOOKUP_MS),
  read('getRecentPrioritizationFees', LOOKUP_MS),
])

export const EXTRA_METHODS = table(
  EXTRA_METHOD_NAMES.map((name) => read(name, name === 'getSignaturesForAddress' ? WORK_MS : LOOKUP_MS)),
)

/** @param extra  the methods that the operator adds; with RPC_COMPAT=node, all are there */
export const methodsWith = (extra: readonly ExtraMethodName[], compat: RpcCompat = 'strict'): Methods =>
  table([
    ...METHODS.values(),
    ...(compat === 'node' ? EXTRA_METHODS.values() : extra.map((name) => EXTRA_METHODS.get(name)!)),
  ])

/** Compiles every validator. Called after the service listens, so that its start does not wait. */
export function compileMethods(methods: Methods): void {
  for (const method of methods.values()) method.validator()
}
