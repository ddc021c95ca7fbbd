import { Type } from 'typebox'
import type { Access } from '../../chains/access.ts'
import type { DescriptorFolder } from '../../explain/evm/descriptor-folder.ts'
import { MAX_ABI, MAX_NAME, MAX_RECENT, MAX_SIGNATURE, MAX_TEXT } from '../../explain/request.ts'
import { ThreadWork } from '../../http/overload/thread-work.ts'
import { post } from '../../http/route.ts'
import type { SimulatingNodes } from '../../proof/simulation/simulate.ts'
import type { Clock } from '../../runtime/clock.ts'
import { string } from '../../runtime/resources/shared.ts'
import recorded from '../examples/explain.json' with { type: 'json' }
import { described } from '../groups.ts'
import judged from './explain-judged.json' with { type: 'json' }

export const EXPLAIN_PATH = '/api/explain'

/** The longest calldata, in hex, with room for the rest. */
const MAX_BODY_BYTES = 131_072

const text = (description: string, maxLength = MAX_NAME) => Type.String({ description, maxLength })
const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
/**
 * Judged by the explainer itself, so that the answer, not a 400, says what is wrong: a wallet can show it.
 */
const judgedBy = (texts: Readonly<Record<string, string>>, options = {}) =>
  Type.Object(
    Object.fromEntries(
      Object.entries(texts).map(([name, description]) => [
        name,
        Type.Optional(Type.Unknown({ description })),
      ]),
    ),
    options,
  )

const Call = judgedBy(judged.call, {
  description: 'EVM: a call that is not serialized, as eth_sendTransaction or wallet_sendCalls takes it',
})

const Messages = Type.Union([Type.Array(judgedBy(judged.message)), judgedBy(judged.request)], {
  description: 'as TON Connect has them, or the whole of what its sendTransaction takes',
})

const Input = Type.Object(
  {
    chain: text('chain key', 64),
    transaction: Type.Optional(
      text('Solana, Sui: base64. EVM: serialized, 0x hex. TON: a body to the wallet, base64 BOC', MAX_TEXT),
    ),
    call: Type.Optional(Call),
    typedData: Type.Optional(Type.Object({}, { description: 'EIP-712, as eth_signTypedData_v4 takes it' })),
    messages: Type.Optional(Messages),
    owner: Type.Optional(text('the wallet that is to sign')),
    recent: Type.Optional(
      Type.Array(text('an address'), {
        description: 'addresses that the wallet knows',
        maxItems: MAX_RECENT,
      }),
    ),
    abi: Type.Optional(
      Type.Array(text('a function', MAX_SIGNATURE), {
        description: "functions in Solidity's notation",
        maxItems: MAX_ABI,
      }),
    ),
  },
  { additionalProperties: false },
)

const Action = Type.Object({
  kind: Type.String(),
  words: Type.String(),
  program: orNull('program, contract or package'),
  asset: orNull("a token's address, or `native`"),
  amount: orNull('base units'),
  from: orNull('who gives'),
  to: orNull('who gets'),
  spender: orNull('who may take later'),
  fields: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
    description: 'more, as a descriptor or an ABI words it',
  }),
})

const Effect = Type.Object({
  action: Type.Union([Type.Integer(), Type.Null()], { description: 'index of the action' }),
  kind: Type.Enum(['pays', 'receives', 'cost', 'permission', 'control', 'account', 'destroys']),
  holder: orNull('who loses, gets, pays or hands over'),
  asset: orNull("a token's address, `native`, or what control is over"),
  amount: orNull('base units; null: as much as there is'),
  to: orNull('who gets it, may take it or controls it'),
  what: Type.Optional(string('what for, or which power')),
  until: Type.Optional(string('when a permission ends, Unix time in s')),
})

const Unknown = Type.Object({
  where: Type.String(),
  why: Type.String(),
  bytes: orNull('0x hex, the first 256 bytes'),
})

const Risk = Type.Object({
  code: string('stable; docs/explain.md has all'),
  severity: Type.Enum(['danger', 'warning', 'info']),
  reason: string('this case'),
  rule: string('what would have to hold'),
  action: Type.Union([Type.Integer(), Type.Null()], { description: 'index of the action' }),
})

const Simulation = Type.Object({
  by: Type.String(),
  at: Type.Union([Type.Integer(), Type.Null()], { description: 'block, slot or checkpoint' }),
  changes: Type.Array(Type.Object({ token: Type.String(), amount: Type.String() }), {
    description: "of the owner's balances; of a permit, what it lets be taken now",
  }),
})

const Result = Type.Object({
  chain: Type.String(),
  family: Type.Enum(['evm', 'solana', 'sui', 'ton']),
  owner: orNull('the wallet'),
  verdict: Type.Enum(['danger', 'unknown', 'known'], { description: 'none of them says that it is safe' }),
  summary: string('one sentence, written from the effects'),
  actions: Type.Array(Action),
  effects: Type.Array(Effect, { description: 'all that the actions do to what somebody owns' }),
  unknown: Type.Array(Unknown, { description: 'what was not read' }),
  risks: Type.Array(Risk),
  simulation: Type.Union([Simulation, Type.Null()], { description: 'null if no node executed it' }),
})

export interface ExplainRouteOptions {
  readonly nodes: SimulatingNodes
  readonly access: Access
  readonly clock: Clock
  readonly descriptors: DescriptorFolder
}

/** POST /api/explain: what any transaction or signature request does. */
export const explain = ({ nodes, access, clock, descriptors }: ExplainRouteOptions) => {
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
    description: described('getExplanation', Result, recorded),
    handle(body, exchange) {
      return exchange.withBudget('explain', async () => {
        const { explain, nodeSources } = await (loaded ??= load())
        const describe = await descriptors.current()
        const sources = nodeSources(nodes, access, clock, exchange.scope())
        const work = new ThreadWork(clock, exchange)
        try {
          const explanation = await explain(body as never, {
            ...sources,
            describe,
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
