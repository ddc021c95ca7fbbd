/** The tools: reads of the gateway, and swaps that were verified before they are handed on. */
import { printable } from '../../runtime/shown.ts'
import { isSwapgateError, type Operations } from '../client/index.ts'
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
import texts from './tool-texts.json' with { type: 'json' }

export type Gateway = Operations

type Input = Readonly<Record<string, unknown>>

interface ToolText {
  readonly description: string
  readonly required?: readonly string[]
  readonly optional?: readonly string[]
  /** Descriptions of inputs, in place of those for all tools. */
  readonly inputs?: Readonly<Record<string, string>>
}

/** All inputs are texts. */
function schemaOf({ required = [], optional = [], inputs }: ToolText): Tool['inputSchema'] {
  const described: Readonly<Record<string, string>> = { ...texts.inputs, ...inputs }
  const properties = [...required, ...optional].map(
    (name) => [name, { type: 'string', description: described[name] }] as const,
  )
  return { type: 'object', properties: Object.fromEntries(properties), required, additionalProperties: false }
}

/** The most of an error that an agent reads. */
const MAX_MESSAGE = 500

/** @param gateway  a client of the gateway */
export function toolsOf(gateway: Gateway): readonly Tool[] {
  const handedOn: HandedOn[] = []
  const calls: Readonly<Record<keyof typeof texts.tools, (input: never) => Promise<unknown>>> = {
    chains: () => gateway.chains(),
    find_tokens: (input) => gateway.discoverTokens(input),
    look_up: (input) => gateway.discoverLookup(input),
    token: (input) => gateway.token(input),
    portfolio: (input) => gateway.portfolio(input),
    quote: (input) => quote(gateway, input),
    build: (input) => build(gateway, input, handedOn),
    cross_chain_swap: (input) => cross(gateway, input, handedOn),
    check_signed: (input) => checkSigned(handedOn, input),
    transaction_status: (input) => gateway.transactionStatus(input),
    explain: (input) => explain(withJson(input) as never),
    cross_chain_status: (input) => gateway.xstatus(input),
  }
  return Object.entries<ToolText>(texts.tools).map(([name, text]) => {
    const inputSchema = schemaOf(text)
    const call = async (input: Input): Promise<unknown> => {
      const result = await passedOn(checked(input, inputSchema), calls[name as keyof typeof calls])
      return RESULTS[name] === undefined ? result : RESULTS[name](result)
    }
    return { name, description: text.description, inputSchema, call }
  })
}

/** Inputs of `explain` that aren't texts. */
const IN_JSON: ReadonlySet<string> = new Set(['call', 'typedData', 'messages', 'recent', 'abi'])

const withJson = (input: Readonly<Record<string, string>>): Input =>
  Object.fromEntries(
    Object.entries(input).map(([name, text]) => [name, IN_JSON.has(name) ? JSON.parse(text) : text]),
  )

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

const isAmount = (one: unknown): one is string => typeof one === 'string' && /^\d{1,78}$/.test(one)

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
  if (!isAmount(expected) || !isAmount(said)) return null
  const least = (BigInt(expected) * BigInt(10_000 - slippageBps)) / 10_000n
  return BigInt(said) > least ? said : String(least)
}

/** The maximum of an exact output, in the same way: no more than the slippage adds to what it is expected to take. */
function mostOf(expected: unknown, said: unknown, slippageBps: number): string | null {
  if (!isAmount(expected) || !isAmount(said)) return null
  const most = (BigInt(expected) * BigInt(10_000 + slippageBps) + 9_999n) / 10_000n
  return BigInt(said) < most ? said : String(most)
}

function orderOf({ slippageBps, ...order }: Input): Input {
  return slippageBps === undefined ? order : { ...order, slippageBps: Number(slippageBps) }
}

async function quote(gateway: Gateway, input: Input): Promise<object> {
  const answer = await gateway.quote(orderOf(input) as never)
  const bps = Number(input.slippageBps ?? SLIPPAGE_BPS)
  const minOut = leastOf(answer.expectedOut, answer.minOut, bps)
  const maxIn = mostOf(answer.amountIn, answer.maxIn, bps)
  return { ...answer, minOut, maxIn, risks: await risksIn(gateway, answer) }
}

async function build(
  gateway: Gateway,
  { minOut, maxIn, priority, decimals, ...input }: Input,
  handedOn: HandedOn[],
): Promise<object> {
  const order = orderOf(input)
  const quote = await gateway.quote(order as never)
  // Anything but a whole number is a level, or for the gateway to refuse.
  const paid = priority !== undefined && {
    priority: /^\d+$/.test(String(priority)) ? Number(priority) : priority,
  }
  const built = await gateway.build({ ...order, ...paid, quote } as never)
  const isExactOut = input.amountOut !== undefined
  const isAccepted = isAmount(quote.maxIn) && isAmount(maxIn) && BigInt(quote.maxIn) <= BigInt(maxIn)
  if (isExactOut && !isAccepted)
    throw new Error('It would take more than `maxIn`, which is required with `amountOut`: quote it again.')
  const amountIn = isExactOut ? quote.maxIn : quote.amountIn
  const asked = { ...input, amountIn, minOut } as unknown as SwapOrder
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
