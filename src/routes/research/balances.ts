import { get, jsonOf } from '../../http/route.ts'
import { type BalanceReader, WalletBalances } from '../../research/portfolio/balances.ts'
import { WalletsQuery } from '../../research/portfolio/request.ts'
import recorded from '../examples/balances.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/balances (§4.10): reads what the portfolio reads, and spends the same budget. */
export const balances = (wallets: BalanceReader) =>
  get({
    path: '/api/balances',
    input: WalletsQuery,
    budgets: ['portfolio'],
    description: described('getBalances', WalletBalances, recorded),
    handle(query, exchange) {
      const asked = wallets.parse(query)
      const read = () => jsonOf(wallets.read(asked, exchange.scope()))
      return wallets.isShared(asked, exchange.client)
        ? exchange.peekBudget('portfolio', read)
        : exchange.withBudget('portfolio', read)
    },
  })
