/**
 * The most that material may cost beyond the ordered amount: one bound for each kind of fee, with its reason.
 * Amounts are in the chain's base units. These are bounds, not estimates: several times what an honest
 * transaction costs on a busy day, so they refuse only a drain. A flat bound is a drain of a small order, so
 * if the order's value in the native coin is known, `within` also bounds the fee by a share of it.
 */

import evmFees from './evm-fees.json' with { type: 'json' }

/** The share of an order that a fee in the native coin may take, in bps of the order's worth. */
export const FEE_SHARE_BPS = 1_000n

export const BPS = 10_000n

/**
 * The lower of a flat bound and the order's share.
 * @param worth  of the order, in base units of the native coin; null if it trades other tokens
 * @param least  the amount that an order of any value may pay
 */
export const within = (flat: bigint, worth: bigint | null, least = 0n): bigint => {
  const share = worth === null ? flat : (worth * FEE_SHARE_BPS) / BPS
  const most = share < flat ? share : flat
  return most < least ? least : most
}

/**
 * The highest priority fee of a Solana transaction, in lamports: twice the cap that Jupiter is asked to
 * respect.
 */
export const MAX_PRIORITY_LAMPORTS = 2_000_000n

/**
 * Token accounts that a Solana transaction may open for the wallet besides those of the two tokens:
 * routes over several markets hold intermediate tokens there. Each locks rent, which the wallet gets
 * back when it closes the account.
 */
export const MAX_OPENED_ACCOUNTS = 3

/**
 * The most, in bps, that a transaction of Jupiter's order API takes: the gateway requests none, but files of
 * earlier trades have them.
 */
export const MAX_JUPITER_FEE_BPS = 50

/** Velora's own fee, in bps of the output: it takes 1 if no partner is named. */
export const MAX_VELORA_FEE_BPS = 10

/** Lamports that a cross-chain swap from Solana may tip the services that land transactions. */
export const MAX_CROSS_CHAIN_TIP_LAMPORTS = 10_000_000n

/** Micro-lamports per compute unit of a cross-chain swap: the default bound of a swap, see config/defaults.ts. */
export const MAX_CROSS_CHAIN_UNIT_PRICE = 50_000_000n

/** Solana's charges, in lamports: see providers/solana-rates.ts. */
export interface SolanaRates {
  /** What each byte of an account locks, of its data and ACCOUNT_OVERHEAD more. */
  readonly perByte: bigint
  readonly perSignature: bigint
}

/**
 * The most of each if the chain was not asked, as in `@swapgate/client/verify`: rent as it was until September 2026,
 * and four times the fee.
 */
export const SOLANA_CEILING: SolanaRates = { perByte: 6_960n, perSignature: 20_000n }

export const ACCOUNT_OVERHEAD = 128n
export const TOKEN_ACCOUNT_BYTES = 165n
/** A token account with a few extensions. */
const LONG_ACCOUNT_BYTES = 303n
/** An account that a market keeps for a wallet, such as a volume counter. */
const MARKET_ACCOUNT_BYTES = 174n
/** All that a bridge opens for an order. */
const BRIDGE_BYTES = 1_309n

/** The rent of an account of this many bytes. */
export const rentOf = (bytes: bigint, { perByte }: SolanaRates = SOLANA_CEILING): bigint =>
  (bytes + ACCOUNT_OVERHEAD) * perByte

/** Rent of a token account: of the older token program, or with a few extensions. */
export const accountRent = (rates: SolanaRates): bigint => rentOf(LONG_ACCOUNT_BYTES, rates)

/**
 * Lamports that a bridge on Solana may take beyond the input: deBridge charges 0.015 SOL for an order, however small,
 * and there is rent of the accounts that it opens.
 */
export const bridgeLamports = (rates: SolanaRates): bigint => 15_000_000n + rentOf(BRIDGE_BYTES, rates)

/**
 * Lamports that a Solana route's markets may take as rent of accounts that they keep for the wallet: of two
 * such accounts, or one if an order is worth little.
 */
export const routeRent = (worth: bigint | null, rates: SolanaRates): bigint => {
  const one = rentOf(MARKET_ACCOUNT_BYTES, rates)
  return within(2n * one, worth, one)
}

/**
 * Lamports that a wallet has to hold in addition to the input of a cross-chain swap: the rent of the token
 * account that the order is paid into, a signature, and the minimum of the wallet's own account.
 */
export const solanaExtraNative = (rates: SolanaRates): bigint =>
  rentOf(TOKEN_ACCOUNT_BYTES, rates) + rates.perSignature + rentOf(0n, rates)

/**
 * Lamports that stay in a wallet which spends all of its SOL: the rent of two token accounts, of which one is back at
 * once, what keeps its own account, a signature, and the most that a priority costs.
 */
export const solanaReserve = (rates: SolanaRates): bigint =>
  solanaExtraNative(rates) + rentOf(TOKEN_ACCOUNT_BYTES, rates) + MAX_PRIORITY_LAMPORTS / 2n

const GWEI = 10n ** 9n
/** A thousandth of a coin. */
const MILLI = 10n ** 15n

/**
 * By chain key. A messaging fee is worth about thirty dollars at most. Arbitrum's gas includes the cost of the data on
 * Ethereum, and Mantle's units of gas are thousands of times smaller than others'.
 */
const EVM_FEES = new Map(
  Object.entries(evmFees).map(([chainKey, { messagingMilli, gasPriceGwei, gasMilli, gasLimit }]) => [
    chainKey,
    {
      /** Wei that a bridge may charge for its message, beyond the input. */
      messaging: BigInt(messagingMilli) * MILLI,
      /** Wei per unit of gas. */
      gasPrice: BigInt(gasPriceGwei) * GWEI,
      /** Units. */
      gasLimit: BigInt(gasLimit),
      /** Wei for the gas of the whole transaction: price and limit both at their bounds would be too much. */
      gas: BigInt(gasMilli) * MILLI,
    },
  ]),
)

/** A chain without a row may charge nothing beyond the input. */
const NONE = { messaging: 0n, gasPrice: 0n, gasLimit: 0n, gas: 0n }

export const evmFeesOf = (chainKey: string) => EVM_FEES.get(chainKey) ?? NONE

/**
 * The route provider's own fee, in bps of the amount swapped or sent, taken in
 * steps before the others. It charges 25 when no integrator fee is requested.
 */
export const LIFI_FEE_BPS = 100n

/**
 * What a relayer keeps when an order is refunded or cancelled, in bps of the amount sent across. Mayan
 * charges a flat half dollar at most, and an unfilled order costs its wallet this.
 */
export const REFUND_FEE_BPS = 500n

/** The loss allowed when a bridge wraps the native coin first, in bps of the amount sent across. */
export const WRAP_LOSS_BPS = 100n

/**
 * The highest gas budget of a Sui transaction, in MIST: several times what a swap over many venues costs,
 * most of it rent.
 */
export const MAX_SUI_GAS_BUDGET = 500_000_000n

/** The gas budget, in MIST, that an order of any worth may have: a swap is built with less. */
export const LEAST_SUI_GAS_BUDGET = 100_000_000n

export const suiGasBudget = (worth: bigint | null): bigint =>
  within(MAX_SUI_GAS_BUDGET, worth, LEAST_SUI_GAS_BUDGET)

/** MIST per unit of gas: fifty times the usual price, as a crowded pool costs on a busy day. */
export const MAX_SUI_GAS_PRICE = 50_000n

/**
 * What a router on Sui may keep, in millionths of the input: the route provider's own fee, a quarter of a
 * percent.
 */
export const MAX_SUI_ROUTER_FEE_PPM = 2_500n

/** The most TON for gas in addition to the sold amount, in nanoTON. A swap returns the unused part. */
export const MAX_TON_GAS = 1_000_000_000n

/** The gas, in nanoTON, that an order of any worth may have: STON.fi's own SDK sends 0.31 TON along, DeDust's 0.3. */
export const LEAST_TON_GAS = 350_000_000n

export const tonGas = (worth: bigint | null): bigint => within(MAX_TON_GAS, worth, LEAST_TON_GAS)

/**
 * MIST that a wallet has to hold in addition to the input: the least that an order to another chain costs.
 */
export const SUI_EXTRA_NATIVE = 2_000_000n

/** MIST that a message of Wormhole's may cost on Sui, beyond the input: it is free at present. */
export const MAX_SUI_MESSAGE_FEE = 100_000_000n

/**
 * The most that Mayan keeps of an order's output, in bps: its contracts refuse more, and set it themselves.
 */
export const MAX_MAYAN_PROTOCOL_BPS = 100n
