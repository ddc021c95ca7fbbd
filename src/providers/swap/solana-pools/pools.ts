/**
 * Swaps in one pool of Solana, without an aggregator: the pool's state comes from the operator's node, the amount from
 * the pool's own rule, and the transaction from here. All of its accounts are in its bytes.
 *
 *   [advance of the order's nonce][compute unit limit][create the output account][wrap SOL][swap][unwrap SOL]
 *
 * The output account is the wallet's, or the receiver's.
 *
 * Only what is computed exactly is offered: no mint that takes a fee of transfers or calls other programs, no pool
 * whose fee depends on time. The proof is that of proof/solana/pools.ts; an execution finds a pool that has moved too
 * far since the quote.
 *
 * Source: §4.5, §4.6
 */
import { Type } from 'typebox'
import { minOut } from '../../../chains/amount.ts'
import { associatedAccount } from '../../../chains/solana/associated.ts'
import { decodeKey, encodeBase58, isBase58Of } from '../../../chains/solana/base58.ts'
import {
  closeTokenAccount,
  createTokenAccount,
  setComputeUnitLimit,
  u64,
  wrapping,
} from '../../../chains/solana/instructions.ts'
import { compileTransaction, type InstructionParts } from '../../../chains/solana/message.ts'
import { readMint } from '../../../chains/solana/mint.ts'
import { advanceNonce } from '../../../chains/solana/nonce.ts'
import { programAddress } from '../../../chains/solana/program-address.ts'
import { KEY_BYTES } from '../../../chains/solana/sizes.ts'
import { MAX_COMPUTE_UNIT_PRICE } from '../../../config/defaults.ts'
import { POOL_LAYOUTS, provePool } from '../../../proof/solana/pools.ts'
import type { Material } from '../../../proof/terms/material.ts'
import { type BuildOrder, receiverOf } from '../../../proof/terms/order.ts'
import { refuseMaterial } from '../../../proof/terms/verification.ts'
import { boundedCache } from '../../../runtime/bounded-cache.ts'
import { GatewayError } from '../../../runtime/errors.ts'
import { askAccounts, type HeldAccount } from '../../../upstream/nodes/solana/accounts.ts'
import type { SolanaRpc } from '../../../upstream/nodes/solana/rpc.ts'
import { answerReader } from '../../answer.ts'
import { FRESH_MS, type Offer, type SwapProvider } from '../../provider.ts'
import { tooSmall } from '../../refusals.ts'
import { claimOf } from '../jupiter.ts'
import { mintOf, solanaMaterial } from '../jupiter-wire.ts'

const MAX_U64 = 2n ** 64n - 1n
/** More than a swap takes with the accounts around it. An execution gives the limit: see priority.ts. */
const COMPUTE_UNITS = 400_000

/** Accounts by address, without those that are not there. */
export type Accounts = ReadonlyMap<string, HeldAccount>

/** What is to be swapped, and the two mints in the order of their bytes, as pools have them. */
export interface Asked {
  readonly mints: readonly [string, string]
  /** The first mint is sold. */
  readonly aToB: boolean
  readonly amountIn: bigint
  /** Unix time in seconds. */
  readonly now: bigint
}

/** What a pool gives. */
export interface PoolQuote {
  readonly pool: string
  readonly expectedOut: bigint
  /** The output at the price before the swap, less the fee. */
  readonly atSpot: bigint
  /** The fee, in hundredths of a basis point. */
  readonly fee: bigint
  /** The accounts of the swap, in their order; those of the trader, and a mint's token program, are empty. */
  readonly keys: readonly string[]
  readonly ending: number
}

/** What differs between the programs. */
export interface PoolProgram {
  readonly label: string
  readonly program: string
  /** The addresses of the pair's pools, and of what their rules depend on. */
  candidates(mints: Asked['mints']): readonly string[]
  /**
   * @param found  of the candidates
   * @param read   asks for more, which is of one slot
   * @returns what each pool gives that takes the whole amount
   */
  quotes(
    asked: Asked,
    found: Accounts,
    read: (addresses: readonly string[]) => Promise<Accounts>,
  ): Promise<readonly PoolQuote[]>
}

interface PoolsOptions {
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly clock: { date(): number }
  readonly maxComputeUnitPrice?: bigint
}

const Key = Type.String()
/** An offer's `raw`, written by this file: a build needs no further call. */
const readRoute = answerReader(
  Type.Object({ keys: Type.Array(Key), ending: Type.Integer(), programs: Type.Tuple([Key, Key]) }),
)

export function solanaPools(
  pools: PoolProgram,
  { solana, clock, maxComputeUnitPrice = MAX_COMPUTE_UNIT_PRICE }: PoolsOptions,
): SwapProvider {
  const { label, program } = pools
  const refuse = (code: 'no_route' | 'amount_too_large', message: string) =>
    new GatewayError(code, message, { provider: label })

  return {
    label,
    freshMs: FRESH_MS,
    chains: new Set(['solana']),
    priority: 'medium',
    paysOthers: true,

    async quote(order, call): Promise<Offer> {
      const { amountIn, slippageBps } = order
      const [sold, bought] = [mintOf(order.tokenIn), mintOf(order.tokenOut)]
      if (sold === bought) throw refuse('no_route', 'Both tokens are SOL. Wrap or unwrap it yourself.')
      if (amountIn > MAX_U64) {
        throw refuse('amount_too_large', 'The amount is larger than any pool could hold. Try a smaller one.')
      }
      const read = async (addresses: readonly string[]): Promise<Accounts> => {
        const { accounts } = await askAccounts(solana, addresses, call)
        return new Map(accounts.flatMap((one, i) => (one === null ? [] : [[addresses[i]!, one]])))
      }
      const aToB = Buffer.compare(decodeKey(sold), decodeKey(bought)) < 0
      const mints = aToB ? ([sold, bought] as const) : ([bought, sold] as const)
      const found = await read([sold, bought, ...pools.candidates(mints)])
      const programs = [sold, bought].map((mint) => exactProgram(found.get(mint)))
      if (programs.includes(null)) {
        throw refuse(
          'no_route',
          'A token takes fees or calls other programs, or has no mint. Try another one.',
        )
      }
      const now = BigInt(Math.floor(clock.date() / 1_000))
      const [one, ...others] = await pools.quotes({ mints, aToB, amountIn, now }, found, read)
      if (one === undefined)
        throw refuse('no_route', 'No pool of this program takes the amount of this pair.')
      const best = others.reduce((best, quote) => (quote.expectedOut > best.expectedOut ? quote : best), one)
      const { expectedOut, atSpot, pool, fee, keys, ending } = best
      if (expectedOut === 0n) throw tooSmall(label)
      return {
        expectedOut,
        minOut: minOut(expectedOut, slippageBps),
        priceImpactPct: atSpot > expectedOut ? Number(((atSpot - expectedOut) * 10_000n) / atSpot) / 100 : 0,
        details: { pool, poolFees: [Number(fee)], fees: [] },
        raw: JSON.stringify({ keys, ending, programs }),
      }
    },

    async build(order, offer): Promise<Material> {
      const { from, nonce } = order
      const bytes = compileTransaction({
        payer: from,
        instructions: instructionsOf(order, offer, program),
        tables: {},
        pinned: new Set(),
        // Without a nonce the gateway sets the one of its own node: see proof/solana/blockhash.ts.
        blockhash: nonce === undefined ? new Uint8Array(KEY_BYTES) : decodeKey(nonce.value),
      })!
      return solanaMaterial(bytes.toString('base64'), offer)
    },

    prove(order, offer, material) {
      if (material.kind !== 'solana') throw refuseMaterial('kind')
      return provePool(material.transaction, program, claimOf(order, offer), { maxComputeUnitPrice })
    },
  }
}

function instructionsOf(order: BuildOrder, { minOut, raw }: Offer, program: string) {
  const { keys, ending, programs } = readRoute(Buffer.from(raw))!.value
  const { from, nonce, tokenIn, tokenOut, amountIn } = order
  const [sold, bought] = [mintOf(tokenIn), mintOf(tokenOut)]
  const source = associatedAccount(from, sold, programs[0])
  const destination = associatedAccount(receiverOf(order), bought, programs[1])
  const { authority, endings } = POOL_LAYOUTS[program]!
  const { in: paid, out: got } = endings[ending]!
  const all = [...keys]
  ;[all[authority], all[paid.account], all[got.account]] = [from, source, destination]
  // Where both programs have a place, they are there.
  for (const [i, { programs: places }] of [paid, got].entries())
    if (places.length === 1) all[places[0]!] = programs[i]!
  const wrapped = tokenIn.isNative ? source : tokenOut.isNative ? destination : null
  return [
    ...(nonce === undefined ? [] : [advanceNonce(nonce.account, from)]),
    setComputeUnitLimit(COMPUTE_UNITS),
    createTokenAccount(from, receiverOf(order), bought, programs[1]),
    ...(tokenIn.isNative ? wrapping(from, amountIn) : []),
    encodePoolSwap({ program, keys: all, ending, amountIn, minOut }),
    ...(wrapped === null ? [] : [closeTokenAccount(wrapped, from)]),
  ]
}

/** A swap as it is built. */
type BuiltSwap = Pick<PoolQuote, 'keys' | 'ending'> &
  Pick<BuildOrder, 'amountIn'> &
  Pick<Offer, 'minOut'> & { readonly program: string }

export function encodePoolSwap({ program, keys, amountIn, minOut, ending }: BuiltSwap): InstructionParts {
  const { kind, endings, authority, writable, accounts: fixed } = POOL_LAYOUTS[program]!
  const accounts = keys.map((address, i) => ({
    address,
    isSigner: i === authority,
    isWritable: writable.includes(i) || i >= fixed,
  }))
  const [start, end] = [kind, endings[ending]!.data].map((hex) => Buffer.from(hex, 'hex'))
  return { program, accounts, data: Buffer.concat([start!, u64(amountIn), u64(minOut), end!]) }
}

/** The token program of a mint whose transfers move the amount and nothing else; null for another one. */
function exactProgram(account: HeldAccount | undefined): string | null {
  const mint = account === undefined ? null : readMint(account.owner, account.data)
  if (mint === null || mint.unread.length > 0 || mint.transferFee !== null) return null
  const isHeldUp = mint.isNonTransferable || mint.isBornFrozen || mint.isPaused
  return isHeldUp || mint.transferHook !== null ? null : mint.program
}

/** @returns its data, if the account is one of the program's, of that kind and length */
export function dataOf(account: HeldAccount | undefined, program: string, kind: string, bytes: number) {
  const isIt =
    account?.owner === program && account.data.length >= bytes && account.data.toString('hex', 0, 8) === kind
  return isIt ? account.data : null
}

/** Addresses that were derived, a fifth of a millisecond each: pairs are asked for again. */
const DERIVED = boundedCache<string, string>({ max: 10_000 })

/** An address that a program derives. @param seeds  addresses, texts or bytes */
export function derived(program: string, ...seeds: readonly (string | Uint8Array)[]): string {
  const name = `${program} ${seeds.join(' ')}`
  const known = DERIVED.get(name)
  if (known !== undefined) return known
  const bytes = seeds.map((seed) =>
    typeof seed === 'string' && isBase58Of(seed, KEY_BYTES) ? decodeKey(seed) : Buffer.from(seed as string),
  )
  const address = encodeBase58(programAddress(decodeKey(program), ...bytes))
  DERIVED.set(name, address)
  return address
}

export const keyAt = (data: Buffer, at: number): string => encodeBase58(data.subarray(at, at + KEY_BYTES))

export const u128 = (data: Buffer, at: number): bigint =>
  data.readBigUInt64LE(at) + (data.readBigUInt64LE(at + 8) << 64n)
