/** Notes each swap that was sent among those of this browser. */
import { note } from '../../../data/activity.ts'
import { brief, sidesOf } from '../order.ts'
import { attempts } from './attempt.ts'
import { tradeOf } from './trade.ts'

attempts.watch(() => {
  const attempt = attempts.value
  const step = attempt?.steps.at(-1)
  if (attempt == null || step?.title !== 'Swap' || step.id === null) return
  const { quote, built, other, token, order, phase } = attempt
  const { spent, got } = sidesOf(quote, other, token)
  const { id, at, state } = step
  const swapped = {
    ...{ id, at, state, chain: order.chain, trade: null },
    paid: brief(quote.amountIn, spent),
    got: brief(built?.expectedOut ?? quote.expectedOut, got),
  }
  note(swapped)
  if (phase === 'done' && built !== null) void tradeOf(attempt).then((trade) => note({ ...swapped, trade }))
})
