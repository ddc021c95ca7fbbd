import { get } from '../../http/route.ts'
import { type Portfolios, Unpaid } from '../../research/portfolio/portfolio.ts'
import { PortfolioQuery } from '../../research/portfolio/request.ts'
import { Portfolio } from '../../runtime/resources/portfolio.ts'
import recorded from '../examples/portfolio.json' with { type: 'json' }
import { described } from '../groups.ts'

/** GET /api/portfolio (§4.4): only uncached holdings are read and spend the budget. */
export const portfolio = (portfolios: Portfolios) =>
  get({
    path: '/api/portfolio',
    input: PortfolioQuery,
    budgets: ['portfolio'],
    description: described('getPortfolio', Portfolio, recorded),
    async handle(query, exchange) {
      const request = portfolios.parse(query)
      const scope = exchange.scope()
      const pay = () => exchange.withBudget('portfolio', () => true)
      try {
        return await portfolios.read(request, scope, pay)
      } catch (error) {
        if (!(error instanceof Unpaid)) throw error
        if (exchange.refusal !== null) return null
        // Another request by this client was refused: this one pays for itself, or is refused for itself.
        return await exchange.withBudget('portfolio', () => portfolios.read(request, scope))
      } finally {
        const isFree = !exchange.isPaid && exchange.refusal === null
        if (isFree) await exchange.peekBudget('portfolio', () => {})
      }
    },
  })
