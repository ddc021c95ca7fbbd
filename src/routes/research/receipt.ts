import { get, jsonOf } from '../../http/route.ts'
import { parseTransactionId, TransactionQuery } from '../../research/onchain/request.ts'
import { TransactionReceipt } from '../../research/onchain/shapes.ts'
import type { TransactionReader } from '../../research/onchain/transactions.ts'
import recorded from '../examples/receipt.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/receipt (§4.10): "you paid, you got", as a wallet shows it after a swap. */
export const receipt = (transactions: TransactionReader) =>
  get({
    path: '/api/receipt',
    input: TransactionQuery,
    priority: 'quote',
    description: described('getReceipt', TransactionReceipt, recorded),
    handle: (query, exchange) => jsonOf(transactions.receipt(parseTransactionId(query), exchange.scope())),
  })
