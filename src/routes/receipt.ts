import { get } from '../http/route.ts'
import { parseTransaction } from '../research/onchain/request.ts'
import { TransactionReceipt } from '../research/onchain/shapes.ts'
import type { TransactionReader } from '../research/onchain/transactions.ts'
import { RECEIPTS } from './examples/onchain.ts'
import { ONE_TRANSACTION, TransactionInput } from './transaction-status.ts'

/** GET /api/receipt (§4.10): what a wallet shows after a swap, "you paid, you got". */
export const receipt = (transactions: TransactionReader) =>
  get({
    path: '/api/receipt',
    input: TransactionInput,
    budgets: [],
    priority: 'quote',
    description: {
      summary: 'What a transaction cost and moved',
      stability: 'unverified',
      group: ONE_TRANSACTION,
      text: "Where it stands, as /api/transaction-status says it, with what its sender paid and got. Tokens are summed up by the logs of ERC-20 transfers, and on Solana by the token balances before and after. The native coin that an EVM contract sends leaves no log: it is the difference of the sender's balance over the block, where a node has both states and the sender sent nothing else in it. On Solana the rent of accounts that it opened counts as paid, and SOL and wrapped SOL are one. NFTs are not listed.",
      result: TransactionReceipt,
      examples: RECEIPTS,
      errors: [400, 502, 'default'],
    },
    async handle(query, exchange) {
      const id = parseTransaction(query)
      return Buffer.from(JSON.stringify(await transactions.receipt(id, exchange.scope())))
    },
  })
