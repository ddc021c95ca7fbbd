/**
 * Proves that a transaction is exactly the ordered swap in one pool, of Orca's Whirlpools or Raydium's CPMM, without an
 * aggregator in between. Both instructions are read to their last byte, with every account they can have:
 *
 *   swap_v2          [kind 8][in u64][least u64][price limit u128, 0: none][1 in is exact][1 A to B][0 no more accounts]
 *   swap_base_input  [kind 8][in u64][least u64]
 *
 * Proved: the transaction swaps exactly the order's amount, from the wallet's associated account for the one mint
 * into that for the other, and the program itself fails it unless the minimum arrives, after all fees. Nothing else
 * can happen: the programs pass the wallet's signature to a token program only, for the transfer of the amount. So it
 * does not matter which pool is named, nor what its tick arrays, vaults and configuration are: the programs compare
 * them with the pool, and a worse one misses the minimum.
 *
 * Source: orca-so/whirlpools 630c0e0 programs/whirlpool/src/instructions/v2/swap.rs ·
 * raydium-io/raydium-cp-swap 609780f programs/cp-swap/src/instructions/swap_base_input.rs
 */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import type { InstructionParts } from '../../chains/solana/message.ts'
import {
  RAYDIUM_CPMM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WHIRLPOOL_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import type { Instruction, WireTransaction } from '../../chains/solana/wire.ts'
import { type Agreed, type Proof, refuseMaterial } from '../terms/verification.ts'
import { agreedOf, type JupiterClaim, type JupiterRules, requireGuards, worthOf } from './jupiter.ts'
import { FROM, isSame, readU64, staticKey } from './reading.ts'
import {
  afterNonce,
  describeEnvelope,
  describeNonce,
  ENVELOPE_CHECKS,
  OwnAccounts,
  openUnsigned,
  SURROUNDING_CHECKS,
  Surroundings,
} from './solana.ts'

/** Rule names in the order in which they are checked. */
export const POOL_CHECKS = [
  ...ENVELOPE_CHECKS,
  'route',
  'instruction',
  'authority',
  'mints',
  'token_program',
  'source_account',
  'destination_account',
  'amount',
  'minimum',
  'program',
  ...SURROUNDING_CHECKS,
  'unwrap',
] as const

/** The indexes of what belongs to one side of a swap. */
interface Side {
  readonly program: number
  readonly mint: number
  /** The trader's account. */
  readonly account: number
  readonly vault: number
}

export interface PoolLayout {
  readonly name: string
  /** The data before the amounts. */
  readonly kind: Buffer
  /** Those after them that a swap of an exact input can have, and the sides that each means. */
  readonly endings: readonly { readonly data: Buffer; readonly in: Side; readonly out: Side }[]
  readonly authority: number
  readonly accounts: number
  readonly writable: readonly number[]
}

const A: Side = { program: 0, mint: 5, account: 7, vault: 8 }
const B: Side = { program: 1, mint: 6, account: 9, vault: 10 }
/** The price limit, then whether the input is exact. */
const NO_LIMIT_EXACT = `${'00'.repeat(16)}01`

export const POOL_LAYOUTS: Readonly<Record<string, PoolLayout>> = {
  // token programs, memo, trader, pool, mints, A, vault A, B, vault B, three tick arrays, oracle
  [WHIRLPOOL_PROGRAM]: {
    name: 'swap_v2',
    kind: Buffer.from('2b04ed0b1ac91e62', 'hex'),
    endings: [
      { data: Buffer.from(`${NO_LIMIT_EXACT}0100`, 'hex'), in: A, out: B },
      { data: Buffer.from(`${NO_LIMIT_EXACT}0000`, 'hex'), in: B, out: A },
    ],
    authority: 3,
    accounts: 15,
    writable: [4, 7, 8, 9, 10, 11, 12, 13, 14],
  },
  // trader, authority of the vaults, configuration, pool, in, out, vaults, token programs, mints, observations
  [RAYDIUM_CPMM_PROGRAM]: {
    name: 'swap_base_input',
    kind: Buffer.from('8fbe5adac41e33de', 'hex'),
    endings: [
      {
        data: Buffer.alloc(0),
        in: { account: 4, vault: 6, program: 8, mint: 10 },
        out: { account: 5, vault: 7, program: 9, mint: 11 },
      },
    ],
    authority: 0,
    accounts: 13,
    writable: [3, 4, 5, 6, 7, 12],
  },
}

const AMOUNTS_BYTES = 16

/** @returns null for any other instruction than the two above */
export function poolSwap(program: string, data: Uint8Array, accounts: number) {
  const layout = POOL_LAYOUTS[program]
  if (layout === undefined || accounts !== layout.accounts) return null
  const { name, kind, endings, authority } = layout
  const end = kind.length + AMOUNTS_BYTES
  if (Buffer.compare(data.subarray(0, kind.length), kind) !== 0 || data.length < end) return null
  const ending = endings.find((one) => Buffer.compare(data.subarray(end), one.data) === 0)
  if (ending === undefined) return null
  const [amountIn, minOut] = [readU64(data, kind.length), readU64(data, kind.length + 8)]
  return { name, authority, in: ending.in, out: ending.out, amountIn, minOut }
}

/** A swap as it is built: the accounts in their order. */
export interface BuiltSwap {
  readonly program: string
  readonly keys: readonly string[]
  readonly amountIn: bigint
  readonly minOut: bigint
  /** Which of the endings it has. */
  readonly ending: number
}

export function encodePoolSwap({ program, keys, amountIn, minOut, ending }: BuiltSwap): InstructionParts {
  const { kind, endings, writable, authority } = POOL_LAYOUTS[program]!
  const amounts = Buffer.alloc(AMOUNTS_BYTES)
  amounts.writeBigUInt64LE(amountIn)
  amounts.writeBigUInt64LE(minOut, 8)
  const accounts = keys.map((address, i) => ({
    address,
    isSigner: i === authority,
    isWritable: writable.includes(i),
  }))
  return { program, accounts, data: Buffer.concat([kind, amounts, endings[ending]!.data]) }
}

/**
 * @param base64   one transaction
 * @param program  the pool's
 * @throws GatewayError  material_refused, whose `rule` is `nonce`, `guards`, or one of POOL_CHECKS
 */
export function provePool(
  base64: string,
  program: string,
  claim: JupiterClaim,
  { maxComputeUnitPrice }: JupiterRules,
): Proof & { readonly confirm: Agreed } {
  const { from, mintIn, mintOut, amountIn, nonce, solana, guards = false } = claim
  const wire = openUnsigned(base64, from)
  const instructions = nonce === undefined ? wire.instructions() : afterNonce(wire, nonce)
  const programOf = ({ programIndex }: Instruction) => encodeBase58(wire.key(programIndex))
  const [instruction, ...others] = instructions.filter((one) => programOf(one) === program)
  if (instruction === undefined || others.length > 0) throw refuseMaterial('route')
  const swap = readSwap(wire, instruction, program, claim)
  const own = new OwnAccounts(wire)
  const worth = worthOf(claim)
  const around = new Surroundings(wire, {
    maxComputeUnitPrice,
    wraps: mintIn === null ? amountIn : 0n,
    worth,
    wrapped: [own.wrappedSol()],
    needed: [swap.source, swap.destination],
    ...(solana && { rates: solana }),
  })
  for (const one of instructions) {
    if (one === instruction) around.swaps()
    else if (!around.take(programOf(one), one)) throw refuseMaterial('program')
  }
  around.close()
  if (mintOut === null && !around.isUnwrapped) throw refuseMaterial('unwrap')
  requireGuards(wire, around, claim, [swap.destination])
  return {
    checks: [...POOL_CHECKS, ...(nonce === undefined ? [] : ['nonce']), ...(guards ? ['guards'] : [])],
    // Not that the bytes left it open: it fails early where the pool has moved.
    confirm: agreedOf(claim, worth, around),
    ...describeEnvelope(wire, around),
    ...(nonce !== undefined && describeNonce(wire, nonce)),
    instruction: swap.name,
    amountIn: amountIn.toString(),
    minOut: swap.minOut.toString(),
    fees: [],
  }
}

function readSwap(
  wire: WireTransaction,
  { data, accounts }: Instruction,
  program: string,
  { mintIn, mintOut, amountIn, minOut }: JupiterClaim,
) {
  const swap = poolSwap(program, data, accounts.length)
  if (swap === null) throw refuseMaterial('instruction')
  if (accounts[swap.authority] !== FROM) throw refuseMaterial('authority')
  const own = new OwnAccounts(wire)
  const keyOf = (index: number): string => {
    const key = staticKey(wire, accounts[index])
    return key === null ? '' : encodeBase58(key)
  }
  const accountOf = (side: Side, mint: string, rule: string): Uint8Array => {
    if (keyOf(side.mint) !== mint) throw refuseMaterial('mints')
    const tokenProgram = keyOf(side.program)
    if (tokenProgram !== TOKEN_PROGRAM && tokenProgram !== TOKEN_2022_PROGRAM)
      throw refuseMaterial('token_program')
    const address = own.associated(mint, tokenProgram)
    if (!isSame(staticKey(wire, accounts[side.account]), address)) throw refuseMaterial(rule)
    return address
  }
  const source = accountOf(swap.in, mintIn ?? WRAPPED_SOL_MINT, 'source_account')
  const destination = accountOf(swap.out, mintOut ?? WRAPPED_SOL_MINT, 'destination_account')
  if (swap.amountIn !== amountIn) throw refuseMaterial('amount')
  if (swap.minOut < minOut) throw refuseMaterial('minimum')
  return { ...swap, source, destination }
}
