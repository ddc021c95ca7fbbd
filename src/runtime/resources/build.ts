import { type Static, Type } from 'typebox'
import {
  AGAINST,
  AMOUNT_OUT,
  Amount,
  BaseUnits,
  DEFAULT_SLIPPAGE_BPS,
  RECEIVER,
  Side,
  SLIPPAGE_BPS,
} from './order.ts'
import { boolean, FreeForm, hex, integer, nullable, OPEN, string, UNVERIFIED } from './shared.ts'
import { Verification } from './verification.ts'

/** What Phantom's guards need: four instructions of Lighthouse, of 17, 52, 16 and 27 bytes, and its key. */
export const DEFAULT_HEADROOM_BYTES = 160

export const GUARDS_ASKED =
  'the chain itself enforces the outcome: the transaction, or the last of `calls`, fails if the minimum did not arrive. Where that is not possible, the request is refused'

export const BuildRequest = Type.Object(
  {
    chain: string('chain key'),
    side: Side,
    token: string('chain-specific token address or identifier', { maxLength: 256 }),
    amount: Type.Optional(Amount),
    amountOut: AMOUNT_OUT,
    // Generators take a body's member for required if it has a default.
    slippageBps: Type.Optional(
      Type.Integer({
        ...SLIPPAGE_BPS,
        description: `${SLIPPAGE_BPS.description}; ${DEFAULT_SLIPPAGE_BPS} if absent`,
      }),
    ),
    from: string("the signing wallet's public address; the output goes to it, unless there is a `receiver`", {
      maxLength: 256,
    }),
    receiver: RECEIVER,
    quote: Type.Object({}, { description: 'the response of /api/quote, unchanged' }),
    against: AGAINST,
    priority: Type.Optional(
      Type.Union(
        [
          Type.Enum(['none', 'low', 'medium', 'high']),
          Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
        ],
        {
          title: 'none, low, medium, high, or an integer of micro-lamports per compute unit',
          description:
            'on Solana, the priority fee: a level of the current prices in /api/priority-fees, or micro-lamports per compute unit. If absent, the provider decides',
          ...UNVERIFIED,
        },
      ),
    ),
    nonce: Type.Optional(
      string(
        'on Solana, for signers that take longer than a blockhash lives: a nonce account whose authority is `from`. The transaction begins with its advance, and does not expire',
        { maxLength: 256, ...UNVERIFIED },
      ),
    ),
    cancel: Type.Optional(
      boolean(
        'with `nonce`: builds, in place of the swap, the transaction that only advances it, so that nothing signed with its value can land any more. `quote` is not looked at',
        UNVERIFIED,
      ),
    ),
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
  { description: 'as `eth_sendTransaction` takes it: numbers are hex quantities', ...OPEN },
)

export const Approval = Type.Object(
  {
    token: hex(),
    spender: hex(),
    amount: string('base units, decimal'),
    reset: Type.Optional(boolean('the token refuses to change a non-zero allowance: approve zero first')),
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
      {
        description:
          'on EVM chains, what `wallet_sendCalls` takes, in order: the allowance set to zero where the token needs that, the approval of exactly the amount, the swap, and with `guards` the call that fails unless the minimum arrived',
        ...UNVERIFIED,
      },
    ),
  ),
  atomicRequired: Type.Optional(
    boolean('with `calls`, for `wallet_sendCalls`: true where there is more than the swap', UNVERIFIED),
  ),
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
      computeUnitLimit: nullable(
        integer('what executing it took, and a margin; else the limit of the provider'),
      ),
      lamports: string('both together'),
      unitsConsumed: nullable(integer('null if it could not be executed')),
      slots: nullable(integer('whose prices a level was taken from')),
    },
    {
      description: 'where the request has one; `lamports` is never above a tenth of the worth',
      ...UNVERIFIED,
    },
  ),
)

const Guards = Type.Object(
  {
    by: Type.Enum(['transaction', 'calls', 'material'], {
      description:
        'the last instructions of the transaction; the last of `calls`, and only those; or the swap itself, to which guards would add nothing',
    }),
    enforced: Type.Optional(
      Type.Array(
        Type.Object({
          account: string('a token account on Solana, otherwise the wallet'),
          token: string("address, or `native` for the chain's coin"),
          atLeast: string('base units, decimal: what the account holds at the end, or all of it fails'),
          leftOut: Type.Array(Type.Enum(['delegate', 'close_authority']), {
            description:
              'what the wallet gave to somebody before: a change of it is not noticed, nor with a delegate a change of the owner',
          }),
        }),
      ),
    ),
    bytes: Type.Optional(integer('on Solana, what they add to the transaction')),
    units: Type.Optional(nullable(integer('compute units of Solana; null if the node does not say'))),
    terms: Type.Optional(
      Type.Array(Type.Object({ enforcer: Type.String(), terms: string('0x hex') }), {
        description: 'the same for a delegation of MetaMask: a caveat with these terms',
      }),
    ),
  },
  {
    description:
      "what the chain enforces, where the request has `guards`, or the provider's builds are handed out with guards only",
    ...UNVERIFIED,
  },
)
export type GuardsOf = Static<typeof Guards>

export const GUARDS = {
  guards: Type.Optional(Guards),
  headroomBytes: Type.Optional(
    integer("on Solana, the bytes that are left for the wallet's own instructions", UNVERIFIED),
  ),
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
  refundable: boolean('comes back: rent when the account is closed, attached gas as far as it is not used'),
  source: Type.Enum(['material', 'simulation', 'node', 'provider', 'estimate'], {
    description:
      "the bytes of the material; its execution at a node; the node's prices; units of gas that the provider states, 60,000 for an approval or 20,000 for a guard, at the node's price",
  }),
  nodes: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'on EVM chains: the nodes of different hosts that agree on the price of gas; one alone is its word',
    }),
  ),
})

export type Cost = Static<typeof Cost>

/** Everything that leaves the wallet in addition to the swapped amount: src/swap/costs.ts. */
export const COSTS = {
  costs: Type.Optional(
    Type.Array(Cost, {
      description: 'what leaves the wallet beside what is swapped; what is not known is not listed',
      ...UNVERIFIED,
    }),
  ),
  costsComplete: Type.Optional(
    boolean('whether `costs` has all of it: if false, something is not known', UNVERIFIED),
  ),
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
    lastValidBlockHeight: Type.Optional(
      integer('the last block height at which `solanaTransaction` can land'),
    ),
    nonce: Type.Optional(
      Type.Object(
        { account: Type.String(), value: string('what the account holds, in the place of a blockhash') },
        {
          description:
            'where the request has one, in place of `lastValidBlockHeight`: the transaction can land once, as long as the account holds the value',
          ...UNVERIFIED,
        },
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
