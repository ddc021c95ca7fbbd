import { get, jsonOf } from '../../http/route.ts'
import type { AllowanceReader } from '../../research/onchain/allowances.ts'
import {
  AllowanceQuery,
  parseAllowance,
  parseTransactionId,
  TransactionQuery,
} from '../../research/onchain/request.ts'
import { Allowance, TransactionReceipt, TransactionStatus } from '../../research/onchain/shapes.ts'
import type { TransactionReader } from '../../research/onchain/transactions.ts'
import recordedAllowance from '../examples/allowance.json' with { type: 'json' }
import recordedReceipt from '../examples/receipt.json' with { type: 'json' }
import recordedStatus from '../examples/transaction-status.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/transaction-status (§4.10): the status of a transaction, and its receipt if it was submitted here. */
export const transactionStatus = (transactions: TransactionReader) =>
  get({
    path: '/api/transaction-status',
    input: TransactionQuery,
    priority: 'quote',
    description: described('getTransactionStatus', TransactionStatus, recordedStatus),
    handle: (query, exchange) => jsonOf(transactions.status(parseTransactionId(query), exchange.scope())),
  })

/** GET /api/receipt (§4.10): "you paid, you got", as a wallet shows it after a swap. */
export const receipt = (transactions: TransactionReader) =>
  get({
    path: '/api/receipt',
    input: TransactionQuery,
    priority: 'quote',
    description: described('getReceipt', TransactionReceipt, recordedReceipt),
    handle: (query, exchange) => jsonOf(transactions.receipt(parseTransactionId(query), exchange.scope())),
  })

/** GET /api/allowance (§4.10): an allowance, or the status of an approval transaction. */
export const allowance = (allowances: AllowanceReader) =>
  get({
    path: '/api/allowance',
    input: AllowanceQuery,
    priority: 'quote',
    description: described('getAllowance', Allowance, recordedAllowance),
    handle: (query, exchange) => jsonOf(allowances.read(parseAllowance(query), exchange.scope())),
  })
