/**
 * The state behind `eth_simulateV1` on an EVM chain of the sandbox: a ledger instead of a virtual machine. A
 * router's call moves what its calldata says: the named amount leaves, the minimum arrives; in a lifelike
 * sandbox the market's amount, if that is more. Guards (proof/evm/guard.ts) check a balance. Any other call
 * reverts, as does one beyond the wallet's balance or approval.
 *
 * Imported at its first use: the ABI machinery costs start-up time.
 *
 * Source: ethereum/execution-apis, eth_simulateV1 · EIP-20
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { findEvmChain } from '../../chains/find.ts'
import { FACETS, signaturesOf } from '../../proof/cross-chain/lifi/facets.ts'
import { SWAP_FUNCTIONS } from '../../proof/cross-chain/lifi/prove.ts'
import type { SwapData } from '../../proof/cross-chain/lifi/swaps.ts'
import { CalldataReader } from '../../proof/evm/calldata.ts'
import { KYBERSWAP } from '../../proof/evm/kyberswap.ts'
import { decodeV3Swap } from '../../proof/evm/uniswap-v3.ts'
import routers from '../../proof/evm/universal-routers.json' with { type: 'json' }
import { AUGUSTUS, isExactOutput } from '../../proof/evm/velora.ts'
import { inputFor } from '../market/input-for.ts'
import type { Market } from '../market/market.ts'
import type { MarketToken } from '../market/tokens.ts'
import { ROUTER as KYBERSWAP_ROUTER } from '../swap/kyberswap.ts'
import { AUGUSTUS_6 } from '../swap/velora.ts'
import { OWN, OWN_ROUTER } from './own-router.ts'
import { type Terms, termsOf } from './state.ts'

/** A call with addresses in lower case. */
export interface LedgerCall {
  readonly from: string
  readonly to: string
  /** 0x hex, lower case. */
  readonly data: string
  readonly value: bigint
}

export interface LedgerLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

/** Null if it reverts. */
export type LedgerOutcome = { readonly returnData: string; readonly logs: readonly LedgerLog[] } | null

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
/** The address whose logs represent transfers of the native coin; aggregators use it for the coin. */
const SENTINEL = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const ZERO = `0x${'0'.repeat(40)}`

const ERC20 = new CalldataReader<{
  approve: { spender: string; amount: bigint }
  allowance: { owner: string; spender: string }
  balanceOf: string
}>([
  'function approve(address spender, uint256 amount)',
  'function allowance(address owner, address spender)',
  'function balanceOf(address owner)',
])

const BALANCE_CHECK = new CalldataReader<{
  execute: { commands: Uint8Array; inputs: readonly Uint8Array[] }
}>(['function execute(bytes commands, bytes[] inputs)'])
const BALANCE_CHECK_ERC20 = 0x0e

const V2_REST = 'uint256 amountOutMin, address[] path, address to, uint256 deadline'
const V2_OUT = 'uint256 amountOutMin, uint256 amountIn, address[] path, address to, uint256 deadline'
interface V2Swap {
  readonly amountIn?: bigint
  readonly amountOutMin: bigint
  readonly path: readonly string[]
  readonly to: string
}
const V2 = new CalldataReader<{
  swapExactETHForTokensSupportingFeeOnTransferTokens: V2Swap
  swapExactTokensForETHSupportingFeeOnTransferTokens: V2Swap
  swapExactTokensForTokensSupportingFeeOnTransferTokens: V2Swap
  swapETHForExactTokens: V2Swap
  swapTokensForExactETH: V2Swap
  swapTokensForExactTokens: V2Swap
}>([
  `function swapExactETHForTokensSupportingFeeOnTransferTokens(${V2_REST})`,
  `function swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, ${V2_REST})`,
  `function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, ${V2_REST})`,
  `function swapETHForExactTokens(${V2_REST})`,
  `function swapTokensForExactETH(${V2_OUT})`,
  `function swapTokensForExactTokens(${V2_OUT})`,
])

// biome-ignore lint/suspicious/noExplicitAny: the fields are those of the signatures
type Args = any

/** What a router's call moves. Null is the native coin. */
interface TokenMovement {
  readonly tokenIn: string | null
  readonly amountIn: bigint
  /** Whether exactly what is named arrives, and the rest of the input comes back. */
  readonly isExactOut?: boolean
  /** Null if it leaves the chain. */
  readonly arrives: Arrival | null
}

interface Arrival {
  readonly token: string | null
  /** The minimum. */
  readonly amount: bigint
  readonly to: string
}

class Reverted extends Error {}

const NOTHING: LedgerOutcome = { returnData: '0x', logs: [] }

export class Ledger {
  readonly #chain: string
  readonly #market: Market
  /** By holder and token, of those that have changed. */
  readonly #held = new Map<string, bigint>()
  /** By owner, token and spender. */
  readonly #allowed = new Map<string, bigint>()
  readonly #native: (holder: string) => bigint
  readonly #terms: Terms
  /** Uniswap's router, which checks balances. */
  readonly #checker: string | undefined
  readonly #routers: ReadonlyMap<string, (call: LedgerCall) => TokenMovement | null>

  /** @param native  a wallet's native balance, in wei; absent: the initial one */
  constructor(chain: string, market: Market, native?: (holder: string) => bigint) {
    this.#chain = chain
    this.#market = market
    this.#terms = termsOf(market)
    this.#native = native ?? ((holder) => this.#terms.native(chain, holder))
    const { v2Routers, v3, xprovContract } = findEvmChain(chain)!
    this.#checker = new Map(Object.entries(routers)).get(chain)?.toLowerCase()
    this.#routers = new Map([
      [KYBERSWAP_ROUTER.toLowerCase(), kyberswap],
      [AUGUSTUS_6, velora],
      [OWN_ROUTER, own],
      ...v2Routers.map(({ address }) => [address.toLowerCase(), uniswapV2] as const),
      ...Object.values(v3).map(({ router }) => [router.toLowerCase(), uniswapV3] as const),
      ...(xprovContract === null ? [] : [[xprovContract.toLowerCase(), lifi] as const]),
    ])
  }

  /** Runs one call on the state that the previous ones left. @param now  when it is executed, Unix ms */
  run(call: LedgerCall, now: number): LedgerOutcome {
    try {
      if (call.to === this.#checker) return this.#check(call)
      if (call.to === call.from && call.data === '0x')
        return this.#balance(call.from, null) < call.value ? null : NOTHING
      const read = this.#routers.get(call.to)
      return read === undefined ? this.#callToken(call) : this.#move(call, read(call), now)
    } catch (error) {
      if (error instanceof Reverted) return null
      throw error
    }
  }

  /** The wallet's balance, as Uniswap's router checks it. */
  #check({ data }: LedgerCall): LedgerOutcome {
    const call = BALANCE_CHECK.read(data)
    const [input, ...more] = call?.args.inputs ?? []
    const isCheck = call?.args.commands.length === 1 && call.args.commands[0] === BALANCE_CHECK_ERC20
    if (!isCheck || input?.length !== 96 || more.length > 0) return null
    const hex = bytesToHex(input)
    const [owner, token] = [`0x${hex.slice(24, 64)}`, `0x${hex.slice(88, 128)}`]
    return this.#balance(owner, this.#token(token)) < BigInt(`0x${hex.slice(128)}`) ? null : NOTHING
  }

  #callToken({ from, to, data, value }: LedgerCall): LedgerOutcome {
    const token = this.#token(to)
    const call = ERC20.read(data)
    if (call === null || value > 0n) return null
    switch (call.name) {
      case 'approve': {
        const { spender, amount } = call.args
        this.#allowed.set(`${from} ${to} ${spender}`, amount)
        return { returnData: word(1n), logs: [log(to, APPROVAL, from, spender, amount)] }
      }
      case 'allowance': {
        const { owner, spender } = call.args
        return { returnData: word(this.#allowed.get(`${owner} ${to} ${spender}`) ?? 0n), logs: [] }
      }
      case 'balanceOf':
        return { returnData: word(this.#balance(call.args, token)), logs: [] }
    }
  }

  #move({ from, to: router, value }: LedgerCall, movement: TokenMovement | null, now: number): LedgerOutcome {
    if (movement === null) return null
    const logs: LedgerLog[] = []
    const { tokenIn, amountIn, arrives } = movement
    if (value > 0n) logs.push(this.#take(from, router, null, value))
    if (tokenIn === null && value < amountIn) return null
    if (tokenIn !== null) {
      const key = `${from} ${tokenIn} ${router}`
      const allowed = this.#allowed.get(key) ?? 0n
      if (allowed < amountIn) return null
      this.#allowed.set(key, allowed - amountIn)
      logs.push(this.#take(from, router, this.#token(tokenIn), amountIn))
    }
    if (movement.isExactOut && arrives !== null) {
      const rest = amountIn - this.#taken(movement, arrives, now)
      const sold = tokenIn === null ? null : this.#token(tokenIn)
      if (rest > 0n) logs.push(this.#give(router, from, sold, rest))
    }
    if (arrives !== null) {
      const token = arrives.token === null ? null : this.#token(arrives.token)
      logs.push(this.#give(router, arrives.to, token, this.#filled(movement, arrives, now)))
    }
    return { returnData: '0x', logs }
  }

  #sides({ tokenIn }: TokenMovement, { token }: Arrival) {
    return [tokenIn, token].map((address) => this.#market.find(this.#chain, address ?? SENTINEL))
  }

  /** What the market takes for an exact output: at most the maximum. */
  #taken(movement: TokenMovement, arrives: Arrival, now: number): bigint {
    const [sold, bought] = this.#sides(movement, arrives)
    const { amountIn } = movement
    if (!sold || !bought) return amountIn
    const least = inputFor(
      arrives.amount,
      (input) => this.#market.at(now).swap(sold, bought, input)?.amountOut,
    )
    return least === null || least > amountIn ? amountIn : least
  }

  /** What arrives: at least the minimum. */
  #filled(movement: TokenMovement, arrives: Arrival, now: number): bigint {
    const { amountIn, isExactOut = false } = movement
    if (!this.#market.isLifelike || isExactOut) return arrives.amount
    const [sold, bought] = this.#sides(movement, arrives)
    const fill = sold && bought ? this.#market.at(now).swap(sold, bought, amountIn) : null
    return fill === null || fill.amountOut < arrives.amount ? arrives.amount : fill.amountOut
  }

  #take(from: string, to: string, token: MarketToken | null, amount: bigint): LedgerLog {
    const has = this.#balance(from, token)
    if (has < amount) throw new Reverted()
    this.#held.set(keyOf(from, token), has - amount)
    return log(addressOf(token), TRANSFER, from, to, amount)
  }

  /** Moves an amount. Routers have unlimited balances. */
  #give(from: string, to: string, token: MarketToken | null, amount: bigint): LedgerLog {
    this.#held.set(keyOf(to, token), this.#balance(to, token) + amount)
    return log(addressOf(token), TRANSFER, from, to, amount)
  }

  #balance(holder: string, token: MarketToken | null): bigint {
    const held = this.#held.get(keyOf(holder, token))
    return held ?? (token === null ? this.#native(holder) : this.#terms.token(token, holder))
  }

  #token(address: string): MarketToken {
    const token = this.#market.find(this.#chain, address)
    if (token === null || token.isNative) throw new Reverted()
    return token
  }
}

function kyberswap({ from, data }: LedgerCall): TokenMovement | null {
  const call = KYBERSWAP.read(data)
  if (call === null) return null
  const { srcToken, amount, dstToken, minReturnAmount, dstReceiver } = call.args.desc
  const to = dstReceiver === ZERO ? from : dstReceiver
  const arrives = { token: coin(dstToken), amount: minReturnAmount, to }
  return { tokenIn: coin(srcToken), amountIn: amount, arrives }
}

function velora({ from, data }: LedgerCall): TokenMovement | null {
  const call = AUGUSTUS.read(data)
  if (call === null) return null
  const { srcToken, destToken, fromAmount, toAmount, beneficiary } = call.args.swapData
  const to = beneficiary === ZERO ? from : beneficiary
  const isExactOut = isExactOutput(call)
  // A unit stays in the router.
  const amount = isExactOut ? toAmount - 1n : toAmount
  return {
    tokenIn: coin(srcToken),
    amountIn: fromAmount,
    isExactOut,
    arrives: { token: coin(destToken), amount, to },
  }
}

function own({ data }: LedgerCall): TokenMovement | null {
  const swap = OWN.read(data)?.args
  if (swap === undefined) return null
  const { tokenIn, amountIn, tokenOut, minOut: amount, receiver: to } = swap
  return { tokenIn: coin(tokenIn), amountIn, arrives: { token: coin(tokenOut), amount, to } }
}

function uniswapV2({ data, value }: LedgerCall): TokenMovement | null {
  const call = V2.read(data)
  if (call === null) return null
  const { amountIn = value, amountOutMin, path, to } = call.args
  const isExactOut = call.name.includes('ForExact')
  const isNativeIn = call.name.includes('ETHFor')
  const isNativeOut = /For(Exact)?ETH/.test(call.name)
  const [first = '', last = ''] = [path[0], path.at(-1)]
  return {
    tokenIn: isNativeIn ? null : first,
    amountIn,
    isExactOut,
    arrives: { token: isNativeOut ? null : last, amount: amountOutMin, to },
  }
}

function uniswapV3({ data }: LedgerCall): TokenMovement | null {
  for (const kind of ['native-in', 'native-out', 'tokens'] as const) {
    const exactIn = decodeV3Swap(kind, data, false)
    const swap = exactIn ?? decodeV3Swap(kind, data, true)
    if (swap === null) continue
    const { path, amountIn, amountOutMin: amount, to } = swap
    const token = kind === 'native-out' ? null : path.at(-1)!
    const tokenIn = kind === 'native-in' ? null : path[0]!
    return { tokenIn, amountIn, isExactOut: exactIn === null, arrives: { token, amount, to } }
  }
  return null
}

function lifi({ data }: LedgerCall): TokenMovement | null {
  const selector = data.slice(0, 10)
  const swap = SWAP_FUNCTIONS.find((row) => row.selector === selector)
  if (swap !== undefined) {
    const args = readLifi(swap.signature, data)
    if (args === null) return null
    const swaps: readonly SwapData[] = [args.swapData].flat()
    const token = coin(swaps.at(-1)?.receivingAssetId ?? '')
    return { ...deposited(swaps), arrives: { token, amount: args.minAmountOut, to: args.receiver } }
  }
  const facet = FACETS.find(({ start, swap }) => start === selector || swap === selector)
  if (facet === undefined) return null
  const isSwapped = facet.swap === selector
  const args = readLifi(signaturesOf(facet)[isSwapped ? 'swap' : 'start'], data)
  if (args === null) return null
  if (isSwapped) return { ...deposited(args.swapData), arrives: null }
  const { sendingAssetId, minAmount } = facet.data === null ? args : args.bridgeData
  return { tokenIn: coin(sendingAssetId), amountIn: minAmount, arrives: null }
}

function readLifi(signature: string, data: string): Args {
  return new CalldataReader<Record<string, Args>>([signature]).read(data)?.args ?? null
}

function deposited(swaps: readonly SwapData[]): Pick<TokenMovement, 'tokenIn' | 'amountIn'> {
  const amountIn = swaps.reduce((sum, swap) => sum + (swap.requiresDeposit ? swap.fromAmount : 0n), 0n)
  return { tokenIn: coin(swaps[0]?.sendingAssetId ?? ''), amountIn }
}

const coin = (address: string): string | null => (address === ZERO || address === SENTINEL ? null : address)

const addressOf = (token: MarketToken | null): string => token?.address.toLowerCase() ?? SENTINEL

const keyOf = (holder: string, token: MarketToken | null): string => `${holder} ${addressOf(token)}`

const log = (address: string, event: string, a: string, b: string, amount: bigint): LedgerLog => ({
  address,
  topics: [event, word(BigInt(a)), word(BigInt(b))],
  data: word(amount),
})

const word = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
