import { get, jsonOf } from '../../http/route.ts'
import { type BalanceReader, WalletBalances } from '../../research/portfolio/balances.ts'
import { WalletsQuery } from '../../research/portfolio/request.ts'
import recorded from '../examples/balances.json' with { type: 'json' }
import { PORTFOLIOS } from '../groups.ts'

/** GET /api/balances (§4.10): reads what the portfolio reads, and spends the same budget. */
export const balances = (wallets: BalanceReader) =>
  get({
    path: '/api/balances',
    input: WalletsQuery,
    budgets: ['portfolio'],
    description: {
      id: 'getBalances',
      summary: 'Raw balances of public addresses, without prices',
      group: PORTFOLIOS,
      stability: 'unverified',
      text: 'One entry per chain, which says how complete it is. The same tokens are checked as for /api/portfolio. Answers are not cached, so a swap shows at once. Requests for a wallet that is already being read share that read; only reads spend the `portfolio` budget. 502 means that no chain could be read.',
      result: WalletBalances,
      examples: recorded.examples,
      errors: [400, 429, 502],
    },
    handle(query, exchange) {
      const asked = wallets.parse(query)
      const read = () => jsonOf(wallets.read(asked, exchange.scope()))
      return wallets.isShared(asked, exchange.client)
        ? exchange.peekBudget('portfolio', read)
        : exchange.withBudget('portfolio', read)
    },
  })
