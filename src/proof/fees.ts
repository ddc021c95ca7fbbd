/**
 * What material may cost beside the amount that was ordered: one row for each
 * kind of fee, with the reason of its bound. Amounts in the chain's base units.
 * Bounds, and no estimates: some times what an honest transaction costs on a
 * busy day, so that they refuse a drain and nothing else.
 */

/** Lamports of priority that a Solana transaction may offer: twice what Jupiter is asked to stay under. */
export const MAX_PRIORITY_LAMPORTS = 2_000_000n

/**
 * Token accounts of the wallet's that a Solana transaction may open beside those of the two tokens:
 * routes over several markets keep what is between them there. Each keeps about 0.002 SOL of rent,
 * which the wallet gets back when it closes the account.
 */
export const MAX_OPENED_ACCOUNTS = 3

/** Jupiter's own fee and an integrator's, in basis points: none is asked for. */
export const MAX_JUPITER_FEE_BPS = 0

/** Lamports that a cross-chain swap from Solana may pay to anybody in plain transfers: the fees of bridges and of LI.FI. */
export const MAX_CROSS_CHAIN_TIP_LAMPORTS = 10_000_000n

/**
 * Lamports that a bridge on Solana may take beside the input, with the rent of
 * the accounts that it opens: deBridge wants 0.015 SOL for an order.
 */
export const MAX_BRIDGE_LAMPORTS = 25_000_000n

/** Lamports that a token account keeps: one of the older token program, or with a few extensions. */
export const MAX_ACCOUNT_RENT = 3_000_000n

/** Lamports of one signature. */
export const SIGNATURE_LAMPORTS = 5_000n

export interface EvmFees {
  /** Wei that a bridge may take for its message, beside the input. */
  readonly messaging: bigint
  /** Wei for a unit of gas. */
  readonly gasPrice: bigint
  /** Units. */
  readonly gasLimit: bigint
  /** Wei for the whole transaction: both of the above at their bounds would be too much. */
  readonly gas: bigint
}

const GWEI = 10n ** 9n
const MILLI = 10n ** 15n
const COIN = 10n ** 18n

const row = (messaging: bigint, gasPrice: bigint, gas: bigint, gasLimit = 10_000_000n): EvmFees => ({
  messaging,
  gasPrice,
  gasLimit,
  gas,
})

/** Rollups that are paid in ether. */
const ROLLUP = row(10n * MILLI, 50n * GWEI, 20n * MILLI)

/** By chain key. A messaging fee is worth some thirty dollars at most. */
const EVM_FEES: ReadonlyMap<string, EvmFees> = new Map([
  ['ethereum', row(10n * MILLI, 500n * GWEI, 300n * MILLI)],
  ['bsc', row(50n * MILLI, 50n * GWEI, 50n * MILLI)],
  ['base', ROLLUP],
  // Its gas is counted with what the data costs on Ethereum.
  ['arbitrum', { ...ROLLUP, gasLimit: 50_000_000n }],
  ['optimism', ROLLUP],
  ['polygon', row(100n * COIN, 5_000n * GWEI, 20n * COIN)],
  ['avalanche', row(COIN, 1_000n * GWEI, COIN)],
  ['linea', ROLLUP],
  // Its gas is counted in units that are thousands of times smaller.
  ['mantle', row(30n * COIN, GWEI, 20n * COIN, 20_000_000_000n)],
  ['sonic', row(100n * COIN, 5_000n * GWEI, 50n * COIN)],
  ['unichain', ROLLUP],
  ['berachain', row(10n * COIN, 100n * GWEI, COIN)],
  ['hyperevm', row(500n * MILLI, 500n * GWEI, 500n * MILLI)],
  ['monad', row(500n * COIN, 5_000n * GWEI, 50n * COIN)],
  ['plasma', row(100n * COIN, 5_000n * GWEI, 50n * COIN)],
  ['scroll', ROLLUP],
  ['gnosis', row(30n * COIN, 500n * GWEI, 5n * COIN)],
])

/** A chain without a row pays nothing beside the input. */
const NONE = row(0n, 0n, 0n, 0n)

export const evmFeesOf = (chainKey: string): EvmFees => EVM_FEES.get(chainKey) ?? NONE

/**
 * Of what is swapped or sent, in bps: the route provider's own fee, which it
 * takes in steps before the others. It asks for 25 where no integrator fee was
 * asked for.
 */
export const LIFI_FEE_BPS = 100n

/** Of what crosses, in bps: what a relayer keeps where an order is refunded or cancelled. */
export const REFUND_FEE_BPS = 1_000n

/** Of what crosses, in bps: a native coin that a bridge wraps before it takes it. */
export const WRAP_LOSS_BPS = 100n

export const BPS = 10_000n

/** MIST of gas that a Sui transaction may offer: several times what a swap over many venues takes, of which most is rent. */
export const MAX_SUI_GAS_BUDGET = 500_000_000n

/** MIST for a unit of gas: fifty times the usual price, as a crowded pool asks on a busy day. */
export const MAX_SUI_GAS_PRICE = 50_000n

/** Millionths of the input that a router on Sui may keep: the route provider's own fee, a quarter of a percent. */
export const MAX_SUI_ROUTER_FEE_PPM = 2_500n
