/**
 * The desk behind the sandbox's Jupiter: whoever buys pays it, whoever sells
 * is paid by it. The wallet's own transaction pays the desk, by an ordinary
 * transfer in the place where Jupiter's would call its router; as soon as it
 * has landed, the desk sends the other side, signed with its own key. It plays
 * the markets, so it lives here: the gateway itself never signs.
 *
 *   wallet's  [limits][create accounts][wrap SOL][pay the desk][unwrap what is left]
 *   desk's    [create account][tokens or SOL to the wallet][memo: the wallet's signature]
 *
 * A wallet that changes its transaction before it signs pays all the same, and
 * gets nothing: the desk knows transactions by their messages.
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v1 and v2
 */

import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { decodeBase58, encodeBase58 } from '../../solana/base58.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../solana/programs.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { Bank, Landed } from '../solana/bank.ts'
import { type Composed, composeMessage, signed, unsigned } from '../solana/compose.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  memo,
  setComputeUnitLimit,
  setComputeUnitPrice,
  syncNative,
  tokenAddress,
  transferLamports,
  transferTokens,
} from '../solana/instructions.ts'
import { scaledMint } from '../solana/scaled.ts'
import { openTransaction } from '../solana/transaction.ts'

/** Always the same, so that a restarted sandbox has the same desk. It holds nothing but play money. */
const SECRET_KEY = sha256(Buffer.from('swapgate sandbox: the desk'))
/** 5,000,000 SOL: less than 2^53 lamports, so that any client can show it. */
const PLENTY_LAMPORTS = 5_000_000_000_000_000n
/** What the desk holds of each token, in base units. */
const PLENTY_TOKENS = 2n ** 60n
/** The limit of a swap: above what two new accounts and a transfer take. */
const COMPUTE_UNITS = 150_000
const COMPUTE_UNIT_PRICE = 10_000
/** The builds that may still be paid: more than a minute of them. */
const MAX_OPEN = 10_000

/** Wallets show the amounts of a scaled token times this: two and a half tokens for one. */
const MULTIPLIER = 2.5

const MINT_BYTES = 82
const TOKEN_ACCOUNT_BYTES = 165

export interface Trade {
  readonly wallet: string
  /** The native coin stands for SOL, to be wrapped and unwrapped. */
  readonly tokenIn: MarketToken
  readonly tokenOut: MarketToken
  readonly amountIn: bigint
  readonly amountOut: bigint
}

export interface Built {
  /** base64, unsigned */
  readonly transaction: string
  readonly lastValidBlockHeight: number
  readonly computeUnitLimit: number
  readonly microLamports: number
  readonly prioritizationFeeLamports: number
  /** Why it would fail if it were sent now, null when it would not. */
  readonly failure: string | null
}

/** The wallet that the desk is paid at: the gateway must know it as a settlement account. */
export const DESK_ADDRESS = encodeBase58(ed25519.getPublicKey(SECRET_KEY))

export class Desk {
  readonly #bank: Bank
  /** The trades that were built, by message, base64, the oldest first. */
  readonly #open = new Map<string, Trade>()

  /** @param tokens  the chain's: each becomes a mint of which the desk has plenty */
  constructor(bank: Bank, tokens: readonly MarketToken[]) {
    this.#bank = bank
    for (const token of tokens) if (!token.isNative) this.#issue(token)
    this.#hold(WRAPPED_SOL_MINT, TOKEN_PROGRAM, 0n)
    bank.onLanded = (landed) => this.#settle(landed)
  }

  /** The bank must have caught up with the clock. */
  build(trade: Trade): Built {
    const { blockhash, lastValidBlockHeight } = this.#bank.slots.latestBlockhash('confirmed')
    const message = composeMessage(trade.wallet, payment(trade), blockhash)
    const bytes = unsigned(message)
    const rules = { verifySignatures: false, blockhashSeenAt: null }
    const { verdict } = this.#bank.simulate(openTransaction(bytes), rules)
    this.#open.set(message.toString('base64'), trade)
    if (this.#open.size > MAX_OPEN) this.#open.delete(this.#open.keys().next().value!)
    return {
      transaction: bytes.toString('base64'),
      lastValidBlockHeight,
      computeUnitLimit: COMPUTE_UNITS,
      microLamports: COMPUTE_UNIT_PRICE,
      prioritizationFeeLamports: (COMPUTE_UNITS * COMPUTE_UNIT_PRICE) / 1_000_000,
      failure: verdict.failure?.message ?? null,
    }
  }

  #settle({ sent, verdict }: Landed): void {
    const message = Buffer.from(sent.wire.message()).toString('base64')
    const trade = this.#open.get(message)
    if (trade === undefined || verdict.failure !== null) return
    this.#open.delete(message)
    this.#bank.vm.endow(decodeBase58(DESK_ADDRESS, 32)!, PLENTY_LAMPORTS)
    // The memo makes each settlement a transaction of its own, also of two equal ones in one slot.
    const instructions = [...delivery(trade), memo(sent.signature)]
    const { blockhash } = this.#bank.slots.latestBlockhash('processed')
    const settlement = signed(composeMessage(DESK_ADDRESS, instructions, blockhash), SECRET_KEY)
    const { failure } = this.#bank.process(openTransaction(settlement))
    if (failure !== null) throw new Error(`The sandbox's desk could not settle a swap: ${failure.message}`)
  }

  /** A mint without authorities, and all of its tokens in the desk's account. */
  #issue(token: MarketToken): void {
    const base = Buffer.alloc(MINT_BYTES)
    base.writeBigUInt64LE(PLENTY_TOKENS, 36)
    base[44] = token.decimals
    base[45] = 1 // initialized
    const program = programOf(token)
    this.#place(token.address, program, token.trait === 'scaled' ? scaledMint(base, MULTIPLIER) : base)
    this.#hold(token.address, program, PLENTY_TOKENS)
  }

  #hold(mint: string, program: string, amount: bigint): void {
    const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES)
    data.set(decodeBase58(mint, 32)!, 0)
    data.set(decodeBase58(DESK_ADDRESS, 32)!, 32)
    data.writeBigUInt64LE(amount, 64)
    data[108] = 1 // initialized
    if (mint === WRAPPED_SOL_MINT) {
      data.writeUInt32LE(1, 109) // native, with a reserve
      data.writeBigUInt64LE(this.#bank.vm.rentExemption(TOKEN_ACCOUNT_BYTES), 113)
    }
    this.#place(tokenAddress(DESK_ADDRESS, mint, program), program, data)
  }

  #place(address: string, program: string, data: Uint8Array): void {
    const { vm } = this.#bank
    const lamports = vm.rentExemption(data.length)
    vm.place(decodeBase58(address, 32)!, { lamports, data, owner: decodeBase58(program, 32)! })
  }
}

function programOf({ trait }: MarketToken): string {
  return trait === 'scaled' ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM
}

/** What the wallet signs. Wrapped SOL is always unwrapped at the end, as Jupiter does. */
function payment({ wallet, tokenIn, tokenOut, amountIn }: Trade): Composed[] {
  const wrapped = tokenAddress(wallet, WRAPPED_SOL_MINT)
  const mint = tokenIn.address
  const pay = transferTokens(wallet, DESK_ADDRESS, mint, amountIn, tokenIn.decimals, programOf(tokenIn))
  return [
    setComputeUnitLimit(COMPUTE_UNITS),
    setComputeUnitPrice(COMPUTE_UNIT_PRICE),
    ...(tokenOut.isNative ? [] : [createTokenAccount(wallet, wallet, tokenOut.address, programOf(tokenOut))]),
    ...(tokenIn.isNative
      ? [
          createTokenAccount(wallet, wallet, WRAPPED_SOL_MINT),
          transferLamports(wallet, wrapped, amountIn),
          syncNative(wrapped),
          pay,
          closeTokenAccount(wrapped, wallet),
        ]
      : [pay]),
  ]
}

/** What the desk signs. */
function delivery({ wallet, tokenOut, amountOut }: Trade): Composed[] {
  if (tokenOut.isNative) return [transferLamports(DESK_ADDRESS, wallet, amountOut)]
  const { address, decimals } = tokenOut
  const program = programOf(tokenOut)
  return [
    createTokenAccount(DESK_ADDRESS, wallet, address, program),
    transferTokens(DESK_ADDRESS, wallet, address, amountOut, decimals, program),
  ]
}
