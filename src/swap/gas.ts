/**
 * What a swap's gas costs in the output token, so that offers can be ranked net of gas. The units are the
 * provider's, but at least those of any swap; the price is one that two nodes agree on; rollups add the cost
 * of data on layer 1, from their own contract; and the native coin is converted at prices that two
 * independent sources agree on. The result ranks and is shown: nothing that is signed depends on it.
 *
 * A node and a provider together could make a lower offer win by false gas costs. So a cost moves an offer by
 * a bounded share, and by little if one node alone reports the price, or one provider alone claims few units.
 *
 * Source: ethereum/execution-apis eth_gasPrice · ethereum-optimism/specs GasPriceOracle · Scroll
 * L1GasPriceOracle · Offchain Labs' NodeInterface
 */
import { nativeAddress } from '../chains/address.ts'
import type { ChainDefinition, EvmChain } from '../chains/definition.ts'
import { valueAt } from '../chains/usd.ts'
import type { Call } from '../flow/call.ts'
import { BPS, evmFeesOf } from '../proof/terms/fees.ts'
import type { Order, OrderTerms } from '../proof/terms/order.ts'
import type { Offer } from '../providers/provider.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { GatewayError, nullIfRefused } from '../runtime/errors.ts'
import { named } from '../runtime/tape.ts'
import { Coalescer } from '../upstream/answers/coalescing.ts'
import type { EvmRpc } from '../upstream/nodes/evm/rpc.ts'
import { amountOf, type ChainFees, type Fair, type Gas, offerValue, type PriceOf } from './fair.ts'

/** Never rejects because of a source. @returns null if the gas cannot be counted */
export type GasOf = (order: Order, call: Call) => Promise<Gas | null>

/** Less than any swap of a token through a router takes: lower claims are not believed. */
export const LEAST_UNITS = 80_000n
/** Gas prices move with each block, but rank the same for a few. */
const KEPT_MS = 10_000
export const SAMPLE_BYTES = 1_024
const COIN_DECIMALS = 18
const COIN = 10n ** BigInt(COIN_DECIMALS)

/** Where a rollup reports the price of data on layer 1. */
type DataFeeSource = Readonly<ReturnType<typeof oracle>>

const word = (value: number): string => value.toString(16).padStart(64, '0')
/** Data like typical calldata: words that hold 20 bytes each. */
const SAMPLE = Array.from({ length: SAMPLE_BYTES / 32 }, (_, i) => {
  const digits = Array.from({ length: 40 }, (_, j) => ((i * 7 + j * 11 + ((i * j) % 13)) % 16).toString(16))
  return digits.join('').padStart(64, '0')
}).join('')
const BYTES = word(SAMPLE_BYTES) + SAMPLE

/** getL1Fee(bytes), in wei. */
const oracle = (to: string) => ({
  to,
  call: `0x49948e0e${word(32)}${BYTES}`,
  read: ([fee = 0n]: readonly bigint[]) => fee,
})
const OP_ORACLE = oracle('0x420000000000000000000000000000000000000F')

/** By chain key. On a chain with such a fee but without a row, gas cannot be counted. */
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

/** The most that a cost moves an offer, in bps of it. */
export const MOST_COST_BPS = 1_000n
/**
 * The same if one node alone reports the gas price; and the most that an offer gains by units that no other
 * confirms.
 */
export const UNCONFIRMED_COST_BPS = 200n
/** Nodes agree if the higher figure is at most this many times the lower. */
const AGREEING_TIMES = 2n
/** More nodes than these are not asked. */
const VOTERS = 3

/** Never rejects because of a source. @returns null if a chain's fees are unknown */
export type FeesOf = (chain: ChainDefinition, call: Call) => Promise<ChainFees | null>

type NodesOf = (chain: EvmChain) => Pick<EvmRpc, 'gasPrice' | 'call' | 'voters'>

/** What gas costs on a chain, asked for at most once in a while. */
export function gasPrices(evm: NodesOf, priceOf: PriceOf, clock: Clock = CLOCK) {
  const kept = new Coalescer<ChainFees>(KEPT_MS, named(clock, 'gas'))

  function askFees(chain: EvmChain, call: Call): Promise<ChainFees | null> {
    const asked = kept.join(chain.key, call.scope.detached(), async (shared) => {
      const nodes = evm(chain)
      const voters = nodes.voters.slice(0, VOTERS)
      // A single host cannot confirm itself, and its other nodes may answer for each other.
      const named: readonly Asked[] =
        voters.length > 1
          ? voters.map((node) => [node.label, node])
          : [[voters[0]?.label ?? chain.key, nodes]]
      const own = call.within(call.leftMs * EARLIER).in(shared)
      return agreedFees(named.map(([label, node]) => feesFrom(label, node, chain, own)))
    })
    return asked.catch(nullIfRefused)
  }

  async function count(chain: EvmChain, { tokenOut }: Order, call: Call): Promise<Gas | null> {
    const priced = (address: string) => priceOf(chain.key, address, call, () => false)
    const [fees, coin, out] = await Promise.all([
      askFees(chain, call),
      priced(nativeAddress(chain)),
      tokenOut.isNative ? null : priced(tokenOut.address),
    ])
    const usdPerCoin = coin?.high ?? null
    const usdPerOut = tokenOut.isNative ? usdPerCoin : (out?.low ?? null)
    if (fees === null) return null
    const prices = [...new Set([...(coin?.sources ?? []), ...(out?.sources ?? [])])]
    const gas = { ...fees, prices, usdPerCoin, usdPerOut }
    if (tokenOut.isNative) return { ...gas, outPerCoin: COIN }
    if (usdPerCoin === null || usdPerOut === null || usdPerOut === 0n) return null
    return { ...gas, outPerCoin: (usdPerCoin * 10n ** BigInt(tokenOut.decimals)) / usdPerOut }
  }

  const gasOf: GasOf = async (order, call) =>
    isCountable(order.chain) ? call.orLate(count(order.chain, order, call), null) : null
  const feesOf: FeesOf = async (chain, call) =>
    isCountable(chain) ? call.orLate(askFees(chain, call), null) : null
  return { gasOf, feesOf }
}

type Asked = readonly [label: string, node: Pick<EvmRpc, 'gasPrice' | 'call'>]
/** A node that hangs leaves time for the others. */
const EARLIER = 2 / 3

async function feesFrom(label: string, node: Asked[1], { key }: EvmChain, call: Call): Promise<ChainFees> {
  const source = DATA_FEES.get(key)
  const [price, answer] = await Promise.all([
    node.gasPrice(call),
    source === undefined ? null : node.call(source.to, source.call, call),
  ])
  const words = (answer ?? '0x').slice(2).match(/[0-9a-f]{64}/gi) ?? []
  if (source !== undefined && words.length === 0) throw new GatewayError('upstream_unusable', NO_ORACLE)
  const dataFee = source?.read(words.map((hex) => BigInt(`0x${hex}`))) ?? 0n
  const { gasPrice: mostPrice, gas: mostGas } = evmFeesOf(key)
  return { nodes: [label], price: least(price, mostPrice), dataFee: least(dataFee, mostGas) }
}

/** The first two answers that agree, the lower of each figure; else the lowest of all, unconfirmed. */
function agreedFees(asked: readonly Promise<ChainFees>[]): Promise<ChainFees> {
  return new Promise((resolve) => {
    const reported: ChainFees[] = []
    const compared = asked.map(async (one) => {
      const fees = await one
      const other = reported.find((earlier) => doAgree(earlier, fees))
      if (other !== undefined) resolve(lower(other, fees))
      reported.push(fees)
    })
    Promise.allSettled(compared).then(() => {
      if (reported.length === 0) resolve(asked[0]!)
      else resolve({ ...reported.reduce(lower), nodes: reported[0]!.nodes })
    })
  })
}

const lower = (a: ChainFees, b: ChainFees): ChainFees => ({
  nodes: [...a.nodes, ...b.nodes],
  price: least(a.price, b.price),
  dataFee: least(a.dataFee, b.dataFee),
})

const doAgree = (a: ChainFees, b: ChainFees): boolean =>
  isNear(a.price, b.price) && isNear(a.dataFee, b.dataFee)
const isNear = (a: bigint, b: bigint): boolean => a <= b * AGREEING_TIMES && b <= a * AGREEING_TIMES

const isCountable = (chain: ChainDefinition): chain is EvmChain =>
  chain.family === 'evm' && (chain.hasL1Fee !== true || DATA_FEES.has(chain.key))

const NO_ORACLE = "The chain's node does not say what data costs on layer 1."
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Wei for the transaction of an offer; null if the provider states nothing. */
function weiOf({ gas: stated }: Offer, { price, dataFee }: Gas): bigint | null {
  if (stated === undefined) return null
  const units = BigInt(stated.units)
  return (
    (units < LEAST_UNITS ? LEAST_UNITS : units) * price +
    (BigInt(stated.bytes) * dataFee) / BigInt(SAMPLE_BYTES)
  )
}

/** What an offer's gas costs, in base units of the token that offers differ in. */
function costOf(offer: Offer, gas: Gas): bigint | null {
  const wei = weiOf(offer, gas)
  return wei === null ? null : (wei * gas.outPerCoin) / COIN
}

/**
 * An offer net of its gas, in base units of the output token, below zero if gas takes more; with an exact output what
 * it takes with its gas.
 */
export function netOf(offer: Offer, gas: Gas | null): bigint | null {
  const cost = gas && costOf(offer, gas)
  if (cost === null) return null
  return offer.takes === undefined ? offer.expectedOut - cost : offer.takes.amountIn + cost
}

/** The most that a cost moves an offer by, in bps of it. */
export const costBoundOf = ({ nodes }: Gas): bigint =>
  nodes.length > 1 ? MOST_COST_BPS : UNCONFIRMED_COST_BPS

/**
 * The amount that offers are ranked by: net of gas, as far as more than one source confirms it. What an offer
 * gains on all others but the cheapest is only its provider's claim, and counts up to a bound; so does the
 * whole.
 * @param offers  all of the race
 */
export function rankedNet(offers: readonly Offer[], gas: Gas, fair: Fair): (offer: Offer) => bigint {
  const costs = offers
    .flatMap((offer) => costOf(offer, gas) ?? [])
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  const confirmed = costs[1] ?? 0n
  return (offer) => {
    const part = (bps: bigint): bigint => (amountOf(offer) * bps) / BPS
    const own = costOf(offer, gas)
    if (own === null) return offerValue(offer, fair)
    const fewest = confirmed - part(UNCONFIRMED_COST_BPS)
    const most = part(costBoundOf(gas))
    const cost = own > fewest ? own : fewest
    return offerValue(offer, fair, least(cost, most))
  }
}

/** The sources of each figure if gas is counted: the units are the provider's claim. */
export function gasSources(gas: Gas | null): Readonly<Record<string, string[]>> {
  if (gas === null) return {}
  const checkedBy = [...gas.nodes, ...gas.prices, 'stated']
  return { gasUsd: checkedBy, netOut: checkedBy, netOutUsd: checkedBy }
}

/** What an answer says of an offer's gas. */
export function gasFields(offer: Offer, { tokenOut }: Pick<OrderTerms, 'tokenOut'>, gas: Gas | null) {
  const [wei, net] = [gas && weiOf(offer, gas), netOf(offer, gas)]
  const usd = (amount: bigint | null, decimals: number, price: bigint | null | undefined): number | null =>
    amount === null || price === null || price === undefined
      ? null
      : Number(valueAt(amount, decimals, price)) / 1e6
  const gasUsd = usd(wei, COIN_DECIMALS, gas?.usdPerCoin)
  if (offer.takes !== undefined) return { gasUsd, netIn: net === null ? null : String(net) }
  return {
    gasUsd,
    netOut: net === null ? null : String(net),
    netOutUsd: usd(net, tokenOut.decimals, gas?.usdPerOut),
  }
}
