/** The tools: reads of the gateway, and swaps that were verified before they are handed on. */
import { printable } from '../../runtime/shown.ts'
import { type Client, isSwapgateError } from '../client/index.ts'
import {
  type CrossChainOrder,
  explain,
  type SignedVerdict,
  type SwapOrder,
  type Trust,
  verify,
} from '../verify/index.ts'
import type { Tool } from './protocol.ts'
import { estimateOf, RESULTS, risksOf } from './results.ts'

/** The methods of the client that the tools use. */
export type Gateway = Pick<
  Client,
  | 'chains'
  | 'discoverLookup'
  | 'discoverTokens'
  | 'token'
  | 'portfolio'
  | 'quote'
  | 'build'
  | 'xquote'
  | 'xstatus'
  | 'transactionStatus'
>

type Input = Readonly<Record<string, unknown>>
/** Descriptions of inputs by their names. */
type Properties = Readonly<Record<string, string>>

/** An object of texts. */
const textsOf = (required: Properties, optional: Properties = {}) => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries({ ...required, ...optional }).map(([name, description]) => [
      name,
      { type: 'string', description },
    ]),
  ),
  required: Object.keys(required),
  additionalProperties: false,
})

const CHAIN = { chain: 'a chain key that `chains` lists, such as base or solana' }
const FROM = { from: "the wallet's public address" }
const SWAP = {
  ...CHAIN,
  side: 'buy spends the native coin, sell spends the token',
  token: "the token's address",
  amount: 'what is spent, a decimal such as 0.25',
}
const AGAINST = { against: 'the token on the other side; the native coin where absent' }
const SLIPPAGE = { slippageBps: 'hundredths of a percent, 1 to 5000' }
const PRIORITY = {
  priority:
    "on Solana, what is paid to be first: none, low, medium, high, or micro-lamports per compute unit; the provider's choice where absent",
}
const MIN_OUT = {
  minOut:
    'the least that may arrive, in base units, as the user accepted it: `minOut` of a quote that they saw',
}
const DECIMALS = {
  decimals:
    'a JSON object such as {"base:0x940181a94A35A4569E4529A3CDfB74e38FD98631": 18}, from another source than this gateway: chain, address and decimals of tokens that are neither native coins nor known stablecoins. Without them nothing shows that the amount is what the user meant. On one chain the address is enough',
}
const CROSSING = {
  fromChain: 'where it starts',
  toChain: 'where it arrives',
  amount: 'what is spent, a decimal such as 0.25',
  ...FROM,
}

/** The most of an error that an agent reads. */
const MAX_MESSAGE = 500

/** @param gateway  a client of the gateway */
export function toolsOf(gateway: Gateway): readonly Tool[] {
  const tool = (
    name: string,
    description: string,
    inputSchema: Tool['inputSchema'],
    call: (input: never) => Promise<unknown>,
  ): Tool => ({
    name,
    description,
    inputSchema,
    call: async (input) => {
      const result = await passedOn(checked(input, inputSchema), call)
      return RESULTS[name] === undefined ? result : RESULTS[name](result)
    },
  })
  const handedOn: HandedOn[] = []
  return [
    tool('chains', 'The chains that the gateway serves, with their native coins.', textsOf({}), () =>
      gateway.chains(),
    ),
    tool(
      'find_tokens',
      'Tokens by a name, a symbol or a part of one.',
      textsOf({ q: 'what to look for' }),
      (input) => gateway.discoverTokens(input),
    ),
    tool(
      'look_up',
      'What an address is: a token, a wallet, on which chains.',
      textsOf({ address: 'any address' }),
      (input) => gateway.discoverLookup(input),
    ),
    tool(
      'token',
      'One token: price, pools, holders, risks, each with its source. Unknown is null, never safe.',
      textsOf({ ...CHAIN, address: "the token's address" }),
      (input) => gateway.token(input),
    ),
    tool(
      'portfolio',
      'The holdings of public addresses, in dollars. One of the addresses is required.',
      textsOf(
        {},
        {
          address: 'an EVM address',
          sol: 'a Solana address',
          chains: 'EVM chain keys, separated by commas',
        },
      ),
      (input) => gateway.portfolio(input),
    ),
    tool(
      'quote',
      'An indicative quote for a swap on one chain. Nothing is executed. `risks` is what is known against both tokens: tell the user of each grave flag, and of a token that nobody has checked. Null is unknown.',
      textsOf(SWAP, { ...FROM, ...AGAINST, ...SLIPPAGE }),
      async (input: Input) => {
        const quote = await gateway.quote(orderOf(input) as never)
        const minOut = leastOf(quote.expectedOut, quote.minOut, Number(input.slippageBps ?? SLIPPAGE_BPS))
        return { ...quote, minOut, risks: await risksIn(gateway, quote) }
      },
    ),
    tool(
      'build',
      'The unsigned transaction of a swap, proved here against this order before it is handed on, with the `risks` of both tokens. The wallet signs `send`, and nothing else. What only the gateway says is refused.',
      textsOf({ ...SWAP, ...FROM, ...MIN_OUT }, { ...AGAINST, ...SLIPPAGE, ...PRIORITY, ...DECIMALS }),
      (input: Input) => build(gateway, input, handedOn),
    ),
    tool(
      'cross_chain_swap',
      'A quote for a swap to another chain with its unsigned transaction, proved here against this order: the wallet signs `send`, and nothing else. What only the gateway says is refused. Without minOut only the quote is answered.',
      textsOf(CROSSING, {
        fromToken: 'the native coin where absent',
        toToken: 'the native coin where absent',
        to: 'who receives; the sender where absent',
        ...PRIORITY,
        ...MIN_OUT,
        ...DECIMALS,
      }),
      (input: Input) => cross(gateway, input, handedOn),
    ),
    tool(
      'check_signed',
      'Whether what the wallet signed is a swap that `build` or `cross_chain_swap` handed on in this session: ask before it is sent. `changes` lists what the wallet changed, and what each change does. Do not send what is not verified.',
      textsOf({
        ...FROM,
        signed:
          'the signed transaction: base64 on Solana; 0x hex on EVM chains, or as JSON a batch (EIP-5792), the typed data of a Safe, or a user operation',
      }),
      (input: Input) => checkSigned(handedOn, input),
    ),
    tool(
      'transaction_status',
      'Whether a transaction is in a block. One of hash and signature is required.',
      textsOf(CHAIN, { hash: 'on EVM chains', signature: 'on Solana' }),
      (input) => gateway.transactionStatus(input),
    ),
    tool(
      'explain',
      'What a transaction or a signature request does, with its risks, read here without the gateway; nothing is ever called safe. One of transaction, call, typedData and messages is required.',
      textsOf(CHAIN, {
        transaction: 'Solana and Sui: base64. EVM: serialized, 0x hex. TON: base64 BOC',
        call: 'EVM: what eth_sendTransaction takes, as JSON',
        typedData: 'EIP-712, as JSON',
        messages: "TON: what TON Connect's sendTransaction takes, as JSON",
        owner: 'the wallet that is to sign',
        recent: 'addresses that the wallet knows, a JSON array',
        abi: "functions in Solidity's notation, a JSON array",
      }),
      (input: Readonly<Record<string, string>>) =>
        explain(
          Object.fromEntries(
            Object.entries(input).map(([name, text]) => [name, IN_JSON.has(name) ? JSON.parse(text) : text]),
          ) as never,
        ),
    ),
    tool(
      'cross_chain_status',
      'How far a cross-chain swap is, as its provider says.',
      textsOf(
        { txHash: 'of the transaction on the first chain' },
        { fromChain: '', toChain: '', bridge: '' },
      ),
      (input) => gateway.xstatus(input),
    ),
  ]
}

/** Inputs of `explain` that aren't texts. */
const IN_JSON: ReadonlySet<string> = new Set(['call', 'typedData', 'messages', 'recent', 'abi'])

/** @throws Error  that says which input is wrong */
function checked(input: Input, { properties, required }: Tool['inputSchema']): never {
  for (const name of required as readonly string[]) {
    if (typeof input[name] !== 'string') throw new Error(`\`${name}\` is required, as a text.`)
  }
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(properties as object, name)) throw new Error(`There is no input \`${name}\`.`)
    if (typeof value !== 'string') throw new Error(`\`${name}\` must be a text.`)
  }
  return input as never
}

/** The error's text, which may be the gateway's: cut, and on one line. */
async function passedOn(input: never, call: (input: never) => Promise<unknown>): Promise<unknown> {
  try {
    return await call(input)
  } catch (error) {
    const { message } = error as Error
    throw new Error(printable(isSwapgateError(error) ? `${error.code}: ${message}` : message, MAX_MESSAGE))
  }
}

/** The gateway's default, if an agent gives none. */
const SLIPPAGE_BPS = 300
/** Half a percent, the provider's usual slippage, plus what a bridge's protocol keeps. */
const CROSSING_BPS = 150

/**
 * The minimum that an agent passes on as accepted: no less than the slippage leaves of the expected output,
 * or a gateway could name one that gives the rest away.
 * @returns null if either is unknown
 */
function leastOf(expected: unknown, said: unknown, slippageBps: number): string | null {
  const isAmount = (one: unknown): one is string => typeof one === 'string' && /^\d{1,78}$/.test(one)
  if (!isAmount(expected) || !isAmount(said)) return null
  const least = (BigInt(expected) * BigInt(10_000 - slippageBps)) / 10_000n
  return BigInt(said) > least ? said : String(least)
}

function orderOf({ slippageBps, ...order }: Input): Input {
  return slippageBps === undefined ? order : { ...order, slippageBps: Number(slippageBps) }
}

async function build(
  gateway: Gateway,
  { minOut, priority, decimals, ...input }: Input,
  handedOn: HandedOn[],
): Promise<object> {
  const order = orderOf(input)
  const quote = await gateway.quote(order as never)
  // Anything but a whole number is a level, or for the gateway to refuse.
  const paid = priority !== undefined && {
    priority: /^\d+$/.test(String(priority)) ? Number(priority) : priority,
  }
  const built = await gateway.build({ ...order, ...paid, quote } as never)
  const asked = { ...input, amountIn: quote.amountIn, minOut } as unknown as SwapOrder
  return proved(asked, built, decimals, await risksIn(gateway, quote), handedOn)
}

async function cross(
  gateway: Gateway,
  { minOut, decimals, ...input }: Input,
  handedOn: HandedOn[],
): Promise<unknown> {
  const quote = await gateway.xquote(input as never)
  const risks = await risksIn(gateway, quote)
  const estimate = estimateOf(quote.estimate) as Input | null
  if (minOut === undefined) {
    const { toAmount, toAmountMin } = estimate ?? {}
    return { estimate, minOut: leastOf(toAmount, toAmountMin, CROSSING_BPS), risks }
  }
  const asked = { ...input, amountIn: estimate?.fromAmount, minOut } as unknown as CrossChainOrder
  return proved(asked, quote, decimals, risks, handedOn)
}

type Risks = Readonly<Record<'chain' | 'token' | 'checked', string | null>> | null

/**
 * What is known against the two tokens, according to the gateway. An unchecked token is looked up, so that
 * unlisted tokens' risks are reported, too.
 * @returns null if the gateway does not report them
 */
async function risksIn(gateway: Gateway, answer: unknown): Promise<readonly Risks[]> {
  const { risks } = Object(answer) as { readonly risks: unknown }
  const find = async (nth: number): Promise<Risks> => {
    const one = (Array.isArray(risks) ? risksOf(risks[nth]) : null) as Risks
    if (one?.checked !== 'nobody') return one
    const { chain, token: address } = one
    const profile = await gateway.token({ chain, address } as never).catch(() => null)
    return (risksOf(profile?.risks) as Risks) ?? one
  }
  return Promise.all([find(0), find(1)])
}

/** A swap that was proved here, and when, ms. */
interface HandedOn {
  readonly order: SwapOrder | CrossChainOrder
  readonly built: unknown
  readonly trust: Trust
  readonly at: number
}

/** The oldest makes room: an agent signs one of its last. */
const MAX_HANDED_ON = 16

/**
 * Judges what was signed against the wallet's swaps of this session, the newest first.
 * @throws Error  if it is none of them, naming what differs from the newest
 */
async function checkSigned(handedOn: readonly HandedOn[], { from, signed }: Input): Promise<object> {
  const own = handedOn.filter(({ order }) => spelled(order.from) === spelled(String(from))).reverse()
  if (own.length === 0)
    throw new Error('Nothing was built for this wallet in this session: call `build` first.')
  let refused: (SignedVerdict & { readonly isVerified: false }) | null = null
  for (const { order, built, trust, at } of own) {
    const verdict = await verify.signed(order, built, String(signed), { trust, now: () => at })
    if (verdict.isVerified) {
      const { id, changes, notBound } = verdict
      return { verified: true, id, changes, notBound, facts: verdict.verdict.facts }
    }
    refused ??= verdict
  }
  const { rule, message, changes } = refused!
  const others = changes.filter(({ isAllowed }) => !isAllowed).map(({ words }) => words)
  throw new Error(`Not verified, do not send: ${rule}. ${others.join('; ') || message}`)
}

/** @throws Error  if nothing was proved: there is nothing to sign then */
async function proved(
  order: SwapOrder | CrossChainOrder,
  built: unknown,
  decimals: unknown,
  risks: readonly Risks[],
  handedOn: HandedOn[],
): Promise<object> {
  const trust = decimals === undefined ? {} : trustIn(String(decimals), order)
  const at = Date.now()
  const verdict = await verify(order, built, { trust, now: () => at })
  if (verdict.isVerified) {
    handedOn.push({ order, built, trust, at })
    if (handedOn.length > MAX_HANDED_ON) handedOn.shift()
    const { level, facts, send } = verdict
    // Statements about other tokens do not apply.
    const of = ({ token }: { readonly token: string }, nth: number) =>
      spelled(risks[nth]?.token ?? '') === spelled(token) ? risks[nth] : null
    return { verified: level, facts, send, risks: [facts.spends, facts.receives].map(of) }
  }
  const { rule, message, stated, needs = [] } = verdict
  const advice = needs.includes('decimals')
    ? 'Give `decimals` of its tokens from another source.'
    : 'A wallet with nodes of its own can prove it: see `trust` of @swapgate/client/verify.'
  const why = stated === undefined ? message : `Only the gateway says its ${stated.join(', ')}. ${advice}`
  throw new Error(`Not verified, do not sign: ${rule}. ${why}`)
}

/**
 * A token of a crossing counts by its chain and address: another chain may have another one at the address.
 * @param text  of the input `decimals`
 */
function trustIn(text: string, order: SwapOrder | CrossChainOrder): Trust {
  const said = new Map(
    Object.entries(JSON.parse(text) as object).map(([token, decimals]) => [spelled(token), decimals]),
  )
  const ofChain = (chain: string, token: string) => said.get(spelled(`${chain}:${token}`)) ?? null
  return {
    decimals: async (chain, token) =>
      ofChain(chain, token) ?? ('chain' in order ? (said.get(spelled(token)) ?? null) : null),
  }
}

/** Addresses of EVM chains are the same in any case. */
const spelled = (token: string): string =>
  token.replace(/\b0x[0-9a-f]{40}$/i, (address) => address.toLowerCase())
