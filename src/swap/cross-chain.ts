/**
 * GET /api/xquote, between its route and the provider: a query becomes an order,
 * and the provider's answer the reply. Nothing is asked upstream before every
 * chain, token and address is known to be well formed, and nothing is handed
 * out before it is proved.
 *
 * Source: §2 CrossChainQuote, §4.7 · docs.li.fi
 */
import type { Logger } from 'pino'
import { type Static, Type } from 'typebox'
import { parseAddress } from '../chains/address.ts'
import { parseAmount } from '../chains/amount.ts'
import { parseXprovChain, type XprovChain } from '../chains/find.ts'
import { WRAPPED_SOL_MINT } from '../chains/solana/programs.ts'
import { parseXprovToken } from '../chains/xprov-token.ts'
import type { Call } from '../flow/call.ts'
import { timed } from '../flow/timing.ts'
import type { CrossChainMaterial, ProvedCrossChain } from '../proof/cross-chain/cross-chain.ts'
import type { LifiPeriphery } from '../proof/cross-chain/lifi/periphery.ts'
import type { Step } from '../proof/cross-chain/lifi/step.ts'
import { callsOf } from '../proof/evm/approval.ts'
import type { SuiFacts } from '../proof/sui/crossing.ts'
import type { SuiObjects } from '../proof/sui/objects.ts'
import { MAX_CROSS_CHAIN_UNIT_PRICE, within } from '../proof/terms/fees.ts'
import { logRefusal } from '../proof/terms/log-refusal.ts'
import type { Material } from '../proof/terms/material.ts'
import { type CrossChainOrder, PRIORITY_LEVELS, type Token } from '../proof/terms/order.ts'
import { type Spent, type Verification, verified } from '../proof/terms/verification.ts'
import { executedGuards, guarded, headroomIn } from '../providers/guards.ts'
import type { Paid } from '../providers/priority.ts'
import { type ProveOptions, verify } from '../providers/proved.ts'
import type { RatesOf } from '../providers/solana-rates.ts'
import { MAX_JUPITER_PRIORITY_LAMPORTS } from '../providers/swap/jupiter-wire.ts'
import { statedWord } from '../providers/swap/stated.ts'
import { XPROV, type Xprov, type XprovQuote } from '../providers/swap/xprov.ts'
import type { Clock } from '../runtime/clock.ts'
import { GatewayError, invalidParameter, nullIfRefused } from '../runtime/errors.ts'
import { GUARDS_ASKED } from '../runtime/resources/build.ts'
import type { CrossChainQuote } from '../runtime/resources/cross-chain.ts'
import { boolean, UNVERIFIED } from '../runtime/resources/shared.ts'
import { named } from '../runtime/tape.ts'
import { type CacheState, Coalescer } from '../upstream/answers/coalescing.ts'
import { type AdmissionOptions, admit, requireRoute } from './admission.ts'
import { costsOf } from './costs.ts'
import type { Deadlines } from './deadlines.ts'
import { describeToken, estimateOf, type SymbolOf } from './estimate.ts'
import { requireInLine, UNPRICED, type WorthOf } from './fair.ts'
import type { FeesOf } from './gas.ts'
import { parsePriority } from './order.ts'
import { type RecipientSources, requireWallet } from './recipient.ts'
import type { RisksOf } from './slippage.ts'
import texts from './texts.json' with { type: 'json' }

const { crossChain: text } = texts

/** Preferences that the provider is known to take; any other goes to it, too (§4.7). */
export const PREFERENCES = ['FASTEST', 'CHEAPEST'] as const

export const CrossChainQuery = Type.Object({
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
  to: Type.Optional(Type.String({ description: text.to })),
  slippage: Type.Optional(Type.Number({ minimum: 0, description: text.slippage })),
  order: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `forwarded to the provider, which takes ${PREFERENCES.join(' and ')}`,
    }),
  ),
  priority: Type.Optional(
    Type.String({
      pattern: '^(none|low|medium|high|\\d{1,15})$',
      title: 'none, low, medium, high, or an integer of micro-lamports per compute unit',
      description: 'from Solana, the priority fee, as in /api/build. If absent, the provider decides',
      ...UNVERIFIED,
    }),
  ),
  guards: Type.Optional(boolean(GUARDS_ASKED, UNVERIFIED)),
})
export type CrossChainQuery = Static<typeof CrossChainQuery>

/** A query whose every part has the right form; its token's decimals are not known yet. */
interface CrossChainRequest extends Omit<CrossChainOrder, 'tokenIn' | 'amountIn'> {
  readonly tokenIn: Pick<Token, 'address' | 'isNative'>
  readonly amount: string
}

interface CrossChainSwapsOptions
  extends ProveOptions,
    RecipientSources,
    Pick<AdmissionOptions, 'heldOf' | 'fairOf'> {
  readonly xprov: Pick<Xprov, 'quote'>
  /** Solana's current charges. */
  readonly ratesOf: RatesOf
  /** Symbols in addition to those of the chains' files. */
  readonly symbolOf: SymbolOf
  /** What is known against a token. */
  readonly risksOf: RisksOf
  /** What an order is worth, if its bytes do not show it. */
  readonly worthOf: WorthOf
  /** The price of gas, for display. */
  readonly feesOf: FeesOf
  /** How long decimals and prices are waited for, ms: the rest is for the provider and the simulation. */
  readonly deadlines: Pick<Deadlines, 'tokenMs' | 'priceMs'>
  readonly suiObjects?: SuiObjects
  /** Fee contracts in addition to the table's. Absent: none. */
  readonly periphery?: Pick<LifiPeriphery, 'at'>
  readonly clock: Clock
  readonly log: Logger
}

export class CrossChainSwaps {
  readonly #options: CrossChainSwapsOptions
  readonly #quotes: Coalescer<Buffer>

  constructor(options: CrossChainSwapsOptions) {
    this.#options = options
    // Nothing is cached: a cross-chain swap may be signed once, and its route is valid for a moment only.
    this.#quotes = new Coalescer(0, named(options.clock, 'xquote'))
  }

  get cache(): CacheState {
    return this.#quotes.cache
  }

  /**
   * Identical requests at the same time share one answer; the sender is part of the request.
   * @returns a CrossChainQuote as JSON
   */
  quote(request: CrossChainRequest, call: Call): Promise<Buffer> {
    const { fromChain, toChain, ...rest } = request
    const key = JSON.stringify([fromChain.key, toChain.key, { ...rest, priority: String(rest.priority) }])
    return this.#quotes.join(key, call.scope, (shared) => this.#quote(request, call.in(shared)))
  }

  async #quote(request: CrossChainRequest, call: Call): Promise<Buffer> {
    const { xprov, decimals, fairOf, symbolOf, risksOf, clock } = this.#options
    const { fromChain, toChain, tokenIn: token, tokenOut } = request
    const { tokenMs, priceMs } = this.#options.deadlines
    const tokenIn = await decimals.addTo(fromChain, token, call.within(tokenMs))
    const amountIn = parseAmount(request.amount, tokenIn.decimals, fromChain.family)
    const asked: CrossChainOrder = { ...request, tokenIn, amountIn }
    const looking = call.within(tokenMs)
    const rates = fromChain.family === 'solana' ? await this.#options.ratesOf(looking) : null
    const admission = { ...this.#options, priceMs, ...(rates && { solana: rates.least }) }
    const [{ metadataOut, sui }] = await Promise.all([
      admit(asked, admission, looking),
      requireWallet(asked, this.#options, looking),
    ])
    const pricing = call.within(priceMs)
    /** Null if no two sources agree on them. */
    const lookingUp = decimals
      .addTo(toChain, tokenOut, call.within(tokenMs))
      .then((token) => token.decimals, nullIfRefused)
    const priced = { ...asked, chainIn: fromChain, chainOut: toChain }
    const [answer, decimalsOut, fair, worth, fees, feeContracts] = await Promise.all([
      xprov.quote(asked, call),
      lookingUp,
      lookingUp.then((decimals) =>
        decimals === null ? UNPRICED : fairOf({ ...priced, tokenOut: { ...tokenOut, decimals } }, pricing),
      ),
      this.#options.worthOf(priced, pricing),
      this.#options.feesOf(fromChain, pricing),
      this.#options.periphery?.at(fromChain.key)?.get(looking.leftMs) ?? null,
    ])
    const order: CrossChainOrder = {
      ...asked,
      worth,
      feeContracts,
      ...(decimalsOut !== null && { decimalsOut }),
      ...(metadataOut !== undefined && { metadataOut }),
      ...(rates && { solana: rates.most }),
    }
    // Imported at its first use, so that the start loads no ABI coder.
    const { proveCrossChain } = await import('../proof/cross-chain/cross-chain.ts')
    const now = clock.date()
    const facts = await this.#withUpgrades(answer, order, sui, call)
    const verify = (one: XprovQuote, guards: boolean) =>
      this.#verify(one, order, async () => proveCrossChain(one.value, { ...order, guards }, now, facts), call)
    // Guards are made of an execution; they and the budget come first, so that what is handed out is what was proved.
    const isGuarded = order.guards === true && fromChain.family === 'solana'
    const guarding = isGuarded ? await guardedBy(answer, order, (await verify(answer, false)).spent) : null
    const { quote, paid } = await this.#prioritized(guarding?.quote ?? answer, order, call)
    const { material, verification, spent } = await verify(quote, isGuarded)
    const guards = guarding && executedGuards(guarding, { verification, spent }, XPROV)
    const step = quote.value
    // Report material_refused before price_out_of_line.
    requireInLine({ expectedOut: BigInt(step.estimate.toAmount) }, fair, XPROV)
    const { transactionRequest, approval, solanaTransaction } = material
    const executable = materialOf(material)
    const statedId = statedWord(step.id)
    const reply: CrossChainQuote = {
      provider: XPROV,
      ...(statedId !== null && { id: statedId }),
      // The provider knows no TON: a chain without its id is refused before.
      kind: fromChain.family as CrossChainQuote['kind'],
      fromChain: fromChain.xprovChainId,
      toChain: toChain.xprovChainId,
      from: order.from,
      to: order.to,
      estimate: estimateOf(step, order, material, verification, symbolOf),
      fairOut: fair.out === null ? null : String(fair.out),
      unpriced: fair.out === null,
      sources: { fairOut: [...fair.sources] },
      ...material,
      ...(paid && { priority: paid }),
      ...(order.guards === true && { guards: guards ?? { by: 'material' } }),
      ...(solanaTransaction && { headroomBytes: headroomIn(solanaTransaction) }),
      ...(executable &&
        costsOf({
          chain: fromChain,
          material: executable,
          nativeIn: tokenIn.isNative ? amountIn : 0n,
          isNativeOut: toChain === fromChain && tokenOut.isNative,
          spent,
          fees,
          ...(rates && { solana: rates.most }),
          statedUnits: statedUnits(step),
        })),
      ...(transactionRequest !== null && callsOf({ ...transactionRequest, approval })),
      verification,
      tool: statedWord(step.tool),
      ...(TRANSACTION_ID.test(step.transactionId ?? '') && {
        transactionId: step.transactionId!.toLowerCase(),
      }),
      fromToken: describeToken(fromChain, tokenIn, tokenIn.decimals, symbolOf),
      toToken: describeToken(toChain, tokenOut, decimalsOut, symbolOf),
      risks: [risksOf(fromChain.key, tokenIn.address), risksOf(toChain.key, tokenOut.address)],
    }
    return Buffer.from(JSON.stringify(reply))
  }

  /** Asks Sui's nodes for the packages that no table has. */
  async #withUpgrades(
    { value }: XprovQuote,
    { fromChain }: CrossChainOrder,
    facts: SuiFacts | undefined,
    call: Call,
  ): Promise<SuiFacts | undefined> {
    const { suiObjects } = this.#options
    const data = value.transactionRequest?.data
    if (fromChain.family !== 'sui' || suiObjects === undefined || data === undefined) return facts
    const [{ unlistedPackages }, { TABLE_ALONE }] = await Promise.all([
      import('../proof/sui/sui.ts'),
      import('../proof/sui/crossing.ts'),
    ])
    const known = facts ?? TABLE_ALONE
    const upgrades = await suiObjects.upgrades(unlistedPackages(data, known), call)
    return { ...known, upgrades }
  }

  async #prioritized(
    quote: XprovQuote,
    order: CrossChainOrder,
    call: Call,
  ): Promise<{ readonly quote: XprovQuote; readonly paid?: Paid }> {
    const { priority, from, fromChain } = order
    const { prioritize } = this.#options
    const request = quote.value.transactionRequest
    // Guards take units, too.
    const isKept = priority === undefined && (order.guards !== true || fromChain.family !== 'solana')
    if (isKept || prioritize === undefined || request?.data === undefined) return { quote }
    const terms = {
      ...{ from, most: mostForPriority(order), mostPrice: MAX_CROSS_CHAIN_UNIT_PRICE, provider: XPROV },
      ...(priority !== undefined && { priority }),
    }
    const { transaction, paid } = await prioritize(request.data, terms, call)
    return { quote: withTransaction(quote, transaction), ...(priority !== undefined && { paid }) }
  }

  /** @throws GatewayError  material_refused; material_unproved, where there is material to sign */
  async #verify(
    quote: XprovQuote,
    order: CrossChainOrder,
    prove: () => Promise<ProvedCrossChain>,
    call: Call,
  ): Promise<{ material: CrossChainMaterial; verification: Verification; spent: Spent | null }> {
    const { fromChain, toChain, tokenIn, tokenOut, amountIn, from, to } = order
    try {
      const { proof, ...material } = await timed(call.scope.request?.timing.verify, prove)
      const executable = materialOf(material)
      // There is nothing to sign, so no minimum level is required.
      if (executable === null) return { material, verification: verified(proof, null), spent: null }
      const building = { chain: fromChain, from, provider: XPROV, material: executable }
      const {
        material: ready,
        verification,
        spent = null,
      } = await verify(building, () => proof, this.#options, call)
      if (ready.kind !== 'solana' || ready.lastValidBlockHeight === null)
        return { material, verification, spent }
      const { transaction: solanaTransaction, lastValidBlockHeight } = ready
      return { material: { ...material, solanaTransaction, lastValidBlockHeight }, verification, spent }
    } catch (error) {
      const asked = { fromChain: fromChain.key, toChain: toChain.key, tokenIn, tokenOut, from, to }
      const built = quote.value.transactionRequest
      logRefusal(this.#options.log, error, XPROV, { ...asked, amountIn: String(amountIn) }, built)
      throw error
    }
  }
}

/** The most lamports that priority may take. */
const mostForPriority = ({ tokenIn, amountIn, worth = null }: CrossChainOrder): bigint =>
  within(
    MAX_JUPITER_PRIORITY_LAMPORTS,
    tokenIn.isNative || tokenIn.address === WRAPPED_SOL_MINT ? amountIn : worth,
  )

function withTransaction({ value, ...quote }: XprovQuote, data: string): XprovQuote {
  return { ...quote, value: { ...value, transactionRequest: { ...value.transactionRequest, data } } }
}

/** @throws GatewayError  material_unproved, no_route, upstream_* */
async function guardedBy(quote: XprovQuote, order: CrossChainOrder, spent: Spent | null) {
  const { from, tokenIn, amountIn } = order
  const terms = { from, sold: tokenIn, amountIn, bought: null, most: mostForPriority(order), provider: XPROV }
  const guarding = await guarded(quote.value.transactionRequest?.data ?? '', terms, spent ?? undefined)
  return { ...guarding, quote: withTransaction(quote, guarding.transaction) }
}

/** @throws GatewayError  unsupported_chain, unsupported_route, unknown_token, recipient_required, unsupported_slippage, invalid_parameter */
export function parseCrossChain(
  input: CrossChainQuery,
  maxComputeUnitPrice: bigint = MAX_CROSS_CHAIN_UNIT_PRICE,
): CrossChainRequest {
  const fromChain = parseXprovChain(input.fromChain, 'fromChain')
  const toChain = parseXprovChain(input.toChain, 'toChain')
  const { priority: text } = input
  const level = PRIORITY_LEVELS.find((one) => one === text)
  const wanted = text === undefined ? undefined : (level ?? Number(text))
  const most =
    maxComputeUnitPrice < MAX_CROSS_CHAIN_UNIT_PRICE ? maxComputeUnitPrice : MAX_CROSS_CHAIN_UNIT_PRICE
  const priority = parsePriority(wanted, fromChain, most)
  const request = {
    fromChain,
    toChain,
    tokenIn: parseTokenOf(fromChain, input.fromToken, 'fromToken'),
    tokenOut: parseTokenOf(toChain, input.toToken, 'toToken'),
    amount: input.amount,
    from: parseWallet(fromChain, input.from, 'from'),
    to: parseWallet(toChain, input.to ?? defaultRecipient(input, fromChain, toChain), 'to'),
    slippage: parseSlippage(input.slippage),
    preference: input.order ?? null,
    ...(priority !== null && { priority }),
    ...(input.guards === true && { guards: true }),
  }
  requireRoute(request)
  return request
}

function parseTokenOf(chain: XprovChain, text: string, field: string): Pick<Token, 'address' | 'isNative'> {
  const token = parseXprovToken(chain, text)
  if (token !== null) return token
  const message = `\`${field}\` must be \`native\` or ${texts.crossChain.tokens[chain.family]}.`
  throw invalidParameter(field, message)
}

function parseWallet(chain: XprovChain, text: string, field: string): string {
  const address = parseAddress(chain, text)
  if (address !== null) return address
  const message = `\`${field}\` must be a wallet's address on ${chain.name}: ${texts.crossChain.wallets[chain.family]}.`
  throw invalidParameter(field, message)
}

function defaultRecipient({ from }: CrossChainQuery, fromChain: XprovChain, toChain: XprovChain): string {
  if (fromChain.family === toChain.family) return from
  const message = `\`to\` is required, because \`from\` is no address on ${toChain.name}; give the recipient's.`
  throw new GatewayError('recipient_required', message, { field: 'to' })
}

/** A fraction: 0.005 is half a percent. A slippage of 1 or more would be no protection. */
function parseSlippage(slippage: number | undefined): string | null {
  if (slippage === undefined) return null
  if (slippage < 1) return String(slippage)
  const message = '`slippage` must be a decimal fraction from 0 to below 1, such as 0.005 for half a percent.'
  throw new GatewayError('unsupported_slippage', message, { field: 'slippage' })
}

/** Units of gas that the provider states for its transaction. */
function statedUnits({ transactionRequest }: Step): bigint | null {
  const limit = transactionRequest?.gasLimit
  return limit === undefined || !/^(0x[0-9a-f]{1,16}|\d{1,16})$/i.test(limit) ? null : BigInt(limit)
}

/** The material as a node executes it; null if the provider built nothing to sign. */
function materialOf({
  transactionRequest,
  approval,
  solanaTransaction,
  suiTransaction,
}: CrossChainMaterial): Material | null {
  if (transactionRequest !== null) {
    const { to, data, value } = transactionRequest
    return { kind: 'evm', to, data, value: String(BigInt(value)), approval }
  }
  if (solanaTransaction !== null) {
    return { kind: 'solana', transaction: solanaTransaction, lastValidBlockHeight: null, extra: {} }
  }
  return suiTransaction === null ? null : { kind: 'sui', transaction: suiTransaction }
}

const TRANSACTION_ID = /^0x[0-9a-fA-F]{64}$/
