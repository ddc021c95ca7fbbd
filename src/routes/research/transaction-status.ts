import { get, jsonOf } from '../../http/route.ts'
import { parseTransactionId, TransactionQuery } from '../../research/onchain/request.ts'
import { TransactionStatus } from '../../research/onchain/shapes.ts'
import type { TransactionReader } from '../../research/onchain/transactions.ts'
import recorded from '../examples/transaction-status.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/transaction-status (§4.10): the status of a transaction, and its receipt if it was submitted here. */
export const transactionStatus = (transactions: TransactionReader) =>
  get({
    path: '/api/transaction-status',
    input: TransactionQuery,
    priority: 'quote',
    description: described('getTransactionStatus', TransactionStatus, recorded),
    handle: (query, exchange) => jsonOf(transactions.status(parseTransactionId(query), exchange.scope())),
  })
