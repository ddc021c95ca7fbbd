/**
 * The methods that the relay takes: one row each, and no other is forwarded.
 *
 * Source: §4.9, §8
 */
import type { MethodName } from '../resources.ts'
import { compile, type Validator } from '../validate.ts'
import { PARAMS, type ParamsSchema } from './params.ts'
import { rebuilder } from './rebuild.ts'

interface Row {
  readonly name: MethodName
  readonly schema: ParamsSchema
  /** The validator, compiled at its first use: see `compileMethods`. */
  readonly validator: () => Validator<ParamsSchema>
  readonly budget: 'rpcRead' | 'rpcSend' | 'rpcBatch'
  /** How long the upstream's whole answer may take; each transaction of a batch has its own deadline. */
  readonly deadlineMs: number
}

export interface ReadMethod extends Row {
  readonly kind: 'read'
  /** @returns the upstream's params as JSON text, from validated ones */
  readonly rebuild: (params: readonly unknown[]) => string
}

/** Its params hold transactions, which the relay checks: see `submissionParams` and `simulationParams`. */
export interface TransactionMethod extends Row {
  readonly kind: 'simulate' | 'send' | 'batch'
}

export type Method = ReadMethod | TransactionMethod

/** For one lookup in the bank that the node has at hand. */
const LOOKUP_MS = 5_000
/** For a scan, the ledger's history, or an execution. */
const WORK_MS = 10_000
/** For a submission: preflight executes too, and one that was given up may still have been accepted. */
const SUBMIT_MS = 15_000

function compiledOnce(schema: ParamsSchema): () => Validator<ParamsSchema> {
  let validator: Validator<ParamsSchema> | null = null
  return () => (validator ??= compile(schema))
}

const row = <Kind extends Method['kind']>(
  name: MethodName,
  kind: Kind,
  budget: Row['budget'],
  deadlineMs: number,
) => ({
  name,
  kind,
  schema: PARAMS[name],
  validator: compiledOnce(PARAMS[name]),
  budget,
  deadlineMs,
})

const read = (name: MethodName, deadlineMs: number): ReadMethod => ({
  ...row(name, 'read', 'rpcRead', deadlineMs),
  rebuild: rebuilder(PARAMS[name]),
})

const ROWS: readonly Method[] = [
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
]

export const METHODS: ReadonlyMap<string, Method> = new Map(ROWS.map((method) => [method.name, method]))

/**
 * Compiles every validator: for the moment after the service has begun to
 * listen, so that the start does not wait.
 */
export function compileMethods(): void {
  for (const method of ROWS) method.validator()
}
