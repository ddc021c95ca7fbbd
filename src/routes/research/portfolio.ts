import { Type } from 'typebox'
import { get } from '../../http/route.ts'
import { type Portfolios, Unpaid } from '../../research/portfolio/portfolio.ts'
import { Portfolio } from '../../runtime/resources/portfolio.ts'
import recorded from '../examples/portfolio.json' with { type: 'json' }
import { PORTFOLIOS } from '../groups.ts'

/** Whose holdings, and where. */
export const WALLETS = {
  address: Type.Optional(
    Type.String({
      pattern: '^0x[0-9a-fA-F]{40}$',
      title: 'an EVM address: 0x and 40 hex digits',
      description: 'public EVM address, in any letter case; required without `sol`',
    }),
  ),
  sol: Type.Optional(
    Type.String({
      minLength: 32,
      maxLength: 44,
      title: 'a Solana address, which has 32 to 44 characters',
      description: 'public Solana address; required without `address`',
    }),
  ),
  chains: Type.Optional(
    Type.String({
      maxLength: 512,
      'x-separator': ',',
      description:
        'comma-separated EVM chain keys to read `address` on; default: the chains that have tokens in the list',
    }),
  ),
}
const Input = Type.Object({
  ...WALLETS,
  dust: Type.Number({
    minimum: 0,
    default: 0.01,
    title: 'a number of at least 0, such as 0.01',
    description: 'in dollars: unlisted holdings that are worth less are counted but not shown',
  }),
})

/** GET /api/portfolio (§4.4): only uncached holdings are read and spend the budget. */
export const portfolio = (portfolios: Portfolios) =>
  get({
    path: '/api/portfolio',
    input: Input,
    budgets: ['portfolio'],
    description: {
      id: 'getPortfolio',
      summary: 'Holdings of public addresses',
      group: PORTFOLIOS,
      text: 'One entry per chain, which says how complete it is. On EVM chains the gateway checks the native coin, the tokens of the list and some thousand other known tokens; on Solana it lists everything that a wallet holds. Pool shares, staked tokens and lent tokens are not covered.\n\nTotals are the sums of the entries, and include what `dust` hides. Requests for the same wallets and chains share one read for 30 seconds, or 5 if something was missing, and then spend no budget. 502 means that no chain could be read.',
      result: Portfolio,
      examples: recorded.examples,
      errors: [400, 429, 502],
      errorExamples: recorded.errors,
    },
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
