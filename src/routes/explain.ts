import { Type } from 'typebox'
import type { Access } from '../chains/access.ts'
import { post } from '../http/route.ts'
import type { DescriptorFolder } from '../proof/explain/descriptor-folder.ts'
import type { Nodes } from '../proof/explain/node.ts'
import type { Clock } from '../runtime/clock.ts'
import recorded from './examples/explain.json' with { type: 'json' }
import { TRANSACTIONS } from './groups.ts'

export const EXPLAIN_PATH = '/api/explain'

/** The longest calldata, in hex, with room for the rest. */
const MAX_BODY_BYTES = 131_072
const MAX_TEXT = 131_072

const text = (description: string, maxLength = 128) => Type.String({ description, maxLength })
const quantity = (description: string) =>
  Type.String({ description, pattern: '^(0x[0-9a-fA-F]{1,64}|[0-9]{1,78})$' })
const orNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

const Authorization = Type.Object({
  chainId: Type.Optional(quantity('0 is every chain')),
  address: text('whose code the account runs'),
})

/** An EVM transaction that is not serialized. */
const Call = Type.Object(
  {
    from: Type.Optional(text('the sender')),
    to: Type.Optional(text('absent: a contract is created')),
    data: Type.Optional(text('0x hex', MAX_TEXT)),
    value: Type.Optional(quantity('wei')),
    gasPrice: Type.Optional(quantity('wei; the most, where there are two')),
    gasLimit: Type.Optional(quantity('units')),
    authorizationList: Type.Optional(Type.Array(Authorization, { maxItems: 16 })),
  },
  { description: 'EVM: a call that is not serialized, as eth_sendTransaction takes it' },
)

const Message = Type.Object({
  address: text('the recipient'),
  amount: Type.String({ description: 'nanoTON, decimal', pattern: '^[0-9]{1,39}$' }),
  payload: Type.Optional(text('base64 BOC', MAX_TEXT)),
  stateInit: Type.Optional(text('base64 BOC', MAX_TEXT)),
  mode: Type.Optional(Type.Integer({ description: 'the send mode', minimum: 0, maximum: 255 })),
})

const Input = Type.Object({
  chain: text('chain key', 64),
  transaction: Type.Optional(
    text('Solana, Sui: base64. EVM: serialized, 0x hex. TON: a body to the wallet, base64 BOC', MAX_TEXT),
  ),
  call: Type.Optional(Call),
  typedData: Type.Optional(Type.Object({}, { description: 'EIP-712, as eth_signTypedData_v4 takes it' })),
  messages: Type.Optional(
    Type.Array(Message, { description: 'as TON Connect has them', minItems: 1, maxItems: 255 }),
  ),
  owner: Type.Optional(text('the wallet that is to sign')),
  recent: Type.Optional(
    Type.Array(Type.String({ maxLength: 128 }), {
      description: 'addresses that the wallet knows',
      maxItems: 32,
    }),
  ),
  abi: Type.Optional(
    Type.Array(Type.String({ maxLength: 512 }), {
      description: "functions in Solidity's notation",
      maxItems: 64,
    }),
  ),
})

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

const Unknown = Type.Object({
  where: Type.String(),
  why: Type.String(),
  bytes: orNull('0x hex, the first 256 bytes'),
})

const Risk = Type.Object({
  code: Type.String({ description: 'stable; docs/explain.md has all' }),
  severity: Type.Enum(['danger', 'warning', 'info']),
  reason: Type.String({ description: 'this case' }),
  rule: Type.String({ description: 'what would have to hold' }),
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
  actions: Type.Array(Action),
  unknown: Type.Array(Unknown, { description: 'what was not read' }),
  risks: Type.Array(Risk),
  simulation: Type.Union([Simulation, Type.Null()], { description: 'null where no node executed it' }),
})

interface ExplainOptions {
  readonly nodes: Nodes
  readonly access: Access
  readonly clock: Clock
  readonly descriptors: DescriptorFolder
}

/** POST /api/explain: what any transaction or signature request does. */
export const explain = ({ nodes, access, clock, descriptors }: ExplainOptions) => {
  // Nobody waits for this code at the start.
  const load = async () => {
    const [{ explain }, { nodeSources }] = await Promise.all([
      import('../proof/explain/explain.ts'),
      import('../proof/explain/node.ts'),
    ])
    return { explain, nodeSources }
  }
  let loaded: ReturnType<typeof load> | null = null
  return post({
    path: EXPLAIN_PATH,
    body: Input,
    maxBytes: MAX_BODY_BYTES,
    budgets: ['explain'],
    description: {
      id: 'getExplanation',
      summary: 'What a transaction or a signature request does',
      stability: 'unverified',
      group: TRANSACTIONS,
      text: 'Takes any unsigned or signed transaction, not only those that the gateway built: one of `transaction`, `call`, `typedData` and `messages`. Unknown parts are named with their bytes, and nothing is ever called safe. If the chain has a node that can, it executes the transaction. Nothing is stored.',
      result: Result,
      examples: recorded.examples,
      errors: [400, 429],
    },
    handle(body, exchange) {
      return exchange.spending('explain', async () => {
        const { explain, nodeSources } = await (loaded ??= load())
        const describe = await descriptors.current()
        const sources = { ...nodeSources(nodes, access, clock, exchange.scope()), describe }
        return Buffer.from(JSON.stringify(await explain(body as never, sources)))
      })
    },
  })
}
