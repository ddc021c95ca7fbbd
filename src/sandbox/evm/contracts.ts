/**
 * What `eth_call` finds on an EVM chain of the sandbox: the market's tokens as
 * ERC-20 contracts, the chain's Uniswap contracts, whose pools are the
 * market's, and Multicall3. A call to any other address succeeds and returns nothing, as one
 * to an account without code does.
 *
 * Source: EIP-20 · Uniswap/v2-periphery contracts/UniswapV2Router02.sol, libraries/UniswapV2Library.sol
 */

import { canonicalAddress } from '../../chains/address.ts'
import type { V3Contracts } from '../../chains/definition.ts'
import { findEvmChain } from '../../chains/find.ts'
import { registryCall } from '../../proof/cross-chain/lifi/periphery.ts'
import { unpackV3Path } from '../../proof/evm/uniswap.ts'
import { inputFor } from '../market/input-for.ts'
import type { Market } from '../market/market.ts'
import { poolAddress } from '../market/pool.ts'
import type { Prices } from '../market/prices.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { EvmHistory } from './history.ts'
import { type LifiRegistry, PERIPHERY } from './lifi-registry.ts'
import { callArbSys, callMulticall, isArbSys, isMulticall } from './multicall.ts'
import { Revert } from './revert.ts'
import { type Terms, termsOf } from './state.ts'

const NOTHING = '0x'

/** The first four bytes of the hash of a function's signature. */
const SELECTORS = {
  name: '06fdde03',
  symbol: '95d89b41',
  decimals: '313ce567',
  balanceOf: '70a08231',
  allowance: 'dd62ed3e',
  approve: '095ea7b3',
  WETH: 'ad5c4648',
  factory: 'c45a0155',
  getAmountsOut: 'd06ca61f',
  getAmountsIn: '1f00ca74',
  WETH9: '4aa4a4fc',
  quoteExactInput: 'cdca1753',
  quoteExactOutput: '2f80bb1d',
} as const

/** In millionths. */
const V3_FEE = 500
const V3_GAS = 90_000

/** Where rollups report the price of data on layer 1, in wei; Arbitrum reports units and their price. */
const DATA_ORACLES: Readonly<Record<string, string>> = {
  base: '0x420000000000000000000000000000000000000f',
  optimism: '0x420000000000000000000000000000000000000f',
  unichain: '0x420000000000000000000000000000000000000f',
  scroll: '0x5300000000000000000000000000000000000002',
  arbitrum: '0x00000000000000000000000000000000000000c8',
}
const DATA_FEE_UNITS = 2_000_000_000n
const DATA_FEE_PRICE = 1n
const isDataOracle = (chain: string, to: string): boolean => DATA_ORACLES[chain] === to

/** Loaded at first use: the package takes longer to load than the rest of the sandbox. */
const loadAbi = () => (abi ??= import('./abi.ts'))
let abi: Promise<Abi> | undefined
type Abi = typeof import('./abi.ts')

export class EvmContracts {
  readonly #chain: string
  /** By address, in lower case. */
  readonly #tokens: ReadonlyMap<string, MarketToken>
  readonly #routers: ReadonlySet<string>
  /** Addresses of the native coin as a token, in lower case. */
  readonly #aliases: ReadonlySet<string>
  readonly #native: MarketToken
  readonly #history: Pick<EvmHistory, 'read' | 'balance'>
  readonly #terms: Terms

  readonly #registry: LifiRegistry

  /** @param history  of the transactions that change what wallets hold and allow */
  constructor(
    chain: string,
    market: Market,
    history: Pick<EvmHistory, 'read' | 'balance'>,
    registry: LifiRegistry,
  ) {
    this.#registry = registry
    this.#history = history
    this.#terms = termsOf(market)
    this.#chain = chain
    // The native coin has an address, but no contract.
    const tokens = market.tokens(chain).filter(({ isNative }) => !isNative)
    this.#tokens = new Map(tokens.map((token) => [token.address.toLowerCase(), token]))
    const { v2Routers = [], nativeAliases = [] } = findEvmChain(chain) ?? {}
    this.#routers = new Set(v2Routers.map((router) => router.address.toLowerCase()))
    this.#aliases = new Set(nativeAliases.map((address) => address.toLowerCase()))
    this.#native = market.native(chain)
  }

  /** @param address  of 20 bytes, in lower-case hex */
  async hasCode(address: string): Promise<boolean> {
    return (
      isMulticall(address) ||
      isArbSys(this.#chain, address) ||
      this.#isRouter(address) ||
      this.#v3(address) !== undefined ||
      this.#aliases.has(address) ||
      this.#registry.has(this.#chain, address) ||
      this.#token(address) !== null ||
      (await isInTable(this.#chain, address))
    )
  }

  /**
   * @param to    of 20 bytes, in lower-case hex
   * @param call  calldata
   * @returns what the contract returns, ABI-encoded hex
   * @throws Revert
   */
  async call(to: string, call: Uint8Array, prices: Prices): Promise<string> {
    const selector = Buffer.from(call.subarray(0, 4)).toString('hex')
    const abi = await loadAbi()
    if (isMulticall(to)) {
      const inner = (target: string, data: Uint8Array) => this.call(target, data, prices)
      const balanceOf = (wallet: string) => this.#history.balance(wallet, 'latest', prices.at)
      return callMulticall(abi, this.#chain, call, prices, inner, balanceOf)
    }
    if (isArbSys(this.#chain, to)) return callArbSys(abi, call, prices)
    if (isDataOracle(this.#chain, to))
      return abi.encodeUint(DATA_FEE_UNITS) + abi.encodeUint(DATA_FEE_PRICE).slice(2)
    if (to === findEvmChain(this.#chain)?.xprovContract?.toLowerCase()) return this.#callLifi(abi, call)
    if (this.#isRouter(to)) return this.#callRouter(abi, to, selector, call, prices)
    const v3 = this.#v3(to)
    if (v3 !== undefined) return this.#callV3(abi, v3, selector, call, prices)
    if (this.#aliases.has(to)) {
      const wallet = `0x${Buffer.from(call.subarray(16, 36)).toString('hex')}`
      return callToken(abi, this.#native, selector, () => this.#history.balance(wallet, 'latest', prices.at))
    }
    const token = this.#token(to)
    if (token === null) return NOTHING
    const data = `0x${Buffer.from(call).toString('hex')}`
    const isState = selector === SELECTORS.balanceOf || selector === SELECTORS.allowance
    const held = () => this.#terms.token(token, `0x${data.slice(34, 74)}`)
    return (isState ? this.#history.read(to, data, prices.at) : null) ?? callToken(abi, token, selector, held)
  }

  #callLifi(abi: Abi, call: Uint8Array): string {
    const data = `0x${Buffer.from(call).toString('hex')}`
    const name = PERIPHERY.find((one) => registryCall(one) === data)
    if (name === undefined) throw Revert.nameless()
    return abi.encodeUint(BigInt(this.#registry.find(this.#chain, name) ?? 0))
  }

  #callRouter(abi: Abi, router: string, selector: string, call: Uint8Array, prices: Prices): string {
    switch (selector) {
      case SELECTORS.WETH:
        return abi.encodeAddress(findEvmChain(this.#chain)!.wrappedNative)
      case SELECTORS.factory:
        return abi.encodeAddress(
          poolAddress(this.#chain, `factory of ${canonicalAddress(this.#chain, router)}`),
        )
      case SELECTORS.getAmountsOut:
        return abi.encodeUints(this.#amounts(abi, call, prices, false))
      case SELECTORS.getAmountsIn:
        return abi.encodeUints(this.#amounts(abi, call, prices, true))
      default:
        throw Revert.nameless()
    }
  }

  #callV3(abi: Abi, v3: V3Contracts, selector: string, call: Uint8Array, prices: Prices): string {
    switch (selector) {
      case SELECTORS.WETH9:
        return abi.encodeAddress(findEvmChain(this.#chain)!.wrappedNative)
      case SELECTORS.factory:
        return abi.encodeAddress(v3.factory)
      case SELECTORS.quoteExactInput:
        return this.#quoteV3(Buffer.from(call), prices, false)
      case SELECTORS.quoteExactOutput:
        return this.#quoteV3(Buffer.from(call), prices, true)
      default:
        throw Revert.nameless()
    }
  }

  /** Each pool of the market has one fee, and gives a little less than that of V2. */
  #quoteV3(call: Buffer, prices: Prices, isExactOut: boolean): string {
    const word = (value: bigint | number): string => value.toString(16).padStart(64, '0')
    const length = Number(`0x${call.toString('hex', 68, 100) || '0'}`)
    const { path, fees } = unpackV3Path(call.toString('hex', 100, 100 + length))
    let amount: bigint | null = BigInt(`0x${call.toString('hex', 36, 68) || '0'}`)
    for (const [i, fee] of fees.entries()) {
      const [from, to] = [this.#token(path[i]!), this.#token(path[i + 1]!)]
      if (from === null || to === null || fee !== V3_FEE || amount === 0n) throw Revert.nameless()
      const give = (amountIn: bigint, [sold, bought]: [MarketToken, MarketToken]) => {
        const hop = prices.direct(sold, bought, amountIn)
        return hop && hop.amountOut - hop.amountOut / 10_000n
      }
      // A path for an exact output is backwards.
      amount = isExactOut ? inputFor(amount, (input) => give(input, [to, from])) : give(amount, [from, to])
      if (amount === null) throw Revert.nameless()
    }
    // Prices afterwards and ticks crossed, one for each pool.
    const lists = [2n ** 96n, 1n].map((each) => word(fees.length) + word(each).repeat(fees.length))
    const head = [amount, 128, 128 + lists[0]!.length / 2, V3_GAS * fees.length].map(word).join('')
    return `0x${head}${lists.join('')}`
  }

  /**
   * The amounts along a path, as UniswapV2Library computes them, for an exact output from its end: the first
   * check that fails gives the reason; a missing pool has none.
   */
  #amounts(abi: Abi, call: Uint8Array, prices: Prices, isExactOut: boolean): bigint[] {
    const { amount, path } = decode(abi, call)
    const fail = (reason: string): Revert => {
      const text = `UniswapV2Library: ${reason}`
      return new Revert(text, abi.encodeError(text))
    }
    if (path.length < 2) throw fail('INVALID_PATH')
    const amounts = [amount]
    if (isExactOut) path.reverse()
    for (let i = 1; i < path.length; i++) {
      const [from, to] = [this.#token(path[i - 1]!), this.#token(path[i]!)]
      if (from === null || to === null) throw Revert.nameless()
      if (from === to) throw fail('IDENTICAL_ADDRESSES')
      const hop = prices.direct(from, to, amounts[i - 1]!)
      if (hop === null) throw Revert.nameless()
      if (amounts[i - 1] === 0n) throw fail(`INSUFFICIENT_${isExactOut ? 'OUTPUT' : 'INPUT'}_AMOUNT`)
      const next = isExactOut
        ? inputFor(amounts[i - 1]!, (input) => prices.direct(to, from, input)?.amountOut)
        : hop.amountOut
      if (next === null) throw Revert.nameless()
      amounts.push(next)
    }
    return isExactOut ? amounts.reverse() : amounts
  }

  #isRouter(address: string): boolean {
    return this.#routers.has(address.toLowerCase())
  }

  #v3(address: string): V3Contracts | undefined {
    return Object.values(findEvmChain(this.#chain)?.v3 ?? {}).find(({ quoter, router }) =>
      [quoter, router].some((one) => one.toLowerCase() === address),
    )
  }

  #token(address: string): MarketToken | null {
    return this.#tokens.get(address.toLowerCase()) ?? null
  }
}

/** Other projects' contracts that the gateway's tables name. Computed on first use. */
const isInTable = async (chain: string, address: string): Promise<boolean> => {
  const { tableRows } = await import('../../swap/tables/rows.ts')
  inTables ??= new Set(tableRows().map((row) => `${row.chain} ${row.key.toLowerCase()}`))
  return inTables.has(`${chain} ${address}`)
}
let inTables: ReadonlySet<string> | undefined

function callToken(abi: Abi, token: MarketToken, selector: string, held: () => bigint): string {
  switch (selector) {
    case SELECTORS.name:
      return abi.encodeText(token.name)
    case SELECTORS.symbol:
      return abi.encodeText(token.symbol)
    case SELECTORS.decimals:
      return abi.encodeUint(BigInt(token.decimals))
    case SELECTORS.balanceOf:
      return abi.encodeUint(held())
    case SELECTORS.allowance:
      return abi.encodeUint(0n)
    case SELECTORS.approve:
      return abi.encodeUint(1n)
    default:
      throw Revert.nameless()
  }
}

function decode(abi: Abi, call: Uint8Array): { amount: bigint; path: string[] } {
  try {
    return abi.decodeGetAmounts(call)
  } catch {
    throw Revert.nameless()
  }
}
