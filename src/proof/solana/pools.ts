/**
 * Proves that a transaction is exactly the ordered swap in one pool, of Orca's Whirlpools or Raydium's CLMM or CPMM,
 * without an aggregator in between. The instructions are read to their last byte, with every account they can have:
 *
 *   Orca, swap_v2          [kind 8][in u64][least u64][price limit u128: 0][1 in is exact][1 A to B][0 more accounts]
 *   CLMM, swap_v2          [kind 8][in u64][least u64][price limit u128: 0][1 in is exact]
 *   CPMM, swap_base_input  [kind 8][in u64][least u64]
 *
 * Proved: the transaction swaps exactly the order's amount, from the wallet's associated account for the one mint
 * into that for the other, or into the receiver's, and the program itself fails it unless the minimum arrives, after
 * all fees. Nothing else can happen: the programs pass the wallet's signature to a token program only, for the transfer
 * of the amount. So it does not matter which pool is named, nor what its tick arrays, vaults and configuration are: the
 * programs compare them with the pool, and a worse one misses the minimum.
 *
 * CLMM's may end with four more accounts, the bits of its tick arrays and three of those. They can be any: the program
 * takes only accounts of its own and of that pool there, and passes none of them to another program.
 *
 * Source: orca-so/whirlpools 630c0e0 programs/whirlpool/src/instructions/v2/swap.rs ·
 * raydium-io/raydium-clmm 03b44b7 programs/amm/src/instructions/swap_v2.rs, util/account_load.rs ·
 * raydium-io/raydium-cp-swap 609780f programs/cp-swap/src/instructions/swap_base_input.rs
 */
import { bytesToHex } from '@noble/hashes/utils.js'
import { encodeBase58 } from '../../chains/solana/base58.ts'
import {
  RAYDIUM_CLMM_PROGRAM,
  RAYDIUM_CPMM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WHIRLPOOL_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import type { Instruction, WireTransaction } from '../../chains/solana/wire.ts'
import { type Confirmed, refuseMaterial } from '../terms/verification.ts'
import { kindOf } from './jupiter.ts'
import ownChecks from './pool-checks.json' with { type: 'json' }
import layouts from './pool-layouts.json' with { type: 'json' }
import { FROM, isSame, readU64, staticKey } from './reading.ts'
import { OwnAccounts } from './solana.ts'
import { checksOf, openSwap, proveAround, type SwapClaim, type SwapRules } from './swap.ts'

/** Rule names in the order in which they are checked. */
export const POOL_CHECKS = checksOf(ownChecks)

/**
 * By program: the kind of the instruction, and what can end it, in hex; each ending says which side is sold, and where
 * the token programs are that can own its mint; and which accounts the programs mark as writable. The accounts, and
 * how many more there can be, are
 *
 *   Orca  token programs, memo, trader, pool, mints, A, vault, B, vault, three tick arrays, oracle
 *   CLMM  trader, configuration, pool, in, out, vaults, observations, both token programs, memo, mints, and up to 4 more
 *   CPMM  trader, owner of the vaults, configuration, pool, in, out, vaults, token programs, mints, observations
 */
type PoolLayout = (typeof layouts)[keyof typeof layouts]
type Side = PoolLayout['endings'][number]['in']
export const POOL_LAYOUTS: Readonly<Record<string, PoolLayout>> = {
  [WHIRLPOOL_PROGRAM]: layouts.whirlpool,
  [RAYDIUM_CLMM_PROGRAM]: layouts.clmm,
  [RAYDIUM_CPMM_PROGRAM]: layouts.cpmm,
}

const AMOUNTS_AT = 8
const ENDING_AT = 24

/** @returns null for any other instruction than those above */
export function poolSwap(program: string, data: Uint8Array, accounts: number) {
  const layout = POOL_LAYOUTS[program]
  const ending = layout?.endings.find((one) => one.data === bytesToHex(data.subarray(ENDING_AT)))
  if (layout === undefined || ending === undefined) return null
  if (accounts < layout.accounts || accounts > layout.accounts + layout.more) return null
  if (kindOf(data) !== layout.kind || data.length < ENDING_AT) return null
  const [amountIn, minOut] = [readU64(data, AMOUNTS_AT), readU64(data, AMOUNTS_AT + 8)]
  return { ...layout, ...ending, amountIn, minOut }
}

/**
 * @param base64   one transaction
 * @param program  the pool's
 * @throws GatewayError  material_refused, whose `rule` is `nonce`, `guards`, or one of POOL_CHECKS
 */
export function provePool(base64: string, program: string, claim: SwapClaim, rules: SwapRules): Confirmed {
  const opened = openSwap(base64, claim)
  const { wire, instructions } = opened
  const isSwap = ({ programIndex }: Instruction) => encodeBase58(wire.key(programIndex)) === program
  const [instruction, ...others] = instructions.filter(isSwap)
  if (instruction === undefined || others.length > 0) throw refuseMaterial('route')
  const swap = readSwap(wire, instruction, program, claim)
  const { source, destination, wrapped } = swap
  const used = { wrapped: [wrapped], needed: [source, destination], destinations: [destination] }
  const { checks, agreed, facts } = proveAround(opened, claim, rules, used, (_, one, around) => {
    if (one === instruction) around.swaps()
    return one === instruction
  })
  return {
    checks: [...POOL_CHECKS, ...checks],
    // Not that the bytes left it open: it fails early where the pool has moved.
    confirm: agreed,
    ...facts,
    instruction: swap.name,
    amountIn: swap.amountIn.toString(),
    minOut: swap.minOut.toString(),
    fees: [],
  }
}

function readSwap(
  wire: WireTransaction,
  { data, accounts }: Instruction,
  program: string,
  { mintIn, mintOut, amountIn, minOut, receiver }: SwapClaim,
) {
  const swap = poolSwap(program, data, accounts.length)
  if (swap === null) throw refuseMaterial('instruction')
  if (accounts[swap.authority] !== FROM) throw refuseMaterial('authority')
  const own = new OwnAccounts(wire)
  const keyOf = (index: number): string => {
    const key = staticKey(wire, accounts[index])
    return key === null ? '' : encodeBase58(key)
  }
  /** The wallet's account, for a token program that can own the mint. */
  const accountOf = (
    { mint, programs, account }: Side,
    ordered: string | null,
    wallet = own,
  ): Uint8Array | undefined => {
    const token = ordered ?? WRAPPED_SOL_MINT
    if (keyOf(mint) !== token) throw refuseMaterial('mints')
    const associated = programs.map(keyOf).map((tokenProgram) => {
      if (tokenProgram !== TOKEN_PROGRAM && tokenProgram !== TOKEN_2022_PROGRAM)
        throw refuseMaterial('token_program')
      return wallet.associated(token, tokenProgram)
    })
    return associated.find((address) => isSame(staticKey(wire, accounts[account]), address))
  }
  const source = accountOf(swap.in, mintIn)
  const destination = accountOf(swap.out, mintOut, new OwnAccounts(wire, receiver))
  if (source === undefined) throw refuseMaterial('source_account')
  if (destination === undefined) throw refuseMaterial('destination_account')
  if (swap.amountIn !== amountIn) throw refuseMaterial('amount')
  if (swap.minOut < minOut) throw refuseMaterial('minimum')
  return { ...swap, source, destination, wrapped: own.wrappedSol() }
}
