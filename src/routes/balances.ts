import { Type } from 'typebox'
import { get } from '../http/route.ts'
import { type BalanceReader, WalletBalances } from '../research/portfolio/balances.ts'
import { BALANCES } from './examples/balances.ts'
import { WALLETS } from './portfolio.ts'

/** GET /api/balances (§4.10): it reads what the portfolio reads, and spends the portfolio's budget for it. */
export const balances = (wallets: BalanceReader) =>
  get({
    path: '/api/balances',
    input: Type.Object(WALLETS),
    budgets: ['portfolio'],
    description: {
      summary: 'Raw balances of public addresses, without prices',
      stability: 'unverified',
      text: 'Each chain is an entry of its own, and says how complete it is. What is looked for is what /api/portfolio looks for. Nothing is kept, so that a swap shows at once; who asks, there or here, while a wallet is being read shares what is read. Only what has to be read spends the `portfolio` budget. 502 means that no chain could be read.',
      result: WalletBalances,
      examples: BALANCES,
      errors: [400, 429, 502],
    },
    handle(query, exchange) {
      const asked = wallets.parse(query)
      const read = async () => Buffer.from(JSON.stringify(await wallets.read(asked, exchange.scope())))
      return wallets.isShared(asked, exchange.client)
        ? exchange.noting('portfolio', read)
        : exchange.spending('portfolio', read)
    },
  })
