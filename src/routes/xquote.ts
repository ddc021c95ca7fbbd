import { Type } from 'typebox'
import { get } from '../http/route.ts'
import { CrossChainQuote } from '../runtime/resources.ts'
import { type Crossings, PREFERENCES, parseCrossing } from '../swap/cross-chain.ts'
import recorded from './examples/xquote.json' with { type: 'json' }

const Input = Type.Object({
  fromChain: Type.String({ description: 'chain key or numeric provider chain id' }),
  toChain: Type.String({ description: 'chain key or numeric provider chain id' }),
  fromToken: Type.String({ default: 'native', description: 'token address or native' }),
  toToken: Type.String({ default: 'native', description: 'token address or native' }),
  amount: Type.String({
    pattern: '^\\d*\\.?\\d+$',
    maxLength: 100,
    title: 'a positive decimal such as 0.25',
    description: 'in units of the source token',
  }),
  from: Type.String({ description: 'sender on the source chain' }),
  to: Type.Optional(
    Type.String({ description: 'recipient; required when the address formats of the chains differ' }),
  ),
  slippage: Type.Optional(
    Type.Number({ minimum: 0, description: 'decimal fraction below 1; absent, the provider decides' }),
  ),
  order: Type.Optional(Type.String({ description: `one of ${PREFERENCES.join(', ')}` })),
})

/** GET /api/xquote (§4.7): a route between chains, with unsigned material that was proved. Nothing is submitted. */
export const xquote = (crossings: Crossings, deadlineMs: number) =>
  get({
    path: '/api/xquote',
    input: Input,
    budgets: ['swap'],
    priority: 'quote',
    description: {
      summary: 'Cross-chain quote with unsigned transaction material',
      text:
        'Chains by key or by numeric provider id, tokens by address or `native`. `verification.checks` lists what was proved; what is not listed is as the provider states it. ' +
        'An ERC-20 input needs `approval` first.',
      result: CrossChainQuote,
      examples: recorded.examples,
      errors: [400, 429, 502, 'default'],
      errorExamples: recorded.errors,
    },
    handle(input, exchange) {
      const request = parseCrossing(input)
      return exchange.spending('swap', () =>
        crossings.quote(request, { deadlineMs, priority: 'quote', caller: exchange.caller() }),
      )
    },
  })
