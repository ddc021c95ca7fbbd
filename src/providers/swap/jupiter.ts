/**
 * Jupiter, the aggregator of Solana's markets, by its build API: one request gives the quote and the instructions of the
 * swap, over Jupiter's own router (Metis) only and without a fee of Jupiter's.
 * The transaction is composed here.
 *
 *   [advance of the order's nonce][compute unit limit][compute unit price][setup][swap][cleanup][other]
 *
 * A request must name a wallet. A quote names a placeholder, so that Jupiter does
 * not learn the client's, and its instructions are dropped: a build asks again, and
 * holds the new quote to the minimum of the old one.
 *
 * The accounts that the proof reads are static keys even if a lookup table holds
 * them; the rest come from the tables. If the transaction is still too large for a
 * packet, a route over fewer accounts is requested; once also if it leaves the wallet
 * less room than the order asks for.
 *
 * For another wallet `destinationTokenAccount` names its associated account, which is created here before the swap: so
 * its token program has to be known, and a quote keeps that of its own instructions. Jupiter's older API then wraps no
 * SOL, and the newer one doesn't say: it's asked not to, and SOL is wrapped here.
 *
 * Source: §4.5, §4.6 · jup-ag/docs, OpenAPI of the Swap API v2, swap/build, swap/build/other-instructions; api-v6/post-swap-instructions
 * (wrapAndUnwrapSol)
 */

import { type Static, Type } from 'typebox'
import { associatedAccount } from '../../chains/solana/associated.ts'
import { decodeKey, isBase58Of } from '../../chains/solana/base58.ts'
import {
  highestPrice,
  limitData,
  MAX_COMPUTE_UNITS,
  priceData,
  priorityLamports,
  SET_LIMIT,
  SET_PRICE,
} from '../../chains/solana/compute-budget.ts'
import { closeTokenAccount, createTokenAccount, wrapping } from '../../chains/solana/instructions.ts'
import { compileTransaction, type InstructionParts } from '../../chains/solana/message.ts'
import { advanceNonce } from '../../chains/solana/nonce.ts'
import {
  COMPUTE_BUDGET_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import { KEY_BYTES, MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'
import { MAX_COMPUTE_UNIT_PRICE } from '../../config/defaults.ts'
import type { Call } from '../../flow/call.ts'
import { leastOf, proveJupiter, ROUTE_LAYOUTS } from '../../proof/solana/jupiter.ts'
import type { SwapClaim } from '../../proof/solana/swap.ts'
import type { Material } from '../../proof/terms/material.ts'
import type { BuildOrder, Order, Token } from '../../proof/terms/order.ts'
import { refuseMaterial } from '../../proof/terms/verification.ts'
import { sleep } from '../../runtime/clock.ts'
import { GatewayError, nullIfRefused } from '../../runtime/errors.ts'
import type { Upstream } from '../../upstream/upstream.ts'
import { answerReader, maybe } from '../answer.ts'
import { GUARD_BYTES } from '../guards.ts'
import type { Offer, SwapProvider } from '../provider.ts'
import { refusalOf, throwIf } from '../refusals.ts'
import { getAny } from '../requests.ts'
import {
  isFor,
  mintOf,
  mostForPriority,
  orderQuery,
  Priced,
  percent,
  solanaMaterial,
} from './jupiter-wire.ts'
import { statedWord } from './stated.ts'
import { keepingMinimum } from './worth.ts'

const JUPITER = 'jupiter'
/** The market's prices may move further than an older offer allows for: it is quoted again. */
export const FRESH_MS = 30_000
/** A token that is seconds old is not tradable yet, and may be a moment later. */
const RETRY_AFTER_MS = 1_000
/** The second attempt needs this much of the deadline. */
const RETRY_NEEDS_MS = 500
/** The wallet that a quote names: that of the API document's own example. */
const PLACEHOLDER_TAKER = 'GkwFnmMDvn3HGMpJpWBg8tgJxr3NxNvg3AXxvXVPbRGJ'
/** How many accounts a route may have in each attempt; null is Jupiter's default, 64. */
const MAX_ACCOUNTS: readonly (number | null)[] = [null, 48, 32, 24]
/**
 * The answer has no compute unit limit, and an execution gives it one (see priority.ts). These are the
 * fallback if no execution succeeds: 420,000 was too little for one step on mainnet, and a failed transaction
 * still costs its fee.
 */
const UNITS_PER_SWAP = 400_000
const UNITS_PER_STEP = 200_000
/** How long a route that leaves more room is waited for, ms. */
const SHORTER_MS = 1_500
const KIND_BYTES = 8

const JupiterInstruction = Type.Object({
  programId: Type.String(),
  accounts: Type.Array(
    Type.Object({ pubkey: Type.String(), isSigner: Type.Boolean(), isWritable: Type.Boolean() }),
  ),
  /** base64 */
  data: Type.String(),
})
type JupiterInstruction = Static<typeof JupiterInstruction>

export const V2Build = Type.Object({
  ...Priced.properties,
  routePlan: Type.Array(Type.Object({ swapInfo: Type.Object({ label: Type.Optional(Type.String()) }) })),
  swapMode: Type.Optional(Type.String()),
  /** A fraction, positive is a loss. */
  priceImpactPct: Type.Optional(Type.String()),
  computeBudgetInstructions: Type.Array(JupiterInstruction),
  setupInstructions: Type.Array(JupiterInstruction),
  swapInstruction: JupiterInstruction,
  cleanupInstruction: maybe(JupiterInstruction),
  otherInstructions: maybe(Type.Array(JupiterInstruction)),
  addressesByLookupTableAddress: maybe(Type.Record(Type.String(), Type.Array(Type.String()))),
})
export type V2Build = Static<typeof V2Build>

const readBuild = answerReader(V2Build)
const readError = answerReader(Type.Object({ errorCode: Type.String() }))
const readFailure = answerReader(Type.Object({ error: Type.String() }))

export interface JupiterOptions {
  readonly upstream: Upstream
  /** Micro-lamports per compute unit that a transaction may offer. */
  readonly maxComputeUnitPrice?: bigint
}

export function jupiter(options: JupiterOptions): SwapProvider {
  const { upstream, maxComputeUnitPrice = MAX_COMPUTE_UNIT_PRICE } = options
  return {
    label: JUPITER,
    freshMs: FRESH_MS,
    chains: new Set(['solana']),
    paysOthers: true,
    async quote(order, call) {
      const askNow = () => ask(upstream, order, { taker: PLACEHOLDER_TAKER }, null, call)
      return offerOf(await untilTradable(askNow, call))
    },
    build: (order, offer, call) => build(upstream, order, offer, call),
    prove(order, offer, material) {
      if (material.kind !== 'solana') throw refuseMaterial('kind')
      return proveJupiter(material.transaction, claimOf(order, offer), { maxComputeUnitPrice })
    },
  }
}

/** What a transaction of Solana has to do for an order. */
export function claimOf(order: BuildOrder, { minOut }: Offer): SwapClaim {
  const { from, tokenIn, tokenOut, amountIn, worth = null, solana, nonce, receiver, guards = false } = order
  const [mintIn, mintOut] = [mintOrSol(tokenIn), mintOrSol(tokenOut)]
  return { from, mintIn, mintOut, amountIn, minOut, worth, guards, solana, nonce, receiver }
}

const mintOrSol = ({ isNative, address }: Token): string | null => (isNative ? null : address)

/** Retries once, a second later, for a token that is not tradable yet, if the deadline allows. */
async function untilTradable<Answer>(askNow: () => Promise<Answer>, call: Call): Promise<Answer> {
  try {
    return await askNow()
  } catch (error) {
    const isYoung = error instanceof GatewayError && error.code === 'unknown_token'
    if (!isYoung || call.leftMs < RETRY_AFTER_MS + RETRY_NEEDS_MS) throw error
  }
  await sleep(call.clock, RETRY_AFTER_MS)
  return askNow()
}

async function build(upstream: Upstream, order: BuildOrder, quoted: Offer, call: Call): Promise<Material> {
  const offer = { ...quoted, paid: paidBy(order, quoted) }
  const wallets = walletsOf(order, offer)
  const most = MAX_TRANSACTION_BYTES - (order.guards === true ? GUARD_BYTES : 0)
  for (const [i, maxAccounts] of MAX_ACCOUNTS.entries()) {
    const askFor = (one: BuildOrder) => ask(upstream, one, wallets, maxAccounts, call)
    const built = compose(order, offer, await keepingMinimum(order, offer, JUPITER, askFor, offerOf))
    if (built.bytes > most) continue
    const fewer = MAX_ACCOUNTS[i + 1]
    if (built.bytes + (order.headroomBytes ?? 0) <= most || fewer == null) return built.material
    // One over fewer accounts, by one request, if it keeps the offer's minimum.
    const answer = await ask(upstream, order, wallets, fewer, call.within(SHORTER_MS)).catch(nullIfRefused)
    if (answer === null || offerOf(answer).minOut < offer.minOut) return built.material
    const shorter = compose(order, offer, answer)
    return shorter.bytes < built.bytes ? shorter.material : built.material
  }
  const message = order.guards
    ? `No route leaves room for guards in a transaction of ${MAX_TRANSACTION_BYTES} bytes. Try another amount, or leave \`guards\` out.`
    : `Every route makes a transaction of more than ${MAX_TRANSACTION_BYTES} bytes. Try another amount.`
  throw new GatewayError('no_route', message, { provider: JUPITER })
}

function ask(upstream: Upstream, order: Order, wallets: Wallets, maxAccounts: number | null, call: Call) {
  const query = orderQuery(order)
  for (const [name, address] of Object.entries(wallets)) query.set(name, address)
  // Wrapped SOL stays wrapped if the order names it as a token.
  const wraps = order.tokenIn.isNative || order.tokenOut.isNative
  query.set('wrapAndUnwrapSol', String(wraps && wallets.destinationTokenAccount === undefined))
  query.set('computeUnitPricePercentile', 'high')
  if (maxAccounts !== null) query.set('maxAccounts', maxAccounts.toString())
  const request = getAny<V2Build>(`/swap/v2/build?${query}`, (status, body) => {
    if (isUntradable(status, body)) throw refusalOf(JUPITER, 'TOKEN_NOT_TRADABLE')!
    if (status === 200) {
      const value = readBuild(body)?.value
      const suits = value !== undefined && isFor(order, value) && isSound(value)
      return suits && !upstream.isRevealedBy(body) ? value : null
    }
    // An unlisted code is about the gateway's request; its status is passed through.
    return throwIf(refusalOf(JUPITER, readError(body)?.value.errorCode ?? ''))
  })
  return upstream.ask({ ...request, readsServerErrors: true }, call)
}

/**
 * Whether it failed because the mint is not tradable, for which it has no code here. The
 * token exists, or its decimals would not be known.
 */
function isUntradable(status: number, body: Buffer): boolean {
  return status === 500 && readFailure(body)?.value.error === 'Something unexpected occurred'
}

/** As Jupiter's query names them. */
type Wallets = Readonly<{ taker: string; destinationTokenAccount?: string }>

/** The token program of what another wallet gets, and its account; null if the one that signs gets it. */
type Paying = Offer & { readonly paid: { readonly account: string; readonly program: string } | null }

const walletsOf = ({ from }: BuildOrder, { paid }: Paying): Wallets => ({
  taker: from,
  ...(paid && { destinationTokenAccount: paid.account }),
})

/** @throws GatewayError  no_route, if the quote's route doesn't show the token program */
function paidBy({ receiver, tokenOut }: BuildOrder, { raw }: Offer): Paying['paid'] {
  if (receiver === undefined) return null
  const program = readPaid(Buffer.from(raw))?.value.programOut
  if (program !== undefined)
    return { account: associatedAccount(receiver, mintOf(tokenOut), program), program }
  const message = 'The route does not show which token program the output has. Ask for another quote.'
  throw new GatewayError('no_route', message, { provider: JUPITER })
}

/** What an offer's `raw` has for it. */
const readPaid = answerReader(Type.Object({ programOut: Type.Enum([TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) }))

/** What the schema cannot express. */
function isSound(value: V2Build): boolean {
  const { swapMode = 'ExactIn', addressesByLookupTableAddress } = value
  const used = allOf(value).flatMap(({ programId, accounts }) => [
    programId,
    ...accounts.map(({ pubkey }) => pubkey),
  ])
  const named = [...used, ...Object.keys(addressesByLookupTableAddress ?? {})]
  return swapMode === 'ExactIn' && named.every((address) => isBase58Of(address, 32))
}

const allOf = (value: V2Build): readonly JupiterInstruction[] => [
  ...value.computeBudgetInstructions,
  ...value.setupInstructions,
  value.swapInstruction,
  ...afterSwap(value),
]

const afterSwap = ({ cleanupInstruction, otherInstructions }: V2Build): readonly JupiterInstruction[] => [
  ...(cleanupInstruction ? [cleanupInstruction] : []),
  ...(otherInstructions ?? []),
]

/**
 * The offer in an answer, without the instructions: those of a quote are for the placeholder.
 * @throws GatewayError  amount_too_small
 */
function offerOf(value: V2Build): Offer {
  const { inputMint, inAmount, outputMint, outAmount, otherAmountThreshold, slippageBps, routePlan } = value
  const { priceImpactPct } = value
  const priced = { inputMint, inAmount, outputMint, outAmount, otherAmountThreshold, slippageBps, routePlan }
  const swap = partsOf(value.swapInstruction)
  const programOut = swap.accounts[layoutOf(swap)?.programOut ?? -1]?.address
  const expectedOut = BigInt(outAmount)
  if (expectedOut === 0n) throw refusalOf(JUPITER, 'zero')!
  return {
    expectedOut,
    // The minimum that the program enforces; the provider's own figure is not part of the transaction.
    minOut: leastOf(expectedOut, slippageBps, 0),
    priceImpactPct: priceImpactPct === undefined ? null : percent(Number(priceImpactPct) * 100),
    details: { fees: [], stated: { hops: routePlan.map(({ swapInfo }) => statedWord(swapInfo.label)) } },
    raw: JSON.stringify({ ...priced, priceImpactPct, programOut }),
  }
}

const layoutOf = ({ data }: InstructionParts) =>
  ROUTE_LAYOUTS.get(Buffer.from(data.subarray(0, KIND_BYTES)).toString('hex'))

const partsOf = ({ programId, accounts, data }: JupiterInstruction): InstructionParts => ({
  program: programId,
  accounts: accounts.map(({ pubkey, isSigner, isWritable }) => ({ address: pubkey, isSigner, isWritable })),
  data: Buffer.from(data, 'base64'),
})

/**
 * Jupiter's price per compute unit, lowered if the fee would exceed its bound, and a limit if Jupiter gives
 * none.
 * @param most  lamports of priority fee
 * @returns `lamports` is the priority fee
 */
function budgetOf({ computeBudgetInstructions, routePlan }: V2Build, most: bigint) {
  let limit = Math.min(UNITS_PER_SWAP + UNITS_PER_STEP * routePlan.length, MAX_COMPUTE_UNITS)
  let price: bigint | null = null
  const rest: InstructionParts[] = []
  for (const part of computeBudgetInstructions.map(partsOf)) {
    const data = Buffer.from(part.data)
    const kind = part.program === COMPUTE_BUDGET_PROGRAM ? data[0] : undefined
    if (kind === SET_LIMIT && data.length === 5) limit = data.readUInt32LE(1)
    else if (kind === SET_PRICE && data.length === 9) price = data.readBigUInt64LE(1)
    else rest.push(part)
  }
  const highest = highestPrice(most, limit)
  const paid = price === null || price < highest ? (price ?? 0n) : highest
  const budget = (data: Uint8Array): InstructionParts => ({
    program: COMPUTE_BUDGET_PROGRAM,
    accounts: [],
    data,
  })
  return {
    instructions: [budget(limitData(limit)), ...(price === null ? [] : [budget(priceData(paid))]), ...rest],
    lamports: priorityLamports(paid, limit),
  }
}

/** Its `bytes` are Infinity if there are more accounts than a message can name. */
function compose(order: BuildOrder, offer: Paying, value: V2Build) {
  const { nonce, from } = order
  const budget = budgetOf(value, mostForPriority(order, offer))
  const advance = nonce === undefined ? [] : [advanceNonce(nonce.account, from)]
  const { before, after } = around(order, offer, value)
  const swap = partsOf(value.swapInstruction)
  const bytes = compileTransaction({
    payer: from,
    instructions: [...advance, ...budget.instructions, ...before, swap, ...after],
    tables: value.addressesByLookupTableAddress ?? {},
    pinned: readByProof(order, swap, [...advance, ...before, ...after]),
    // Without a nonce the gateway sets the one of its own node: see proof/solana/blockhash.ts.
    blockhash: nonce === undefined ? new Uint8Array(KEY_BYTES) : decodeKey(nonce.value),
  })
  const transaction = bytes?.toString('base64') ?? ''
  return {
    material: solanaMaterial(transaction, offerOf(value), {
      prioritizationFeeLamports: Number(budget.lamports),
    }),
    bytes: bytes?.length ?? Number.POSITIVE_INFINITY,
  }
}

/** For another wallet, its account and the wallet's SOL are prepared here, whatever of it Jupiter does, too. */
function around(
  { from, receiver, tokenIn, tokenOut, amountIn }: BuildOrder,
  { paid }: Paying,
  value: V2Build,
) {
  const [setup, after] = [value.setupInstructions.map(partsOf), afterSwap(value).map(partsOf)]
  if (paid === null) return { before: setup, after }
  const wrapped = associatedAccount(from, WRAPPED_SOL_MINT, TOKEN_PROGRAM)
  return {
    before: [
      ...setup.filter(({ accounts }) => accounts.every(({ address }) => address !== paid.account)),
      createTokenAccount(from, receiver!, mintOf(tokenOut), paid.program),
      ...(tokenIn.isNative ? wrapping(from, amountIn) : []),
    ],
    after: [...after, ...(tokenIn.isNative ? [closeTokenAccount(wrapped, from)] : [])],
  }
}

/**
 * The accounts that the proof reads: the swap's token accounts and token programs,
 * and every account of the instructions around it. Mints need not be static: the
 * proof derives an associated account's address from its mint.
 */
function readByProof(
  { tokenIn, tokenOut }: BuildOrder,
  swap: InstructionParts,
  around: readonly InstructionParts[],
): ReadonlySet<string> {
  const pinned = new Set(around.flatMap(({ accounts }) => accounts.map(({ address }) => address)))
  const layout = layoutOf(swap)
  if (layout !== undefined) {
    const { source, destinations, programIn, programOut } = layout
    for (const index of [source, ...destinations, programIn, programOut]) {
      const account = swap.accounts[index]
      if (account !== undefined) pinned.add(account.address)
    }
  }
  pinned.delete(mintOf(tokenIn))
  pinned.delete(mintOf(tokenOut))
  return pinned
}
