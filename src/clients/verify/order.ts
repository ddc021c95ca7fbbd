/** The wallet's order, in the form that the proofs take. */
import { parseAddress, parseToken } from '../../chains/address.ts'
import { parseAmount } from '../../chains/amount.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import { parseChain, parseXprovChain } from '../../chains/find.ts'
import { parseXprovToken } from '../../chains/xprov-token.ts'
import type { BuildOrder, CrossChainOrder as OrderToProve, Token } from '../../proof/terms/order.ts'
import { invalidParameter } from '../../runtime/errors.ts'
import type { CrossChainOrder, Sold, SwapOrder, Trust } from './types.ts'

export interface ReadOrder<Order> {
  readonly order: Order
  readonly minOut: bigint
  /** What the user was shown, for a swap to another chain. */
  readonly expectedOut?: bigint
  /** What only the gateway claims: `decimals`, if no source of the wallet's knows them. */
  readonly stated: readonly string[]
  /** The account, if the order has one. */
  readonly nonce?: string
  /** Absent: it is to swap. */
  readonly isCancel?: boolean
  /** From the module's own tables, or from `trust`; null if neither knows them. */
  readonly decimals: { readonly sold: number | null; readonly bought: number | null }
}

/** Decimals that no amount depends on: it is in base units already. */
const UNUSED = 0
/** The most that any token has. */
const MAX_DECIMALS = 36

/** @throws GatewayError  naming the field that is wrong */
export async function readSwapOrder(order: SwapOrder, trust: Trust): Promise<ReadOrder<BuildOrder>> {
  const chain = parseChain(named(order.chain), 'chain')
  const token = tokenOf(parseToken(chain, order.token), 'token')
  const other = tokenOf(parseToken(chain, order.against ?? 'native'), 'against')
  if (order.side !== 'buy' && order.side !== 'sell') {
    throw invalidParameter('side', '`side` must be buy or sell.')
  }
  const [sold, bought] = order.side === 'buy' ? [other, token] : [token, other]
  const { tokenIn, amountIn, stated, known } = await soldBy(order, chain, sold, trust)
  const output = await boughtBy(order, chain, bought, trust)
  const decimalsOut = output.known
  const from = walletOf(chain, order.from, 'from')
  // It is for the provider; the minimum is what holds here.
  const slippageBps = 1
  const guards = order.guards === true
  const tokenOut = output.token
  const terms = { chain, side: order.side, tokenIn, tokenOut, amountIn, slippageBps, from, guards }
  return {
    order: { ...terms, ...output.exactly, ...receiverOf(order, chain, from) },
    minOut: output.units,
    stated: [...new Set([...stated, ...output.stated])],
    decimals: { sold: known, bought: decimalsOut },
    ...nonceOf(order, chain),
  }
}

/** The bought token and the least of it, which is all of it where `amountOut` says so. */
async function boughtBy(
  { amount, amountOut, minOut }: SwapOrder,
  chain: ChainDefinition,
  bought: Address,
  trust: Trust,
) {
  if (amountOut === undefined) {
    const known = await decimalsOf(chain, bought, trust)
    const token = { ...bought, decimals: known ?? UNUSED }
    return { token, units: unitsOf(minOut, 'minOut'), stated: [], known, exactly: {} }
  }
  if (amount !== undefined) throw invalidParameter('amountOut', 'Give `amountOut` or `amount`, not both.')
  const names = ['amountOut', 'minOut'] as const
  const sold = await soldBy({ amount: amountOut, amountIn: minOut }, chain, bought, trust, names)
  const { tokenIn: token, amountIn: units, stated, known } = sold
  return { token, units, stated, known, exactly: { amountOut: units } }
}

function receiverOf({ receiver }: SwapOrder, chain: ChainDefinition, from: string) {
  if (!receiver || receiver === from) return {}
  if (chain.family === 'evm' || chain.family === 'solana')
    return { receiver: walletOf(chain, receiver, 'receiver') }
  throw invalidParameter('receiver', '`receiver` is for EVM chains and Solana.')
}

function nonceOf({ nonce, cancel = false }: SwapOrder, chain: ChainDefinition) {
  if (nonce === undefined && !cancel) return {}
  if (chain.family === 'solana' && nonce !== undefined)
    return { nonce: walletOf(chain, nonce, 'nonce'), isCancel: cancel }
  throw invalidParameter('nonce', '`nonce` is for Solana, and `cancel` needs it.')
}

/** @throws GatewayError  naming the field that is wrong */
export async function readCrossChainOrder(
  order: CrossChainOrder,
  trust: Trust,
): Promise<ReadOrder<OrderToProve>> {
  const fromChain = parseXprovChain(named(order.fromChain), 'fromChain')
  const toChain = parseXprovChain(named(order.toChain), 'toChain')
  const sold = tokenOf(parseXprovToken(fromChain, order.fromToken ?? 'native'), 'fromToken')
  const tokenOut = tokenOf(parseXprovToken(toChain, order.toToken ?? 'native'), 'toToken')
  const { tokenIn, amountIn, stated, known } = await soldBy(order, fromChain, sold, trust)
  // Bridges count in decimals of their own, and so do their fees.
  if (known === null && order.amount === undefined) throw unknownDecimals(sold)
  const decimalsOut = await decimalsOf(toChain, tokenOut, trust)
  const metadataOut = toChain.coinMetadata?.[tokenOut.address]
  const read: OrderToProve = {
    fromChain,
    toChain,
    tokenIn,
    tokenOut,
    ...(decimalsOut !== null && { decimalsOut }),
    ...(metadataOut !== undefined && { metadataOut }),
    amountIn,
    ...(order.worth !== undefined && { worth: unitsOf(order.worth, 'worth') }),
    from: walletOf(fromChain, order.from, 'from'),
    to: walletOf(toChain, order.to ?? order.from, 'to'),
    // `minOut` alone says how little is enough.
    slippage: '1',
    preference: null,
    guards: order.guards === true,
  }
  return {
    order: read,
    minOut: unitsOf(order.minOut, 'minOut'),
    ...(order.expectedOut !== undefined && { expectedOut: unitsOf(order.expectedOut, 'expectedOut') }),
    stated,
    decimals: { sold: known, bought: decimalsOut },
  }
}

/** An id may be a number. */
const named = (chain: unknown): string =>
  typeof chain === 'string' || typeof chain === 'number' ? `${chain}` : ''

type Address = Pick<Token, 'address' | 'isNative'>

/** @param names  of the two amounts, in the order */
async function soldBy(
  { amount, amountIn }: Sold,
  chain: ChainDefinition,
  sold: Address,
  trust: Trust,
  [decimal, base]: readonly [string, string] = ['amount', 'amountIn'],
) {
  const known = await decimalsOf(chain, sold, trust)
  const given = amountIn === undefined ? null : unitsOf(amountIn, base)
  if (amount === undefined) {
    if (given === null) throw invalidParameter('amount', '`amount` or `amountIn` is required.')
    return { tokenIn: { ...sold, decimals: known ?? UNUSED }, amountIn: given, stated: [], known }
  }
  const decimals = known ?? (given === null ? null : decimalsBetween(amount, given, chain))
  if (decimals === null) throw unknownDecimals(sold)
  const units = parseAmount(amount, decimals, chain.family, decimal)
  if (given !== null && given !== units) {
    throw invalidParameter(base, `\`${base}\` is not \`${decimal}\` with ${decimals} decimals.`)
  }
  return {
    tokenIn: { ...sold, decimals },
    amountIn: units,
    stated: known === null ? ['decimals'] : [],
    known,
  }
}

const unknownDecimals = ({ address }: Address) =>
  invalidParameter('amount', `Bring \`trust.decimals\` of ${address}, or both amounts.`)

/** @returns the decimals that relate the two amounts; null if there are none */
function decimalsBetween(amount: string, units: bigint, chain: ChainDefinition): number | null {
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++) {
    try {
      if (parseAmount(amount, decimals, chain.family) === units) return decimals
    } catch {
      // Too few decimals for its fraction, or too many for the chain.
    }
  }
  return null
}

/** @returns null if nobody says */
async function decimalsOf(
  chain: ChainDefinition,
  { address, isNative }: Address,
  trust: Trust,
): Promise<number | null> {
  if (isNative) return chain.decimals
  const known = chain.stablecoins.find((coin) => coin.address === address)
  if (known !== undefined) return known.decimals
  const decimals = (await trust.decimals?.(chain.key, address, chain.chainId)) ?? null
  if (decimals === null || (Number.isInteger(decimals) && decimals >= 0 && decimals <= MAX_DECIMALS))
    return decimals
  throw invalidParameter('amount', `\`trust.decimals\` must answer 0 to ${MAX_DECIMALS}, or null.`)
}

function tokenOf(token: Address | null, field: string): Address {
  if (token !== null) return token
  throw invalidParameter(field, `\`${field}\` must be \`native\` or a token's address on its chain.`)
}

function walletOf(chain: ChainDefinition, text: string, field: string): string {
  const address = parseAddress(chain, text)
  if (address !== null) return address
  throw invalidParameter(field, `\`${field}\` must be a wallet's address on ${chain.name}.`)
}

function unitsOf(text: string, field: string): bigint {
  if (typeof text === 'string' && /^\d{1,78}$/.test(text) && BigInt(text) > 0n) return BigInt(text)
  throw invalidParameter(field, `\`${field}\` must be base units above zero, in decimal.`)
}
