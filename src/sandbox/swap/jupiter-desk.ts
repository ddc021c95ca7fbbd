/**
 * The desk behind the sandbox's Jupiter, in place of the markets. Its vaults hold plenty
 * of every token, and the sandbox's Jupiter program trades with them in the wallet's own
 * transaction: see jupiter-program.ts.
 *
 *   [price][create accounts][wrap SOL][route_v2][unwrap what is left]
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v2
 */

import { decodeBase58 } from '../../chains/solana/base58.ts'
import type { AccountUse } from '../../chains/solana/message.ts'
import {
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import { factsOf } from '../market/research.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { Bank } from '../solana/ledger/bank.ts'
import type { Composed } from '../solana/ledger/compose.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  setComputeUnitPrice,
  syncNative,
  tokenAddress,
  transferLamports,
} from '../solana/ledger/instructions.ts'
import { scaledMint } from '../solana/ledger/scaled.ts'
import { DESK_ADDRESS, EVENT_AUTHORITY, JUPITER, routeData } from './jupiter-program.ts'
import programs from './programs.json' with { type: 'json' }

/** 5,000,000 SOL: less than 2^53 lamports, so that any client can show it. */
const PLENTY_LAMPORTS = 5_000_000_000_000_000n
/** What the desk holds of each token, in base units. */
const PLENTY_TOKENS = 2n ** 60n
const COMPUTE_UNIT_PRICE = 10_000

/** Wallets show the amounts of a scaled token times this: two and a half tokens for one. */
const MULTIPLIER = 2.5

/** Placed in the machine without a transaction. */
export const LOOKUP_TABLE = 'DeskLookupTab1e1111111111111111111111111111'
const LOOKUP_META_BYTES = 56
const MINT_BYTES = 82
const FREEZE_AUTHORITY_AT = 46
const TOKEN_ACCOUNT_BYTES = 165

export interface DeskTrade {
  readonly wallet: string
  /** The native coin means SOL, to be wrapped and unwrapped. */
  readonly tokenIn: MarketToken
  readonly tokenOut: MarketToken
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly slippageBps: number
  /** Another token account that gets the output, which has to be there. */
  readonly destination?: string | null
}

interface Instructions extends SwapParts {
  /** The entries of each lookup table, by its address. */
  readonly tables: Readonly<Record<string, readonly string[]>>
  readonly blockhash: Uint8Array
  readonly lastValidBlockHeight: number
}

/** One for each node: Jupiter, DFlow and the bridges share it. */
const DESKS = new WeakMap<Bank, Desk>()

export class Desk {
  readonly #bank: Bank
  readonly #tokens: readonly MarketToken[]
  readonly #programs = new Set<string>()
  /** The lookup table's entries: everything a swap may need except the wallet's own accounts. */
  readonly #listed: readonly string[]

  /** @param tokens  the chain's: each becomes a mint of which the desk has plenty */
  static at(bank: Bank, tokens: readonly MarketToken[]): Desk {
    const known = DESKS.get(bank) ?? new Desk(bank, tokens)
    DESKS.set(bank, known)
    return known
  }

  private constructor(bank: Bank, tokens: readonly MarketToken[]) {
    this.#bank = bank
    this.#tokens = tokens
    for (const token of tokens) if (!token.isNative) this.#issue(token)
    this.open(JUPITER, programs.jupiter, DESK_ADDRESS)
    this.#listed = listedOf(tokens)
    this.#place(LOOKUP_TABLE, LOOKUP_TABLE_PROGRAM, lookupTable(this.#listed))
  }

  /**
   * Adds a program, and vaults that it can pay from.
   * @param code   base64
   * @param owner  of the vaults: an address that the program signs for
   */
  open(program: string, code: string, owner: string): void {
    if (this.#programs.has(program)) return
    this.#programs.add(program)
    for (const token of this.#tokens)
      if (!token.isNative) this.#hold(token.address, programOf(token), PLENTY_TOKENS, owner)
    this.#hold(WRAPPED_SOL_MINT, TOKEN_PROGRAM, PLENTY_LAMPORTS, owner)
    this.#bank.vm.addProgram(decodeBase58(program, 32)!, Buffer.from(code, 'base64'))
  }

  /** The bank must have caught up with the clock. */
  instructions(trade: DeskTrade, wraps: boolean): Instructions {
    const { blockhash, lastValidBlockHeight } = this.#bank.slots.latestBlockhash('confirmed')
    return {
      ...partsOf(trade, wraps),
      tables: { [LOOKUP_TABLE]: this.#listed },
      blockhash: decodeBase58(blockhash, 32)!,
      lastValidBlockHeight,
    }
  }

  /** A mint whose authorities match its research facts, by which desks hold plenty. */
  #issue(token: MarketToken): void {
    const base = Buffer.alloc(MINT_BYTES)
    base.writeBigUInt64LE(PLENTY_TOKENS, 36)
    base[44] = token.decimals
    base[45] = 1 // initialized
    const { mintAuthority, freezeAuthority } = factsOf(token, 0)
    authorize(base, 0, mintAuthority)
    authorize(base, FREEZE_AUTHORITY_AT, freezeAuthority)
    const program = programOf(token)
    this.#place(token.address, program, token.trait === 'scaled' ? scaledMint(base, MULTIPLIER) : base)
  }

  #hold(mint: string, program: string, amount: bigint, owner: string): void {
    const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES)
    data.set(decodeBase58(mint, 32)!, 0)
    data.set(decodeBase58(owner, 32)!, 32)
    data.writeBigUInt64LE(amount, 64)
    data[108] = 1 // initialized
    const isNative = mint === WRAPPED_SOL_MINT
    if (isNative) {
      data.writeUInt32LE(1, 109) // native, with a reserve
      data.writeBigUInt64LE(this.#bank.vm.rentExemption(TOKEN_ACCOUNT_BYTES), 113)
    }
    this.#place(vaultOf(mint, program, owner), program, data, isNative ? amount : 0n)
  }

  /** @param more  lamports in addition to the rent */
  #place(address: string, program: string, data: Uint8Array, more = 0n): void {
    const { vm } = this.#bank
    const lamports = vm.rentExemption(data.length) + more
    vm.place(decodeBase58(address, 32)!, { lamports, data, owner: decodeBase58(program, 32)! })
  }
}

/** By owner and mint. It takes a few tries to find an address off the curve. */
const VAULTS = new Map<string, string>()

/** A desk's account of a token. */
export function vaultOf(mint: string, program: string, owner: string = DESK_ADDRESS): string {
  const name = `${owner} ${mint}`
  const address = VAULTS.get(name) ?? tokenAddress(owner, mint, program)
  VAULTS.set(name, address)
  return address
}

function authorize(mint: Buffer, at: number, authority: string | null): void {
  if (authority === null) return
  mint.writeUInt32LE(1, at)
  mint.set(decodeBase58(authority, 32)!, at + 4)
}

/** Includes programs, as mainnet's tables do: a transaction that needs them in its bytes must list them. */
export function listedOf(tokens: readonly MarketToken[]): readonly string[] {
  const accounts = tokens.flatMap((token) => [mintOf(token), vaultOf(mintOf(token), programOf(token))])
  const fixed = [DESK_ADDRESS, EVENT_AUTHORITY, JUPITER, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM]
  return [...new Set([...fixed, ...accounts])]
}

/** [kind u32 = 1][deactivated in slot u64, never][extended in slot u64][from u8][no authority, padding] */
function lookupTable(addresses: readonly string[]): Buffer {
  const meta = Buffer.alloc(LOOKUP_META_BYTES)
  meta.writeUInt32LE(1, 0)
  meta.writeBigUInt64LE(2n ** 64n - 1n, 4)
  return Buffer.concat([meta, ...addresses.map((address) => decodeBase58(address, 32)!)])
}

export function programOf({ trait }: MarketToken): string {
  return trait === 'scaled' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM
}

export const mintOf = ({ isNative, address }: MarketToken): string => (isNative ? WRAPPED_SOL_MINT : address)

/** A swap in the parts of the build API. */
interface SwapParts {
  readonly price: Composed
  readonly setup: readonly Composed[]
  readonly swap: Composed
  readonly cleanup: Composed | null
}

/**
 * @param wraps  whether SOL is wrapped and unwrapped; otherwise the wallet trades its wrapped SOL. With another
 *               destination it does, too
 */
function partsOf(trade: DeskTrade, wraps: boolean): SwapParts {
  const { wallet, tokenIn, tokenOut, amountIn, destination = null } = trade
  if (destination !== null)
    return { price: setComputeUnitPrice(COMPUTE_UNIT_PRICE), setup: [], swap: route(trade), cleanup: null }
  const wrapped = tokenAddress(wallet, WRAPPED_SOL_MINT)
  const wrap = [
    createTokenAccount(wallet, wallet, WRAPPED_SOL_MINT),
    transferLamports(wallet, wrapped, amountIn),
    syncNative(wrapped),
  ]
  const unwraps = wraps && (tokenIn.isNative || tokenOut.isNative)
  return {
    price: setComputeUnitPrice(COMPUTE_UNIT_PRICE),
    setup: [
      createTokenAccount(wallet, wallet, mintOf(tokenOut), programOf(tokenOut)),
      ...(wraps && tokenIn.isNative ? wrap : []),
    ],
    swap: route(trade),
    cleanup: unwraps ? closeTokenAccount(wrapped, wallet) : null,
  }
}

/** Jupiter's `route_v2`, whose market is the desk. */
export function route(trade: DeskTrade): Composed {
  const { wallet, tokenIn, tokenOut, amountIn, amountOut, slippageBps, destination = null } = trade
  const [mintIn, mintOut] = [mintOf(tokenIn), mintOf(tokenOut)]
  const [programIn, programOut] = [programOf(tokenIn), programOf(tokenOut)]
  const readonly = (address: string): AccountUse => ({ address, isSigner: false, isWritable: false })
  const writable = (address: string): AccountUse => ({ address, isSigner: false, isWritable: true })
  return {
    program: JUPITER,
    accounts: [
      { address: wallet, isSigner: true, isWritable: false },
      writable(tokenAddress(wallet, mintIn, programIn)),
      writable(tokenAddress(wallet, mintOut, programOut)),
      readonly(mintIn),
      readonly(mintOut),
      readonly(programIn),
      readonly(programOut),
      destination === null ? readonly(JUPITER) : writable(destination),
      readonly(EVENT_AUTHORITY),
      readonly(JUPITER),
      writable(vaultOf(mintIn, programIn)),
      writable(vaultOf(mintOut, programOut)),
      readonly(DESK_ADDRESS),
    ],
    data: routeData({ wallet, mintIn, mintOut, amountIn, quotedOut: amountOut, slippageBps, feeBps: 0 }),
  }
}
