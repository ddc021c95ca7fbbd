/**
 * Adds guards to a Solana transaction that was proved and executed: at landing it fails unless the wallet holds what
 * the order leaves it with. See proof/solana/guards.ts for what they are.
 *
 *   receiving account   what was there, and the minimum
 *   sold account        what was there, less the sold amount
 *   any other account   what was there
 *   the wallet          its lamports after the execution, less what the output may fall and priority may take
 *
 * An account with a delegate or a close authority of the wallet's own choice keeps it, so that is not guarded.
 */
import { decodeKey } from '../chains/solana/base58.ts'
import { computeBudgetOf, MAX_COMPUTE_UNITS, priorityLamports } from '../chains/solana/compute-budget.ts'
import { withInstructions } from '../chains/solana/decompile.ts'
import { u64 } from '../chains/solana/instructions.ts'
import type { InstructionParts } from '../chains/solana/message.ts'
import { advanceNonce, type Nonce } from '../chains/solana/nonce.ts'
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from '../chains/solana/programs.ts'
import { MAX_TRANSACTION_BYTES } from '../chains/solana/sizes.ts'
import {
  CLOSABLE_BY_OWNER,
  REVOKE,
  SYSTEM_TRANSFER,
  TRANSFER,
  TRANSFER_CHECKED,
} from '../proof/solana/guards.ts'
import { openUnsigned } from '../proof/solana/solana.ts'
import type { Token } from '../proof/terms/order.ts'
import type { SeenAccount, Spent, Verification } from '../proof/terms/verification.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { GuardsOf } from '../runtime/resources/build.ts'

/** Room for the guards of two token accounts and of the wallet, and for the key of a program. */
export const GUARD_BYTES = 128
/** Room for the advance of a nonce that `guarded` adds: two keys, and indexes of the instruction's accounts. */
export const NONCE_BYTES = 80

export interface GuardTerms {
  readonly from: string
  readonly sold: Pick<Token, 'address' | 'isNative'>
  readonly amountIn: bigint
  /** Null if nothing arrives on this chain. */
  readonly bought: (Pick<Token, 'address' | 'isNative'> & { readonly minOut: bigint }) | null
  /** Lamports that priority may take. */
  readonly most: bigint
  readonly provider: string
  /** The order's, if the transaction doesn't begin with its advance yet. */
  readonly nonce?: Nonce
  /** The client has not asked for guards: the provider's transactions are handed out with them only. */
  readonly isUnasked?: boolean
}

export type Guarded = Awaited<ReturnType<typeof guarded>>

/**
 * @param transaction  base64, proved
 * @param spent        of its execution
 * @throws GatewayError  material_unproved, if it was not executed; no_route, if they do not fit; upstream_*
 */
export async function guarded(transaction: string, terms: GuardTerms, spent: Spent | undefined) {
  const { from, provider, nonce, isUnasked } = terms
  const seen = spent?.seen
  if (spent === undefined || seen === undefined) throw unguarded(provider, isUnasked)
  const wire = openUnsigned(transaction, from)
  const checked = [...new Set(seen.accounts.filter(isChecked).map(({ mint }) => mint))]
  const decimals = new Map((await seen.decimalsOf(checked)).map((one, i) => [checked[i]!, one]))
  const enforced = seen.accounts.map((account) => ({ account, atLeast: leastIn(account, terms) }))
  const budget = computeBudgetOf(wire)!
  const priority = priorityLamports(budget.price, budget.limit ?? MAX_COMPUTE_UNITS)
  const lamports = leastLamports({ ...spent, lamports: seen.lamports + priority }, terms)
  const added = [
    ...enforced.flatMap(({ account, atLeast }) => tokenGuard(account, atLeast, from, decimals)),
    instruction(SYSTEM_PROGRAM, [from, from], from, SYSTEM_TRANSFER, u64(lamports)),
  ]
  const beginning = nonce && { advance: advanceNonce(nonce.account, from), value: decodeKey(nonce.value) }
  const bytes = withInstructions(wire, seen.tables, added, beginning)
  if (bytes === null || bytes.length > MAX_TRANSACTION_BYTES) throw tooLarge(provider, isUnasked)
  const guards: GuardsOf = {
    by: 'transaction',
    enforced: [
      ...enforced.map(({ account, atLeast }) => ({
        account: account.address,
        token: account.mint,
        atLeast: String(atLeast),
        leftOut: [
          ...(account.hasDelegate ? (['delegate'] as const) : []),
          ...(account.hasCloseAuthority ? (['close_authority'] as const) : []),
        ],
      })),
      { account: from, token: 'native', atLeast: String(lamports), leftOut: [] },
    ],
    bytes: bytes.length - wire.bytes.length,
  }
  /** `units`: without the guards; null if the node did not say. */
  return { transaction: bytes.toString('base64'), units: seen.units, guards }
}

/**
 * What the guards enforce, after the transaction was executed with them.
 * @throws GatewayError  material_unproved, if it was not
 */
export function executedGuards(
  { guards, units }: Guarded,
  { verification, spent }: { readonly verification: Verification; readonly spent?: Spent | null },
  provider: string,
): GuardsOf {
  if (verification.simulation === null) throw unguarded(provider)
  const now = spent?.seen?.units ?? null
  return { ...guards, units: now === null || units === null ? null : now - units }
}

/** Room that is left in a transaction, in bytes. */
export const headroomIn = (base64: string): number =>
  MAX_TRANSACTION_BYTES - Buffer.from(base64, 'base64').length

const isChecked = ({ program }: SeenAccount): boolean => program === TOKEN_2022_PROGRAM

function leastIn({ mint, before, after }: SeenAccount, { sold, amountIn, bought }: GuardTerms): bigint {
  if (bought !== null && !bought.isNative && mint === bought.address && after - before >= bought.minOut)
    return before + bought.minOut
  if (after >= before) return before
  if (sold.isNative || mint !== sold.address) return after
  return before > amountIn ? before - amountIn : 0n
}

/**
 * The wallet cannot have less than the minimum that it receives, whatever it had before: fees are paid first. Nor less
 * than one lamport, because a transfer of none would not show who owns the account.
 */
function leastLamports(
  { lamports, native, gas, rents }: Spent & { readonly lamports: bigint },
  { bought, most }: GuardTerms,
): bigint {
  const minOut = bought?.isNative === true ? bought.minOut : null
  const foreign = rents.reduce((sum, { amount, isOwn }) => (isOwn ? sum : sum + amount), 0n)
  const gained = native + (gas ?? 0n) + foreign
  const more = minOut !== null && gained > minOut ? gained - minOut : 0n
  const floor = minOut ?? 1n
  const least = lamports - most - more
  return least > floor ? least : floor
}

function tokenGuard(
  { address, program, mint, hasDelegate, hasCloseAuthority }: SeenAccount,
  atLeast: bigint,
  from: string,
  decimals: ReadonlyMap<string, number>,
): readonly InstructionParts[] {
  const known = decimals.get(mint)
  const transfer =
    known === undefined
      ? instruction(program, [address, address], from, [TRANSFER], u64(atLeast))
      : instruction(program, [address, mint, address], from, [TRANSFER_CHECKED], u64(atLeast), [known])
  return [
    ...(hasDelegate ? [] : [instruction(program, [address], from, REVOKE)]),
    transfer,
    ...(hasCloseAuthority ? [] : [instruction(program, [address], from, CLOSABLE_BY_OWNER)]),
  ]
}

/** The last account signs; the wallet's are writable, a mint is not. */
function instruction(
  program: string,
  accounts: readonly string[],
  from: string,
  ...data: readonly Iterable<number>[]
): InstructionParts {
  const isSystem = program === SYSTEM_PROGRAM
  const used = (address: string) => ({
    address,
    isSigner: address === from,
    isWritable: address === accounts[0],
  })
  return {
    program,
    accounts: [...accounts, ...(isSystem ? [] : [from])].map(used),
    data: Uint8Array.from(data.flatMap((part) => [...part])),
  }
}

/** What a client can do that needs no guards. */
const instead = (isUnasked: boolean): string =>
  isUnasked ? "take another provider's quote" : 'leave `guards` out'

/** Refuses what would be handed out without the guards that it needs. */
export function unguarded(provider: string, isUnasked = false): GatewayError {
  const message = `\`guards\` need a node that shows what the wallet holds and executes the transaction, and a wallet that holds what it sells. Try again later, or ${instead(isUnasked)}.`
  return new GatewayError('material_unproved', message, { provider, rule: 'guards' })
}

function tooLarge(provider: string, isUnasked = false): GatewayError {
  const message = `With guards the transaction is larger than ${MAX_TRANSACTION_BYTES} bytes. Try another amount, or ${instead(isUnasked)}.`
  return new GatewayError('no_route', message, { provider, field: 'guards' })
}
