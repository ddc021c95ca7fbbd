import { get, jsonOf } from '../../http/route.ts'
import { parseTransactionId, TransactionQuery } from '../../research/onchain/request.ts'
import { TransactionReceipt } from '../../research/onchain/shapes.ts'
import type { TransactionReader } from '../../research/onchain/transactions.ts'
import recorded from '../examples/receipt.json' with { type: 'json' }
import { TRANSACTIONS } from '../groups.ts'

/** GET /api/receipt (§4.10): "you paid, you got", as a wallet shows it after a swap. */
export const receipt = (transactions: TransactionReader) =>
  get({
    path: '/api/receipt',
    input: TransactionQuery,
    priority: 'quote',
    description: {
      id: 'getReceipt',
      summary: 'Receipt: what a transaction cost and moved',
      stability: 'unverified',
      group: TRANSACTIONS,
      text: "The status, as in /api/transaction-status, and what the sender paid and received. Tokens are the sums of ERC-20 transfer logs; on Solana, the token balances before and after.\n\nA native coin that an EVM contract sends leaves no log. It is the change of the sender's balance over the block, if a node has both states and the sender sent nothing else in it. On Solana the rent of accounts that it opened counts as paid, and SOL and wrapped SOL are added up. NFTs are not listed.",
      result: TransactionReceipt,
      examples: recorded.examples,
      errors: [400, 502, 'default'],
    },
    handle: (query, exchange) => jsonOf(transactions.receipt(parseTransactionId(query), exchange.scope())),
  })
