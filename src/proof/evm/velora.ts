/**
 * Reads the terms of a call to Velora's Augustus V6.2: it takes `fromAmount` from
 * the caller and pays the beneficiary at least `toAmount`, measured on balances,
 * or reverts. The executor and the pools in between do not change that. For an exact output it takes `fromAmount` too,
 * and what is left after the swap and the fee comes back.
 *
 * Six exact-in functions are accepted: their arguments say which tokens are
 * swapped. The three others (Balancer V2, Maker's PSM, RFQ orders) hide the
 * tokens in an opaque argument, so the request excludes them. Of the exact outputs one is: Uniswap V3's pulls its fee
 * from the caller.
 *
 * All of that is compared before fees are taken, which the partner word sets:
 *
 *   partner:160 | take surplus:95 referral:94 skip blacklist:93 cap:92 direct:91 user's:90 | 0 | fee bps:14
 *
 * The request names no partner, so the word is Velora's default one or has no
 * partner: only Velora takes anything. It takes the fee that the quote states, or,
 * of what is above `quotedAmount`, at most a hundredth of it, as the cap says. So the quoted amount must be the quote's, and the minimum is net of the fee.
 *
 * Import it lazily, so startup does not load the ABI coder.
 *
 * Source: VeloraDEX (ParaSwap) AugustusV6.2: its public ABI, and AugustusFees' masks
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { refuseMaterial } from '../terms/verification.ts'
import { CalldataReader } from './calldata.ts'
import type { SwapTerms } from './swap-terms.ts'
import { grossOfVelora, netOfVelora, VELORA_PARTNER, veloraFee } from './velora-fee.ts'

export interface AugustusTrade {
  readonly srcToken: string
  readonly destToken: string
  readonly fromAmount: bigint
  readonly toAmount: bigint
  readonly quotedAmount: bigint
  readonly metadata: Uint8Array
  /** Zero means the caller. */
  readonly beneficiary: string
}

interface AugustusCall {
  readonly swapData: AugustusTrade
  readonly partnerAndFee: bigint
  readonly permit: Uint8Array
}

export interface GenericCall extends AugustusCall {
  readonly executor: string
  readonly executorData: Uint8Array
}

export interface UniswapCall extends AugustusCall {
  readonly swapData: AugustusTrade & { readonly pools: Uint8Array }
}

const TRADE =
  'address srcToken, address destToken, uint256 fromAmount, uint256 toAmount, uint256 quotedAmount, bytes32 metadata, address beneficiary'
// The trades of all functions have the same name here, which a selector does not depend on.
const TRADE_END = 'uint256 partnerAndFee, bytes permit'
export const GENERIC = `address executor, (${TRADE}) swapData, ${TRADE_END}, bytes executorData`
export const UNISWAP = `(${TRADE}, bytes pools) swapData, ${TRADE_END}`

export const AUGUSTUS = new CalldataReader<{
  swapExactAmountIn: GenericCall
  swapExactAmountInPro: GenericCall
  swapExactAmountInOnUniswapV2: UniswapCall
  swapExactAmountInOnUniswapV3: UniswapCall
  swapExactAmountInOnCurveV1: AugustusCall
  swapExactAmountInOnCurveV2: AugustusCall
  swapExactAmountOut: GenericCall
}>([
  `function swapExactAmountIn(${GENERIC})`,
  `function swapExactAmountInPro(${GENERIC})`,
  `function swapExactAmountInOnUniswapV2(${UNISWAP})`,
  `function swapExactAmountInOnUniswapV3(${UNISWAP})`,
  `function swapExactAmountInOnCurveV1((uint256 curveData, uint256 curveAssets, ${TRADE}) swapData, ${TRADE_END})`,
  `function swapExactAmountInOnCurveV2((uint256 curveData, uint256 i, uint256 j, address poolAddress, ${TRADE}) swapData, ${TRADE_END})`,
  `function swapExactAmountOut(${GENERIC})`,
])

const ZERO = '0x0000000000000000000000000000000000000000'
const NATIVE = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
export const FEE_BPS_MASK = 0x3fffn
/** The bit that limits a partner's share of the surplus to 1 % of the quote. */
export const CAPPED = 1n << 92n
export const PARTNER_AT = 96n
const OWN_PARTNER = BigInt(VELORA_PARTNER)
/** The provider's rounding of its quote, in base units. */
const ROUNDING = 1n

interface VeloraClaim {
  readonly from: string
  readonly expectedOut: bigint
  readonly feeBps: number
  readonly wrappedNative: string
}

/**
 * @param from  the address that will send the call
 * @param expectedOut  the quoted output, in base units, net of the fee
 * @param feeBps  the fee that the quote states
 * @param wrappedNative  the token that pools use for the native coin
 * @throws GatewayError  material_refused: calldata, pools, fees, quoted_amount, permit
 */
export function readVelora(data: string, claim: VeloraClaim): SwapTerms {
  const { from, expectedOut, feeBps, wrappedNative } = claim
  const call = AUGUSTUS.read(data)
  if (call === null) throw refuseMaterial('calldata')
  if (!arePoolsBetween(call, wrappedNative)) throw refuseMaterial('pools')
  const { swapData: trade, partnerAndFee, permit } = call.args
  const taken = feeBpsOf(partnerAndFee)
  if (taken === null || taken > feeBps) throw refuseMaterial('fees')
  const { fromAmount, toAmount, quotedAmount } = trade
  if (permit.length > 0) throw refuseMaterial('permit')
  const terms = {
    tokenIn: trade.srcToken,
    tokenOut: trade.destToken,
    amountIn: fromAmount,
    recipient: trade.beneficiary === ZERO ? from : trade.beneficiary,
    deadline: null,
    checks: ['function', 'pools', 'fees', 'quoted_amount', 'permit'],
  }
  if (isExactOutput(call)) {
    // The contract reverts; whatever is quoted below it, no more leaves.
    if (quotedAmount > fromAmount) throw refuseMaterial('quoted_amount')
    return { ...terms, isExactOut: true, minOut: netOfVelora(toAmount, 0), fees: feesOf(quotedAmount, taken) }
  }
  // Everything above the quoted amount is surplus, so part of a minimum above it could be given away.
  const isQuotes = quotedAmount >= toAmount && netOfVelora(quotedAmount, taken) + ROUNDING >= expectedOut
  if (!isQuotes) throw refuseMaterial('quoted_amount')
  // A higher one costs nobody anything, but is not a figure to show.
  const isMore = quotedAmount > grossOfVelora(expectedOut + ROUNDING, taken)
  const counted = isMore ? grossOfVelora(expectedOut, taken) : quotedAmount
  return { ...terms, minOut: netOfVelora(toAmount, taken), fees: feesOf(counted, taken) }
}

/** Whether it buys exactly an amount, for at most `fromAmount`. */
export const isExactOutput = ({ name }: { readonly name: string }): boolean =>
  name.startsWith('swapExactAmountOut')

/** Velora's fee: of an output, in base units of the bought token, or of the input of an exact output. */
const feesOf = (amount: bigint, bps: number) =>
  bps === 0
    ? []
    : [{ bps, amount: String(veloraFee(amount, bps)), recipient: VELORA_PARTNER, whose: 'velora' }]

/**
 * The fee of a partner word, in bps.
 * @returns null if it is not Velora's own, with the cap and without any other flag
 */
function feeBpsOf(word: bigint): number | null {
  const partner = word >> PARTNER_AT
  const fee = word & FEE_BPS_MASK
  if (word !== ((partner << PARTNER_AT) | CAPPED | fee)) return null
  if (partner !== OWN_PARTNER && (partner !== 0n || fee !== 0n)) return null
  return Number(fee)
}

const WORD = 32
const V2_POOL_BYTES = 2 * WORD
const V3_POOL_BYTES = 3 * WORD
const ADDRESS_BYTES = 20
/** The bit in a V3 pool's first byte that is set if the swap goes from its first token to its second. */
const FORWARD = 0x80

/**
 * Whether a path of pools leads from the sold token to the bought one. The V3
 * callback pays each pool in the pool's token from the wallet, so a path that
 * starts at another token would spend other tokens that the wallet has approved.
 *
 *   V2 pool  token 20 | token 20 | direction and fee 24
 *   V3 pool  forward:1 0:95 token:160 | 0:96 token:160 | fee:256
 */
export function arePoolsBetween(
  { name, args }: { readonly name: string; readonly args: AugustusCall | UniswapCall },
  wrappedNative: string,
): boolean {
  if (!('pools' in args.swapData)) return true
  const { pools, srcToken, destToken } = args.swapData
  const hops = name.endsWith('V3') ? readV3Pools(pools) : readV2Pools(pools)
  if (hops === null) return false
  const inPool = (token: string): string => (token === NATIVE ? wrappedNative.toLowerCase() : token)
  // Tokens that may be held after each pool. V2's direction is not read, so either of its tokens may be.
  let inHand = new Set([inPool(srcToken)])
  for (const hop of hops) {
    inHand = new Set(hop.flatMap(([from, to]) => (inHand.has(from) ? [to] : [])))
    if (inHand.size === 0) return false
  }
  return inHand.has(inPool(destToken))
}

/** The directions in which one pool can be crossed. */
type PoolDirections = readonly (readonly [from: string, to: string])[]

function readV2Pools(pools: Uint8Array): readonly PoolDirections[] | null {
  return (
    cut(pools, V2_POOL_BYTES)?.map((pool) => {
      const [a, b] = [hexOf(pool, 0), hexOf(pool, ADDRESS_BYTES)]
      return [
        [a, b],
        [b, a],
      ]
    }) ?? null
  )
}

function readV3Pools(pools: Uint8Array): readonly PoolDirections[] | null {
  const hops = cut(pools, V3_POOL_BYTES)?.map((pool): PoolDirections | null => {
    const flags = pool[0]! & ~FORWARD
    const gaps = [flags, ...pool.subarray(1, 12), ...pool.subarray(WORD, WORD + 12)]
    if (gaps.some((byte) => byte !== 0)) return null
    const [first, second] = [hexOf(pool, 12), hexOf(pool, WORD + 12)]
    return [(pool[0]! & FORWARD) === 0 ? [second, first] : [first, second]]
  })
  return hops === undefined || hops.includes(null) ? null : (hops as PoolDirections[])
}

/** @returns the records of `length` bytes; undefined if there is none, or if one is incomplete */
function cut(bytes: Uint8Array, length: number): Uint8Array[] | undefined {
  if (bytes.length === 0 || bytes.length % length !== 0) return undefined
  return Array.from({ length: bytes.length / length }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  )
}

const hexOf = (bytes: Uint8Array, at: number): string =>
  `0x${bytesToHex(bytes.subarray(at, at + ADDRESS_BYTES))}`
