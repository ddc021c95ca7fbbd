/**
 * Pools of the sandbox's Solana node: one of Orca's Whirlpools, and some of Raydium's CLMM and CPMM. They follow the
 * market's prices slot by slot, as arbitrage would have it; trades move them no longer than that. Their fees are above
 * those of the aggregators' routes.
 *
 * The real programs compute what a swap gives. Here that is computed before each execution, by the formula of a pool
 * whose liquidity is the same at all prices, and written into the pool: see pool-programs.ts.
 *
 * Source: src/providers/swap/solana-pools for the layouts · the Uniswap V3 white paper, 6.2
 */
import { utf8ToBytes } from '@noble/hashes/utils.js'
import { parseAmount } from '../../chains/amount.ts'
import { decodeKey, encodeBase58 } from '../../chains/solana/base58.ts'
import { u64 } from '../../chains/solana/instructions.ts'
import { programAddress } from '../../chains/solana/program-address.ts'
import {
  RAYDIUM_CLMM_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
  TOKEN_PROGRAM,
  WHIRLPOOL_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import type { WireTransaction } from '../../chains/solana/wire.ts'
import { type MarketToken, USD_DECIMALS } from '../market/tokens.ts'
import type { World } from '../world.ts'
import { mintOf } from './jupiter-quote.ts'
import { DESKS } from './pool-programs.ts'
import programs from './programs.json' with { type: 'json' }

const CHAIN = 'solana'
/** Pairs of SOL: the first has a pool of Orca's, the first and the last one of the CLMM, and each one of the CPMM. */
const TOKENS = ['USDC', 'JUP', 'RAY']
/** Dollars on each side. */
const DEPTH_USD = 2_000_000n
const [ORCA_FEE, CLMM_FEE, CPMM_FEE] = [3_000n, 5_000n, 10_000n]
const FEE_UNIT = 1_000_000n
const [ORCA_SPACING, CLMM_SPACING] = [64, 60]
/** The second of Raydium's configurations, of either program. */
const CONFIG_INDEX = 1
const ORCA_CONFIG = decodeKey('2LecshUwdy9xi7meFgHtFJQNSKk4KdTrcpvaB56dP2NQ')
/** The first tick and the last of the CLMM's pool, between which its liquidity is the same, and their arrays. */
const ENDS = [-443_580, 443_580]
const [ARRAY_TICKS, ARRAY_WIDTH] = [60, 60 * CLMM_SPACING]
const ARRAYS = ENDS.map((tick) => ({ tick, place: Math.floor(tick / ARRAY_WIDTH) }))
const Q64 = 1n << 64n

interface Pool {
  readonly program: string
  readonly desk: string
  readonly address: Uint8Array
  readonly mints: readonly [MarketToken, MarketToken]
  readonly vaults: readonly [Uint8Array, Uint8Array]
}

/** Opens the pools, and keeps them at the market's prices. */
export function openPools({ market, solana: { bank }, now }: Pick<World, 'market' | 'solana' | 'now'>): void {
  const { vm } = bank
  const sol = market.native(CHAIN)
  const tokens = TOKENS.map((symbol) => market.tokens(CHAIN).find((token) => token.symbol === symbol)!)
  const [clmmConfig, config] = [RAYDIUM_CLMM_PROGRAM, RAYDIUM_CPMM_PROGRAM].map((program) =>
    derived(program, utf8ToBytes('amm_config'), Uint8Array.of(0, CONFIG_INDEX)),
  )
  const clmm = [tokens[0]!, tokens.at(-1)!].map((token) =>
    raydiumPool(RAYDIUM_CLMM_PROGRAM, clmmConfig!, sol, token),
  )
  const constant = tokens.map((token) => raydiumPool(RAYDIUM_CPMM_PROGRAM, config!, sol, token))
  const pools = [orcaPool(sol, tokens[0]!), ...clmm, ...constant]
  let slot = -1

  const place = (address: Uint8Array, program: string, data: Buffer, more = 0n): void =>
    vm.place(address, { lamports: vm.rentExemption(data.length) + more, data, owner: decodeKey(program) })
  const hold = (address: Uint8Array, mint: string, owner: string, amount: bigint): void => {
    const data = Buffer.alloc(165)
    data.set(decodeKey(mint))
    data.set(decodeKey(owner), 32)
    data.writeBigUInt64LE(amount, 64)
    data[108] = 1
    const isNative = mint === WRAPPED_SOL_MINT
    if (isNative) data.set([1, 0, 0, 0, ...u64(vm.rentExemption(data.length))], 109)
    place(address, TOKEN_PROGRAM, data, isNative ? amount : 0n)
  }

  vm.addProgram(decodeKey(WHIRLPOOL_PROGRAM), Buffer.from(programs.whirlpool, 'base64'))
  vm.addProgram(decodeKey(RAYDIUM_CLMM_PROGRAM), Buffer.from(programs.clmm, 'base64'))
  vm.addProgram(decodeKey(RAYDIUM_CPMM_PROGRAM), Buffer.from(programs.cpmm, 'base64'))
  place(config!, RAYDIUM_CPMM_PROGRAM, configData(236))
  place(clmmConfig!, RAYDIUM_CLMM_PROGRAM, configData(117))
  for (const pool of clmm) {
    for (const { tick, place: at } of ARRAYS) {
      const start = Buffer.alloc(4)
      start.writeInt32BE(at * ARRAY_WIDTH)
      const array = derived(RAYDIUM_CLMM_PROGRAM, utf8ToBytes('tick_array'), pool.address, start)
      place(array, RAYDIUM_CLMM_PROGRAM, arrayData(pool, at * ARRAY_WIDTH, tick))
    }
  }

  bank.prepare = (wire) => {
    if (slot !== bank.clock.newest) {
      slot = bank.clock.newest
      const prices = market.at(now())
      for (const pool of pools) {
        const reserves = pool.mints.map((token) => {
          const usd = parseAmount(prices.usd(token), USD_DECIMALS, 'evm')
          return (DEPTH_USD * 10n ** BigInt(token.decimals + USD_DECIMALS)) / usd
        })
        const isConstant = pool.program === RAYDIUM_CPMM_PROGRAM
        // The rule of the others follows from their price and liquidity, whatever the vaults hold.
        for (const [i, vault] of pool.vaults.entries())
          hold(vault, mintOf(pool.mints[i]!), pool.desk, isConstant ? reserves[i]! : 2n ** 52n)
        const data = isConstant
          ? cpmmData(pool, config!)
          : pool.program === WHIRLPOOL_PROGRAM
            ? orcaData(pool, reserves)
            : clmmData(pool, clmmConfig!, reserves)
        place(pool.address, pool.program, data)
      }
    }
    for (const pool of wire === null ? [] : pools) {
      const paid = payout(pool, wire!, (address) => Buffer.from(vm.account(address)!.data))
      if (paid === null) continue
      const data = Buffer.from(vm.account(pool.address)!.data)
      data.writeBigUInt64LE(BigInt.asUintN(64, paid), data.length - 8)
      place(pool.address, pool.program, data)
    }
  }
}

/** What the pool gives in a transaction; null if that does not swap there. */
function payout(pool: Pool, wire: WireTransaction, read: (address: Uint8Array) => Buffer): bigint | null {
  const [program, address] = [pool.program, encodeBase58(pool.address)]
  const keyOf = (index = wire.keyCount): string =>
    index < wire.keyCount ? encodeBase58(wire.key(index)) : ''
  const [isOrca, isConstant] = [program === WHIRLPOOL_PROGRAM, program === RAYDIUM_CPMM_PROGRAM]
  const at = isOrca ? 4 : isConstant ? 3 : 2
  const swap = wire
    .instructions()
    .find(
      ({ programIndex, accounts, data }) =>
        keyOf(programIndex) === program && keyOf(accounts[at]) === address && data.length >= 24,
    )
  if (swap === undefined) return null
  const data = Buffer.from(swap.data)
  const [amount, state] = [data.readBigUInt64LE(8), read(pool.address)]
  const isFirst = keyOf(swap.accounts[isConstant ? 6 : 5]) === encodeBase58(pool.vaults[0])
  if (!isConstant) {
    const [liquidity, price] = isOrca
      ? [u128(state, 49), u128(state, 65)]
      : [u128(state, 237), u128(state, 253)]
    const usable = (amount * (FEE_UNIT - (isOrca ? ORCA_FEE : CLMM_FEE))) / FEE_UNIT
    if (isOrca ? data[41] === 1 : isFirst) {
      const [top, bottom] = [liquidity * Q64 * price, liquidity * Q64 + usable * price]
      return (liquidity * (price - (top + bottom - 1n) / bottom)) / Q64
    }
    const next = price + (usable * Q64) / liquidity
    return (liquidity * (next - price) * Q64) / (next * price)
  }
  const reserves = pool.vaults.map((vault) => read(vault).readBigUInt64LE(64))
  const [held, given] = isFirst ? reserves : reserves.reverse()
  const usable = amount - (amount * CPMM_FEE + FEE_UNIT - 1n) / FEE_UNIT
  return (usable * given!) / (held! + usable)
}

/** SOL's mint comes before that of USDC. */
function orcaPool(sol: MarketToken, token: MarketToken): Pool {
  const seeds = [ORCA_CONFIG, ...[sol, token].map((one) => decodeKey(mintOf(one)))]
  const address = derived(
    WHIRLPOOL_PROGRAM,
    utf8ToBytes('whirlpool'),
    ...seeds,
    Uint8Array.of(ORCA_SPACING, 0),
  )
  const vaults = [
    decodeKey(DESKS.whirlpool),
    derived(WHIRLPOOL_PROGRAM, utf8ToBytes('vault'), address),
  ] as const
  return { program: WHIRLPOOL_PROGRAM, desk: DESKS.whirlpool, address, mints: [sol, token], vaults }
}

function raydiumPool(program: string, config: Uint8Array, sol: MarketToken, token: MarketToken): Pool {
  const keyOf = (one: MarketToken) => decodeKey(mintOf(one))
  const mints =
    Buffer.compare(keyOf(sol), keyOf(token)) < 0 ? ([sol, token] as const) : ([token, sol] as const)
  const keys = mints.map(keyOf)
  const address = derived(program, utf8ToBytes('pool'), config, ...keys)
  const [first, second] = keys.map((key) => derived(program, utf8ToBytes('pool_vault'), address, key))
  const desk = program === RAYDIUM_CLMM_PROGRAM ? DESKS.clmm : DESKS.cpmm
  return { program, desk, address, mints, vaults: [first!, second!] }
}

/** What a pool of the same liquidity at all prices has. */
function stateOf([a, b]: readonly bigint[]) {
  const root = Math.sqrt(Number(b!) / Number(a!))
  return {
    liquidity: u128Of(BigInt(Math.floor(Math.sqrt(Number(a!) * Number(b!))))),
    price: u128Of(BigInt(Math.floor(root * 2 ** 64))),
    tick: Math.floor(Math.log(root) / Math.log(Math.sqrt(1.0001))),
  }
}

function orcaData({ mints, vaults }: Pool, reserves: readonly bigint[]): Buffer {
  const { liquidity, price, tick } = stateOf(reserves)
  const data = Buffer.alloc(653)
  data.set(Buffer.from('3f95d10ce1806309', 'hex'))
  data.set(ORCA_CONFIG, 8)
  data.writeUInt16LE(ORCA_SPACING, 41)
  data.writeUInt16LE(ORCA_SPACING, 43)
  data.writeUInt16LE(Number(ORCA_FEE), 45)
  data.set(liquidity, 49)
  data.set(price, 65)
  data.writeInt32LE(tick, 81)
  for (const [i, at] of [101, 181].entries()) {
    data.set(decodeKey(mintOf(mints[i]!)), at)
    data.set(vaults[i]!, at + 32)
  }
  return data
}

function clmmData({ mints, vaults, desk }: Pool, config: Uint8Array, reserves: readonly bigint[]): Buffer {
  const { liquidity, price, tick } = stateOf(reserves)
  const data = Buffer.alloc(1_544)
  data.set(Buffer.from('f7ede3f5d7c3de46', 'hex'))
  const keys = [config, ...mints.map((token) => decodeKey(mintOf(token))), ...vaults, decodeKey(desk)]
  for (const [i, key] of keys.entries()) data.set(key, i === 0 ? 9 : 41 + 32 * i)
  data.writeUInt16LE(CLMM_SPACING, 235)
  data.set(liquidity, 237)
  data.set(price, 253)
  data.writeInt32LE(tick, 269)
  for (const { place } of ARRAYS) data[904 + ((place + 512) >> 3)]! |= 1 << ((place + 512) & 7)
  return data
}

/** Its one tick. */
function arrayData({ address }: Pool, start: number, tick: number): Buffer {
  const data = Buffer.alloc(10_240)
  data.set(Buffer.from('c09b55cd31f9812a', 'hex'))
  data.set(address, 8)
  data.writeInt32LE(start, 40)
  const at = 44 + 168 * ((tick - start) / CLMM_SPACING)
  data.writeInt32LE(tick, at)
  data[at + 20] = 1
  data[44 + 168 * ARRAY_TICKS] = 1
  return data
}

function cpmmData({ mints, vaults, desk }: Pool, config: Uint8Array): Buffer {
  const data = Buffer.alloc(637)
  data.set(Buffer.from('f7ede3f5d7c3de46', 'hex'))
  data.set(config, 8)
  for (const [i, token] of mints.entries()) {
    data.set(vaults[i]!, 72 + 32 * i)
    data.set(decodeKey(mintOf(token)), 168 + 32 * i)
    data.set(decodeKey(TOKEN_PROGRAM), 232 + 32 * i)
    data[331 + i] = token.decimals
  }
  data.set(decodeKey(desk), 296)
  return data
}

/** @param bytes  of either program's configuration */
function configData(bytes: 117 | 236): Buffer {
  const data = Buffer.alloc(bytes)
  data.set(Buffer.from('daf42168cbcb2b6f', 'hex'))
  if (bytes === 236) {
    data.writeUInt16LE(CONFIG_INDEX, 10)
    data.writeBigUInt64LE(CPMM_FEE, 12)
  } else {
    data.writeUInt16LE(CONFIG_INDEX, 9)
    data.writeUInt32LE(Number(CLMM_FEE), 47)
    data.writeUInt16LE(CLMM_SPACING, 51)
  }
  return data
}

const derived = (program: string, ...seeds: readonly Uint8Array[]): Uint8Array =>
  programAddress(decodeKey(program), ...seeds)
const u128 = (data: Buffer, at: number): bigint =>
  data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n)
const u128Of = (value: bigint): Uint8Array => Uint8Array.from([...u64(value % Q64), ...u64(value / Q64)])
