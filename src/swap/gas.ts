/**
 * What a swap's gas costs in the token that comes out, so that offers can be ranked by what is left of them. The
 * units are the provider's, at least those that any swap takes; the price is the node's; rollups add what the data
 * costs on layer 1, by their own contract; and the native coin is counted in what comes out by prices on which two
 * independent sources agree. It ranks and is shown: nothing that is signed depends on it.
 *
 * Source: ethereum/execution-apis eth_gasPrice · ethereum-optimism/specs GasPriceOracle · Scroll L1GasPriceOracle ·
 * Offchain Labs' NodeInterface
 */
import { nativeAddress } from '../chains/address.ts'
import type { ChainDefinition, EvmChain } from '../chains/definition.ts'
import { valueAt } from '../chains/usd.ts'
import { evmFeesOf } from '../proof/fees.ts'
import type { Order } from '../proof/order.ts'
import type { CallOptions, Offer } from '../providers/provider.ts'
import { atMost, CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { Coalescer } from '../upstream/coalescing.ts'
import type { EvmRpc } from '../upstream/nodes/evm-rpc.ts'
import type { Gas, PriceOf } from './fair.ts'

/** Never rejects because of a source. @returns null where the gas cannot be counted */
export type GasOf = (order: Order, options: CallOptions) => Promise<Gas | null>

/** Less than any swap of a token through a router: what a provider states below it is not believed. */
export const LEAST_UNITS = 80_000n
/** Prices of gas move with each block, and rank the same for a few. */
const KEPT_MS = 10_000
export const SAMPLE_BYTES = 1_024
const COIN_DECIMALS = 18
const COIN = 10n ** BigInt(COIN_DECIMALS)

/** Where a rollup says what data costs on layer 1. */
interface DataFeeSource {
  readonly to: string
  readonly call: string
  read(words: readonly bigint[]): bigint
}

const word = (value: number): string => value.toString(16).padStart(64, '0')
/** As calldata is: words that hold 20 bytes each. */
const SAMPLE = Array.from({ length: SAMPLE_BYTES / 32 }, (_, i) => {
  const digits = Array.from({ length: 40 }, (_, j) => ((i * 7 + j * 11 + ((i * j) % 13)) % 16).toString(16))
  return digits.join('').padStart(64, '0')
}).join('')
const BYTES = word(SAMPLE_BYTES) + SAMPLE

/** getL1Fee(bytes), in wei. */
const oracle = (to: string): DataFeeSource => ({
  to,
  call: `0x49948e0e${word(32)}${BYTES}`,
  read: ([fee = 0n]) => fee,
})
const OP_ORACLE = oracle('0x420000000000000000000000000000000000000F')

/** By chain key. A chain with such a fee and without a row cannot be counted. */
export const DATA_FEES: ReadonlyMap<string, DataFeeSource> = new Map([
  ['base', OP_ORACLE],
  ['optimism', OP_ORACLE],
  ['unichain', OP_ORACLE],
  ['scroll', oracle('0x5300000000000000000000000000000000000002')],
  [
    'arbitrum',
    {
      to: '0x00000000000000000000000000000000000000C8',
      // gasEstimateL1Component(address,bool,bytes): units, their price, that of layer 1.
      call: `0x77d488a2${word(0)}${word(0)}${word(96)}${BYTES}`,
      read: ([units = 0n, price = 0n]) => units * price,
    },
  ],
])

export interface ChainFees {
  /** Wei per unit. */
  readonly price: bigint
  /** Wei for 1,024 bytes of calldata on layer 1. */
  readonly dataFee: bigint
}

/** Never rejects because of a source. @returns null where the fees of a chain cannot be told */
export type FeesOf = (chain: ChainDefinition, options: CallOptions) => Promise<ChainFees | null>

export class GasPrices {
  readonly #evm: (chain: EvmChain) => Pick<EvmRpc, 'gasPrice' | 'call'>
  readonly #priceOf: PriceOf
  readonly #clock: Clock
  readonly #fees: Coalescer<ChainFees>

  constructor(
    evm: (chain: EvmChain) => Pick<EvmRpc, 'gasPrice' | 'call'>,
    priceOf: PriceOf,
    clock: Clock = CLOCK,
  ) {
    this.#evm = evm
    this.#priceOf = priceOf
    this.#clock = clock
    this.#fees = new Coalescer(KEPT_MS, clock)
  }

  readonly gasOf: GasOf = async (order, options) => {
    const { chain } = order
    if (!isCountable(chain)) return null
    let gas: Gas | null = null
    const counting = this.#count(chain, order, options).then((counted) => {
      gas = counted
    })
    await atMost(this.#clock, options.deadlineMs, counting)
    return gas
  }

  readonly feesOf: FeesOf = async (chain, options) => {
    if (!isCountable(chain)) return null
    let fees: ChainFees | null = null
    const asking = this.#feesOf(chain, options).then((told) => {
      fees = told
    })
    await atMost(this.#clock, options.deadlineMs, asking)
    return fees
  }

  async #count(chain: EvmChain, { tokenOut }: Order, options: CallOptions): Promise<Gas | null> {
    const priced = (address: string) => this.#priceOf(chain.key, address, options, () => false)
    const [fees, coin, out] = await Promise.all([
      this.#feesOf(chain, options),
      priced(nativeAddress(chain)),
      tokenOut.isNative ? null : priced(tokenOut.address),
    ])
    const usdPerCoin = coin?.high ?? null
    const usdPerOut = tokenOut.isNative ? usdPerCoin : (out?.low ?? null)
    if (fees === null) return null
    if (tokenOut.isNative) return { ...fees, outPerCoin: COIN, usdPerCoin, usdPerOut }
    if (usdPerCoin === null || usdPerOut === null || usdPerOut === 0n) return null
    return {
      ...fees,
      outPerCoin: (usdPerCoin * 10n ** BigInt(tokenOut.decimals)) / usdPerOut,
      usdPerCoin,
      usdPerOut,
    }
  }

  async #feesOf(chain: EvmChain, { deadlineMs, scope }: CallOptions): Promise<ChainFees | null> {
    const source = DATA_FEES.get(chain.key)
    try {
      return await this.#fees.join(chain.key, scope?.staying() ?? null, async (shared) => {
        const node = this.#evm(chain)
        const [price, answer] = await Promise.all([
          node.gasPrice(deadlineMs, shared),
          source === undefined ? null : node.call(source.to, source.call, deadlineMs, shared),
        ])
        const words = (answer ?? '0x').slice(2).match(/[0-9a-f]{64}/gi) ?? []
        if (source !== undefined && words.length === 0) throw new GatewayError('upstream_unusable', NO_ORACLE)
        const dataFee = source?.read(words.map((hex) => BigInt(`0x${hex}`))) ?? 0n
        const { gasPrice: mostPrice, gas: mostGas } = evmFeesOf(chain.key)
        return { price: least(price, mostPrice), dataFee: least(dataFee, mostGas) }
      })
    } catch (error) {
      if (error instanceof GatewayError) return null
      throw error
    }
  }
}

const isCountable = (chain: ChainDefinition): chain is EvmChain =>
  chain.family === 'evm' && (chain.hasL1Fee !== true || DATA_FEES.has(chain.key))

const NO_ORACLE = "The chain's node does not say what data costs on layer 1."
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Wei for the transaction of an offer; null where the provider states nothing. */
function weiOf({ gas: stated }: Offer, { price, dataFee }: Gas): bigint | null {
  if (stated === undefined) return null
  const units = BigInt(stated.units)
  return (
    (units < LEAST_UNITS ? LEAST_UNITS : units) * price +
    (BigInt(stated.bytes) * dataFee) / BigInt(SAMPLE_BYTES)
  )
}

/** What is left of an offer after its gas, in base units of what comes out: below zero where gas takes more. */
export function netOf(offer: Offer, gas: Gas | null): bigint | null {
  const wei = gas && weiOf(offer, gas)
  return wei === null ? null : offer.expectedOut - (wei * gas!.outPerCoin) / COIN
}

/** What an answer says of an offer's gas. */
export function gasFields(offer: Offer, { tokenOut }: Pick<Order, 'tokenOut'>, gas: Gas | null) {
  const [wei, net] = [gas && weiOf(offer, gas), netOf(offer, gas)]
  const usd = (amount: bigint | null, decimals: number, price: bigint | null | undefined): number | null =>
    amount === null || price === null || price === undefined
      ? null
      : Number(valueAt(amount, decimals, price)) / 1e6
  return {
    gasUsd: usd(wei, COIN_DECIMALS, gas?.usdPerCoin),
    netOut: net === null ? null : String(net),
    netOutUsd: usd(net, tokenOut.decimals, gas?.usdPerOut),
  }
}
