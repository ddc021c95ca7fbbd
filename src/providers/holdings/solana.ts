/**
 * A wallet's holdings on Solana: its lamports, and every token account of both
 * token programs, which the nodes list. Accounts of one mint are added up;
 * lamports and wrapped SOL form one holding of the native coin.
 *
 * Amounts are those of the chain. Wallets may show another amount for a Token-2022
 * mint; a note says so. Rent in token accounts is not counted.
 *
 * Source: §4.4 · anza-xyz/agave rpc/src/rpc.rs (getBalance, getTokenAccountsByOwner)
 */
import { Type } from 'typebox'
import { findChain } from '../../chains/find.ts'
import { Items, memberText, startOfMember } from '../../chains/json/member.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import type { Call } from '../../flow/call.ts'
import { inPieces, ownTurn, PIECE_BYTES } from '../../flow/loop-share.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { getOrInsert } from '../../runtime/lists.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import { answerReader } from '../answer.ts'
import type { AskedToken, Holding, HoldingNote, Holdings, HoldingsProvider } from './holdings.ts'
import { type ListedTokenAccount, readTokenAccount } from './token-account.ts'

/**
 * Accounts of one token program. Only spammers and spammed wallets have more: further accounts are counted,
 * not shown.
 */
const MAX_ACCOUNTS = 10_000
/** Room for more than ten thousand accounts. */
const MAX_LIST_BYTES = 8 * 1024 * 1024
const OPEN_BRACKET = 0x5b
const MAX_U64 = 2n ** 64n - 1n
const CONFIRMED = { commitment: 'confirmed' } as const

const Slot = Type.Object({ slot: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) })
const readBalance = answerReader(Type.Object({ context: Slot, value: Type.Number() }))
/** An item has about seven hundred bytes. */
const ITEM_BYTES = 700
const MAX_ITEM_BYTES = 16 * 1024

/** The sum over the accounts of one mint. */
type MintTotal = typeof NO_TOKENS

const SOLANA = findChain('solana')!

export class SolanaHoldings implements HoldingsProvider {
  readonly #rpc: Pick<SolanaRpc, 'read'>

  /** @param rpc  the nodes */
  constructor(rpc: Pick<SolanaRpc, 'read'>) {
    this.#rpc = rpc
  }

  async ask(owner: string, _tokens: readonly AskedToken[], call: Call): Promise<Holdings> {
    const reads = await Promise.allSettled([
      this.#balance(owner, call),
      this.#accounts(owner, TOKEN_PROGRAM, call),
      this.#accounts(owner, TOKEN_2022_PROGRAM, call),
    ])

    const failures = reads.flatMap((read) => (read.status === 'rejected' ? [read.reason as unknown] : []))
    const bug = failures.find((reason) => !(reason instanceof GatewayError))
    if (bug !== undefined) throw bug
    if (failures.length === reads.length || call.scope.isCancelled) throw failures[0]

    const [balance, ...lists] = [settled(reads[0]), settled(reads[1]), settled(reads[2])] as const
    const found = lists.filter((list) => list !== null)
    const slots = [balance, ...found].flatMap((part) => (part === null ? [] : [part.slot]))
    await ownTurn()
    return {
      at: { block: null, slot: Math.min(...slots) },
      holdings: holdingsOf(
        balance?.lamports ?? 0n,
        found.flatMap(({ accounts }) => accounts),
      ),
      missing: found.reduce((sum, { missing }) => sum + missing, failures.length),
      isCoinMissing: balance === null,
    }
  }

  async #balance(owner: string, call: Call) {
    const params = JSON.stringify([owner, CONFIRMED])
    const result = await this.#read('getBalance', params, call)
    const answer = readBalance(result)
    // Lamports go up to 2^64 and JSON.parse would round them, so the digits are read from the text.
    const digits = answer === null ? null : memberText(result, ['value'])
    if (answer === null || digits === null || !/^\d{1,20}$/.test(digits)) throw unusable()
    const lamports = BigInt(digits)
    if (lamports > MAX_U64) throw unusable()
    return { slot: answer.value.context.slot, lamports }
  }

  /** `missing` counts accounts beyond the bound, and accounts that could not be read. */
  async #accounts(owner: string, programId: string, call: Call) {
    const params = JSON.stringify([owner, { programId }, { ...CONFIRMED, encoding: 'jsonParsed' }])
    const result = await this.#read('getTokenAccountsByOwner', params, call)
    if (result.length > MAX_LIST_BYTES) throw unusable()
    const list = startOfMember(result, 0, 'value')
    const slot = slotOf(result)
    if (slot === null || result[list] !== OPEN_BRACKET) throw unusable()
    const accounts: ListedTokenAccount[] = []
    const items = new Items(result, list)
    let count = 0
    await inPieces(() => {
      // Every item has a fixed cost, counted in bytes.
      for (let bytes = 0; bytes < PIECE_BYTES; count++) {
        const item = items.next()
        if (item === null) return false
        bytes += ITEM_BYTES + item.end - item.start
        if (count >= MAX_ACCOUNTS || item.end - item.start > MAX_ITEM_BYTES) continue
        const account = readTokenAccount(parsedOrNone(result.subarray(item.start, item.end)))
        if (account !== null && account.owner === owner) accounts.push(account)
      }
      return true
    })
    return { slot, accounts, missing: count - accounts.length }
  }

  /** @returns JSON text */
  async #read(method: string, params: string, call: Call): Promise<Buffer> {
    const { result } = await this.#rpc.read(method, params, call)
    if (result !== null) return result
    throw new GatewayError('upstream_failed', 'The Solana node refused to read the wallet. Try again later.')
  }
}

/** @returns null if there is none */
function slotOf(result: Buffer): number | null {
  const context = startOfMember(result, 0, 'context')
  const at = context === -1 ? -1 : startOfMember(result, context, 'slot')
  const digits = at === -1 ? null : /^(\d{1,15})[\s,}]/.exec(result.toString('latin1', at, at + 16))
  return digits === null ? null : Number(digits[1])
}

function settled<Value>(read: PromiseSettledResult<Value>): Value | null {
  return read.status === 'fulfilled' ? read.value : null
}

function unusable(): GatewayError {
  const message = 'The Solana node did not answer with the balances of a wallet, or with too many of them.'
  return new GatewayError('upstream_unusable', message)
}

const NO_TOKENS = { amount: 0n, decimals: null as number | null, isFrozen: false, isScaled: false }

/** @param lamports  the wallet's own balance */
function holdingsOf(lamports: bigint, accounts: readonly ListedTokenAccount[]): Holding[] {
  const coin: MintTotal = { ...NO_TOKENS, decimals: SOLANA.decimals }
  const sums = new Map<string, MintTotal>([[WRAPPED_SOL_MINT, coin]])
  for (const account of accounts) {
    if (account.amount === 0n) continue
    const key = account.isNative ? WRAPPED_SOL_MINT : account.mint
    const sum = getOrInsert(sums, key, () => ({ ...NO_TOKENS }))
    sum.amount += account.amount
    sum.decimals ??= account.decimals
    sum.isFrozen ||= account.isFrozen
    sum.isScaled ||= account.isScaled
  }
  const wrapped = coin.amount
  coin.amount += lamports
  return [...sums].flatMap(([address, { amount, decimals, isFrozen, isScaled }]) => {
    const isNative = address === WRAPPED_SOL_MINT
    const holding: Holding = {
      token: { chain: SOLANA.key, address, isNative },
      amount,
      decimals,
      symbol: isNative ? SOLANA.native : null,
      name: isNative ? SOLANA.name : null,
      wrapped: isNative ? wrapped : null,
      notes: notesOf(isFrozen, isScaled),
    }
    return amount === 0n ? [] : [holding]
  })
}

const notesOf = (isFrozen: boolean, isScaled: boolean): readonly HoldingNote[] => [
  ...(isFrozen ? (['frozen'] as const) : []),
  ...(isScaled ? (['scaled'] as const) : []),
]
