import type { TSchema } from 'typebox'
import type { Access } from '../../chains/access.ts'
import type { DescriptorFolder } from '../../explain/evm/descriptor-folder.ts'
import { Call } from '../../flow/call.ts'
import { ThreadWork } from '../../http/overload/thread-work.ts'
import { post } from '../../http/route.ts'
import type { SimulatingNodes } from '../../proof/simulation/simulate.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Deadlines } from '../../swap/deadlines.ts'
import recorded from '../examples/explain.json' with { type: 'json' }
import { described } from '../groups.ts'
import request from './explain-request.json' with { type: 'json' }
import result from './explain-result.json' with { type: 'json' }

export const EXPLAIN_PATH = '/api/explain'

/** The longest calldata, in hex, with room for the rest. */
const MAX_BODY_BYTES = 131_072

/**
 * Of a call and of messages the explainer itself judges the members, so that the answer, not a 400, says what is
 * wrong: a wallet can show it. The bounds are those of explain/request.ts.
 */
const Input = request as TSchema

export interface ExplainRouteOptions {
  readonly nodes: SimulatingNodes
  readonly access: Access
  readonly clock: Clock
  readonly descriptors: DescriptorFolder
  readonly deadlines: Deadlines
}

/** POST /api/explain: what any transaction or signature request does. */
export const explain = ({ nodes, access, clock, descriptors, deadlines }: ExplainRouteOptions) => {
  // Nobody waits for this code at the start.
  const load = async () => {
    const [{ explain }, { nodeSources }] = await Promise.all([
      import('../../explain/explain.ts'),
      import('../../explain/node.ts'),
    ])
    return { explain, nodeSources }
  }
  let loaded: ReturnType<typeof load> | null = null
  return post({
    path: EXPLAIN_PATH,
    body: Input,
    maxBytes: MAX_BODY_BYTES,
    budgets: ['explain'],
    description: described('getExplanation', result, recorded),
    handle(body, exchange) {
      return exchange.withBudget('explain', async () => {
        const { explain, nodeSources } = await (loaded ??= load())
        const describe = await descriptors.current()
        const call = Call.of(clock, 'research', deadlines.explainMs, exchange.scope())
        const sources = nodeSources(nodes, access, call)
        const work = new ThreadWork(clock, exchange)
        try {
          const explanation = await explain(body as never, {
            ...sources,
            describe,
            date: clock.date,
            turn: work.turn,
            tables: (names) => work.outside(() => sources.tables(names)),
            execute: (...asked) => work.outside(() => sources.execute(...asked)),
          })
          return Buffer.from(JSON.stringify(explanation))
        } finally {
          work.end()
        }
      })
    },
  })
}
