import { type Static, Type } from 'typebox'
import { BaseUnits, DEFAULT_SLIPPAGE_BPS, QuoteQuery, SLIPPAGE_BPS } from './order.ts'
import { boolean, FreeForm, hex, integer, nullable, OPEN, string, UNVERIFIED } from './shared.ts'
import texts from './texts.json' with { type: 'json' }
import { Verification } from './verification.ts'

const { build: text } = texts

/** What Phantom's guards need: four instructions of Lighthouse, of 17, 52, 16 and 27 bytes, and its key. */
export const DEFAULT_HEADROOM_BYTES = 160

export const GUARDS_ASKED =
  'the chain itself enforces the outcome: the transaction, or the last of `calls`, fails if the minimum did not arrive. Where that is not possible, the request is refused'

const { chain, side, token, amount, amountOut, receiver, against } = QuoteQuery.properties

export const BuildRequest = Type.Object(
  {
    ...{ chain, side, token, amount, amountOut },
    // Generators take a body's member for required if it has a default.
    slippageBps: Type.Optional(
      Type.Integer({
        ...SLIPPAGE_BPS,
        description: `${SLIPPAGE_BPS.description}; ${DEFAULT_SLIPPAGE_BPS} if absent`,
      }),
    ),
    from: string(text.from, { maxLength: 256 }),
    receiver,
    quote: Type.Object({}, { description: 'the response of /api/quote, unchanged' }),
    against,
    priority: Type.Optional(
      Type.Union(
        [
          Type.Enum(['none', 'low', 'medium', 'high']),
          Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        ],
        { title: text.priorityForm, description: text.priority, ...UNVERIFIED },
      ),
    ),
    nonce: Type.Optional(string(text.nonce, { maxLength: 256, ...UNVERIFIED })),
    cancel: Type.Optional(boolean(text.cancel, UNVERIFIED)),
    guards: Type.Optional(boolean(GUARDS_ASKED, UNVERIFIED)),
    headroomBytes: Type.Optional(
      integer(
        `on Solana, bytes to leave to the wallet's own instructions where a route allows it; ${DEFAULT_HEADROOM_BYTES} if absent`,
        { minimum: 0, maximum: 600, ...UNVERIFIED },
      ),
    ),
  },
  { additionalProperties: false },
)

export type BuildRequest = Static<typeof BuildRequest>

/** §2 shows no inner structure: this is what `eth_sendTransaction` takes. */
export const TransactionRequest = Type.Object(
  {
    from: hex(),
    to: hex(),
    chainId: hex(),
    data: hex('calldata'),
    value: hex('wei'),
    gasPrice: Type.Optional(hex('with `gas`, or the wallet estimates both')),
    gas: Type.Optional(hex()),
  },
  { description: text.transactionRequest, ...OPEN },
)

export const Approval = Type.Object(
  {
    token: hex(),
    spender: hex(),
    amount: string('base units, decimal'),
    reset: Type.Optional(boolean(text.reset)),
  },
  { description: 'that the token needs before the swap can take it' },
)

/** What EIP-5792's `wallet_sendCalls` takes of a transaction and its approval. */
export const CALLS = {
  calls: Type.Optional(
    Type.Array(
      Type.Object({
        to: hex(),
        data: hex(),
        value: hex('wei, a hex quantity'),
      }),
      { description: text.calls, ...UNVERIFIED },
    ),
  ),
  atomicRequired: Type.Optional(boolean(text.atomicRequired, UNVERIFIED)),
}

/** TonConnect's SendTransactionRequest. */
const TonConnect = Type.Object(
  {
    validUntil: integer('Unix seconds'),
    from: Type.String(),
    network: Type.String(),
    messages: Type.Array(
      Type.Object({
        address: Type.String(),
        amount: string('nanoTON, decimal'),
        payload: string('base64 BOC'),
        stateInit: Type.Optional(Type.String()),
      }),
    ),
  },
  { description: "`tonMessage` as TonConnect's `sendTransaction` takes it" },
)

/** What a Solana transaction pays for priority. */
export const PAID_PRIORITY = Type.Optional(
  Type.Object(
    {
      computeUnitPrice: string('micro-lamports'),
      computeUnitLimit: nullable(integer(text.computeUnitLimit)),
      lamports: string('both together'),
      unitsConsumed: nullable(integer('null if it could not be executed')),
      slots: nullable(integer('whose prices a level was taken from')),
    },
    { description: text.paidPriority, ...UNVERIFIED },
  ),
)

const Guards = Type.Object(
  {
    by: Type.Enum(['transaction', 'calls', 'material'], { description: text.by }),
    enforced: Type.Optional(
      Type.Array(
        Type.Object({
          account: string('a token account on Solana, otherwise the wallet'),
          token: string("address, or `native` for the chain's coin"),
          atLeast: string(text.atLeast),
          leftOut: Type.Array(Type.Enum(['delegate', 'close_authority']), { description: text.leftOut }),
        }),
      ),
    ),
    bytes: Type.Optional(integer('on Solana, what they add to the transaction')),
    units: Type.Optional(nullable(integer('compute units of Solana; null if the node does not say'))),
    terms: Type.Optional(
      Type.Array(Type.Object({ enforcer: Type.String(), terms: string('0x hex') }), {
        description: text.terms,
      }),
    ),
  },
  { description: text.guards, ...UNVERIFIED },
)
export type GuardsOf = Static<typeof Guards>

export const GUARDS = {
  guards: Type.Optional(Guards),
  headroomBytes: Type.Optional(integer(text.headroomBytes, UNVERIFIED)),
}

const COST_KINDS = [
  'network_fee',
  'priority_fee',
  'l1_fee',
  'approval_fee',
  'guard_fee',
  'rent',
  'tip',
  'messaging_fee',
  'attached_gas',
  'other_fee',
] as const

export const Cost = Type.Object({
  kind: Type.Enum([...COST_KINDS]),
  amount: string('base units, decimal, above zero'),
  currency: string("the chain's native coin"),
  refundable: boolean(text.refundable),
  source: Type.Enum(['material', 'simulation', 'node', 'provider', 'estimate'], { description: text.source }),
  nodes: Type.Optional(Type.Array(Type.String(), { description: text.nodes })),
})

export type Cost = Static<typeof Cost>

/** Everything that leaves the wallet in addition to the swapped amount: src/swap/costs.ts. */
export const COSTS = {
  costs: Type.Optional(Type.Array(Cost, { description: text.costs, ...UNVERIFIED })),
  costsComplete: Type.Optional(boolean(text.costsComplete, UNVERIFIED)),
}

/** The members that a build of each family has, and no other; a generator of types makes a union of them. */
const VARIANTS = {
  EvmBuild: {
    required: ['to', 'data', 'value', 'approval', 'transactionRequest', 'calls', 'atomicRequired'],
    properties: { chainId: Type.Integer(), from: hex() },
  },
  SolanaBuild: { required: ['swapTransaction', 'solanaTransaction'] },
  SuiBuild: { required: ['suiTransaction'] },
  TonBuild: { required: ['tonMessage', 'tonConnect'] },
}

export const BuildResult = Type.Object(
  {
    provider: Type.String(),
    insteadOf: Type.Optional(
      Type.Object(
        { provider: Type.String(), code: string('why, as in Error bodies') },
        { description: text.insteadOf, ...UNVERIFIED },
      ),
    ),
    chain: Type.String(),
    chainId: nullable(Type.Integer()),
    from: Type.String(),
    to: Type.Optional(hex()),
    data: Type.Optional(hex('calldata')),
    value: Type.Optional(string('wei, decimal')),
    approval: Type.Optional(nullable(Approval)),
    transactionRequest: Type.Optional(TransactionRequest),
    ...CALLS,
    swapTransaction: Type.Optional(string('base64')),
    solanaTransaction: Type.Optional(string('base64')),
    suiTransaction: Type.Optional(string('base64')),
    tonMessage: Type.Optional(FreeForm),
    tonConnect: Type.Optional(TonConnect),
    lastValidBlockHeight: Type.Optional(integer(text.lastValidBlockHeight)),
    nonce: Type.Optional(
      Type.Object(
        { account: Type.String(), value: string('what the account holds, in the place of a blockhash') },
        { description: text.buildResultNonce, ...UNVERIFIED },
      ),
    ),
    priority: PAID_PRIORITY,
    ...GUARDS,
    ...COSTS,
    expectedOut: BaseUnits,
    minOut: BaseUnits,
    verification: Verification,
  },
  { ...OPEN, 'x-variants': VARIANTS },
)

export type BuildResult = Static<typeof BuildResult>

export type Costs = Readonly<Required<Pick<BuildResult, 'costs' | 'costsComplete'>>>
