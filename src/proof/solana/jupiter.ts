/**
 * Proves that a transaction is exactly the ordered swap through Jupiter's
 * program. The gateway requests the program's version 2 instructions, whose
 * arguments are at fixed offsets before the route:
 *
 *   route_v2                 [kind 8][in u64][quoted out u64][slippage u16][fee u16][positive u16][plan]
 *   shared_accounts_route_v2 [kind 8][id u8], then the same fields
 *
 * Proved: the transaction swaps exactly the order's amount, from `from`'s account
 * for the input token into `from`'s account for the output token, or the receiver's. The program
 * itself pays at least the order's minimum, because quoted x (10000 - slippage) /
 * 10000 is no less, nor is it less after the fee. The fee is at most the quote's;
 * the bytes do not show its recipient, because its account is one of the route's. The
 * address of an associated token account is derived from its owner, its token program
 * and its mint, so both of the latter may come from a lookup table; the wallet's accounts
 * may not. Jupiter's helpers that open and close the wrapped-SOL account are checked like
 * the instructions that they replace; a route from token to token may pass through such
 * an account, too.
 *
 * Not proved, because the bytes do not show it: that the route's markets do not
 * abuse the wallet's signature, which Jupiter's program passes on to them. It
 * calls only programs that it knows. So the transaction is executed as well, if a
 * node can: the wallet's other accounts that a route names must lose nothing.
 *
 * Source: the program's own IDL as of 2026-08 (sava-software/idl-clients) · sevenlabs-hq/carbon
 * jupiter-swap-decoder · jup-ag/docs ultra/response.mdx, whose wrapped-SOL account is
 * derived from "token_account", the wallet and the mint
 */

import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { decodeKey } from '../../chains/solana/base58.ts'
import { programAddress } from '../../chains/solana/program-address.ts'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import type { Instruction, WireTransaction } from '../../chains/solana/wire.ts'
import type { Fee } from '../../runtime/resources/quote.ts'
import { BPS, MAX_JUPITER_FEE_BPS } from '../terms/fees.ts'
import { type Confirmed, refuseMaterial } from '../terms/verification.ts'
import ownChecks from './jupiter-checks.json' with { type: 'json' }
import routes from './jupiter-routes.json' with { type: 'json' }
import { FROM, isSame, readU64, staticKey, view } from './reading.ts'
import { OwnAccounts, type Surroundings } from './solana.ts'
import { checksOf, openSwap, proveAround, type SwapClaim, type SwapRules } from './swap.ts'

const JUPITER_EVENT_AUTHORITY = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf'

/** Rule names in the order in which they are checked. */
export const JUPITER_CHECKS = checksOf(ownChecks)

/**
 * The account indexes of one kind of route, and the offset of its `arguments`, of which the amount is the first.
 * `destinations` are where the output goes: one of the wallet's accounts, and in `route_v2` an optional account that
 * overrides it.
 */
type RouteLayout = (typeof routes)[keyof typeof routes]

/** Route kinds by the first eight bytes of the instruction data, in hex. */
export const ROUTE_LAYOUTS: ReadonlyMap<string, RouteLayout> = new Map(Object.entries(routes))

/** The arguments before the plan, and the plan's number of steps. */
const ARGUMENTS_BYTES = 8 + 8 + 2 + 2 + 2 + 4
/** Jupiter's helpers, by the first bytes of their data. */
export const KINDS = {
  createTokenAccount: '93f17b64f484ae76',
  createAssociated: '5368c096b4479cc6',
  closeWrappedSol: 'cb816785c57d6b56',
} as const
const KIND_BYTES = 8

const PROGRAM_KEY = decodeKey(JUPITER_PROGRAM)
const TOKEN_KEY = decodeKey(TOKEN_PROGRAM)
const WRAPPED_SOL_KEY = decodeKey(WRAPPED_SOL_MINT)

/** The amounts and fees in a route instruction. */
type JupiterRouteTerms = NonNullable<ReturnType<typeof routeTerms>>

/**
 * @param base64  one transaction
 * @throws GatewayError  material_refused, whose `rule` is `guards`, or one of JUPITER_CHECKS
 */
export function proveJupiter(base64: string, claim: SwapClaim, rules: SwapRules): Confirmed {
  const opened = openSwap(base64, claim)
  const { wire } = opened
  const { instruction, layout } = onlyRoute(wire, opened.instructions)
  const swap = new RouteProof(wire, instruction, layout, claim)
  const used = { ...swap, destinations: [swap.destination] }
  const { checks, agreed, facts } = proveAround(opened, claim, rules, used, (program, one, around) => {
    if (one === instruction) around.swaps()
    else if (program === JUPITER_PROGRAM) takeHelper(wire, one, around)
    return program === JUPITER_PROGRAM
  })
  const { terms } = swap
  return {
    checks: [...JUPITER_CHECKS, ...checks],
    // What a route's markets do is not in the bytes.
    confirm: agreed,
    ...facts,
    instruction: layout.name,
    amountIn: terms.amountIn.toString(),
    quotedOut: terms.quotedOut.toString(),
    slippageBps: terms.slippageBps,
    minOut: terms.minOut.toString(),
    fees: feesOf(terms, claim),
  }
}

/** An instruction's kind, in hex. */
export const kindOf = (data: Uint8Array): string => bytesToHex(data.subarray(0, KIND_BYTES))

const HELPERS: ReadonlySet<string> = new Set(Object.values(KINDS))

/** Every Jupiter instruction must be a helper or a readable route, and there must be exactly one route. */
function onlyRoute(wire: WireTransaction, instructions: readonly Instruction[]) {
  let found: { instruction: Instruction; layout: RouteLayout } | null = null
  for (const instruction of instructions) {
    if (!isSame(wire.key(instruction.programIndex), PROGRAM_KEY)) continue
    const kind = kindOf(instruction.data)
    if (HELPERS.has(kind)) continue
    const layout = ROUTE_LAYOUTS.get(kind)
    if (layout === undefined) throw refuseMaterial('instruction')
    if (found !== null) throw refuseMaterial('route')
    found = { instruction, layout }
  }
  if (found === null) throw refuseMaterial('route')
  return found
}

class RouteProof {
  readonly terms: JupiterRouteTerms
  /** The accounts through which SOL may go in, out, or on to the next market. */
  readonly wrapped: readonly Uint8Array[]
  /** The accounts that the swap needs. */
  readonly needed: readonly Uint8Array[]
  /** Where the output goes. */
  readonly destination: Uint8Array
  readonly #wire: WireTransaction
  readonly #accounts: Uint8Array
  readonly #own: OwnAccounts
  readonly #receivers: OwnAccounts

  constructor(wire: WireTransaction, { data, accounts }: Instruction, layout: RouteLayout, claim: SwapClaim) {
    this.#wire = wire
    this.#accounts = accounts
    this.#own = new OwnAccounts(wire)
    this.#receivers = new OwnAccounts(wire, claim.receiver)
    if (accounts.length <= layout.program) throw refuseMaterial('instruction')
    const terms = routeTerms(data, layout)
    if (terms === null) throw refuseMaterial('instruction')
    if (accounts[layout.authority] !== FROM) throw refuseMaterial('authority')

    const source = this.#side(claim.mintIn, layout.programIn, layout.source, 'source_account')
    const destination = this.#destination(claim.mintOut, layout)
    this.#is(layout.mintIn, claim.mintIn ?? WRAPPED_SOL_MINT, 'mints')
    this.#is(layout.mintOut, claim.mintOut ?? WRAPPED_SOL_MINT, 'mints')
    this.#is(layout.eventAuthority, JUPITER_EVENT_AUTHORITY, 'instruction')
    this.#is(layout.program, JUPITER_PROGRAM, 'instruction')
    this.wrapped =
      claim.mintIn === null
        ? [source]
        : claim.mintOut === null
          ? [destination]
          : [this.#own.wrappedSol(), this.#temporary()]
    this.destination = destination
    this.needed = [source, destination, ...this.wrapped]
    this.terms = terms
    checkTerms(terms, claim)
  }

  #key(index: number): Uint8Array | null {
    return staticKey(this.#wire, this.#accounts[index])
  }

  /**
   * A wallet's account for a mint, under the token program that the instruction names. A program from a lookup
   * table is not visible: the associated account's address proves it.
   */
  #side(
    mint: string | null,
    programAt: number,
    accountAt: number,
    rule: 'source_account' | 'destination_account',
    wallet = this.#own,
  ): Uint8Array {
    const address = this.#key(accountAt)
    if (address === null) throw refuseMaterial(rule)
    const program = this.#key(programAt)
    const may = (key: Uint8Array) => program === null || isSame(program, key)
    const programs = [
      ...(may(TOKEN_KEY) ? [TOKEN_PROGRAM] : []),
      ...(may(TOKEN_2022_KEY) ? [TOKEN_2022_PROGRAM] : []),
    ]
    if (programs.length === 0) throw refuseMaterial('token_program')
    const isAssociated = (one: string) => isSame(address, wallet.associated(mint ?? WRAPPED_SOL_MINT, one))
    if (programs.some(isAssociated)) return address
    if (mint === null && may(TOKEN_KEY) && isSame(address, this.#temporary())) return address
    throw refuseMaterial(rule)
  }

  #destination(mint: string | null, layout: RouteLayout): Uint8Array {
    const [first, overrule] = layout.destinations
    const sideAt = (at: number, wallet?: OwnAccounts) =>
      this.#side(mint, layout.programOut, at, 'destination_account', wallet)
    // An absent optional account is written as the program's own address.
    if (overrule === undefined || isSame(this.#key(overrule), PROGRAM_KEY))
      return sideAt(first!, this.#receivers)
    const address = sideAt(overrule, this.#receivers)
    // What it overrules is the same account, or the wallet's own.
    if (!isSame(this.#key(first!), address)) sideAt(first!)
    return address
  }

  /** The account that Jupiter's program opens for SOL if it does not use the associated one. */
  #temporary(): Uint8Array {
    return programAddress(PROGRAM_KEY, TEMPORARY_SEED, this.#wire.key(FROM), WRAPPED_SOL_KEY)
  }

  /**
   * Compares an account, if it is in the bytes. One from a lookup table is not visible: the associated accounts'
   * addresses prove the mints, and the program checks those that never vary.
   */
  #is(index: number, address: string, rule: 'mints' | 'instruction'): void {
    const key = this.#key(index)
    if (key !== null && !isSame(key, decodeKey(address))) throw refuseMaterial(rule)
  }
}

/** The programs that take part in opening an associated account. */
const OPENERS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM, SYSTEM_PROGRAM, ASSOCIATED_TOKEN_PROGRAM].map(decodeKey)
const TEMPORARY_SEED = utf8ToBytes('token_account')
const TOKEN_2022_KEY = decodeKey(TOKEN_2022_PROGRAM)

/** @returns null if the data is too short for them */
export function routeTerms(data: Uint8Array, { arguments: at }: RouteLayout) {
  if (data.length < at + ARGUMENTS_BYTES) return null
  const quotedOut = readU64(data, at + 8)
  const slippageBps = view(data).getUint16(at + 16, true)
  const platformFeeBps = view(data).getUint16(at + 18, true)
  return {
    amountIn: readU64(data, at),
    quotedOut,
    slippageBps,
    // The minimum that the program enforces, net of the fee.
    minOut: leastOf(quotedOut, slippageBps, platformFeeBps),
    platformFeeBps,
    positiveSlippageBps: view(data).getUint16(at + 20, true),
  }
}

/**
 * The least that the program pays for a quoted output, rounded down: its rounding is not public. Nor is it
 * public whether the quoted output is before or after the fee, so it is assumed to be before.
 */
export function leastOf(quotedOut: bigint, slippageBps: number, feeBps: number): bigint {
  const less = (amount: bigint, bps: number): bigint => {
    const kept = BPS - BigInt(bps)
    return kept < 0n ? 0n : (amount * kept) / BPS
  }
  return less(less(quotedOut, feeBps), slippageBps)
}

/** The fee, in the bought token: the bytes do not show which side it is taken from. */
function feesOf({ quotedOut, platformFeeBps: bps }: JupiterRouteTerms, { mintOut }: SwapClaim): Fee[] {
  if (bps === 0) return []
  const amount = (quotedOut - leastOf(quotedOut, 0, bps)).toString()
  return [{ bps, amount, token: mintOut ?? WRAPPED_SOL_MINT, recipient: null, whose: null }]
}

function checkTerms(terms: JupiterRouteTerms, claim: SwapClaim): void {
  if (terms.amountIn !== claim.amountIn) throw refuseMaterial('amount')
  const { feeBps = 0 } = claim
  if (terms.platformFeeBps > Math.min(feeBps, MAX_JUPITER_FEE_BPS)) throw refuseMaterial('platform_fee')
  if (terms.positiveSlippageBps !== 0) throw refuseMaterial('positive_slippage')
  if (terms.minOut < claim.minOut || terms.minOut === 0n) throw refuseMaterial('minimum')
}

/**
 * Checks Jupiter's own instructions for opening and closing accounts:
 *
 *   create_token_account  [account, wallet, mint, token program, System], [kind 8][bump u8]
 *   create_idempotent_associated_token_account  [payer, account, owner, mint, ...], [kind 8]
 *   close_wsol_token_account  [account, wallet, ...], [kind 8]; the wallet gets the contents
 */
function takeHelper(wire: WireTransaction, { data, accounts }: Instruction, around: Surroundings): void {
  switch (kindOf(data)) {
    case KINDS.createTokenAccount: {
      const isOlder = isSame(staticKey(wire, accounts[3]), TOKEN_KEY)
      const isOwn = accounts.length === 5 && accounts[1] === FROM && around.isWrapped(accounts[0]) && isOlder
      if (!isOwn || data.length !== KIND_BYTES + 1) throw refuseMaterial('associated_account')
      around.opensWrapped()
      return
    }
    case KINDS.createAssociated: {
      const isOwn = accounts.length > 4 && accounts[0] === FROM && accounts[2] === FROM
      if (!isOwn || data.length !== KIND_BYTES) throw refuseMaterial('associated_account')
      for (const index of accounts.subarray(4)) {
        const key = staticKey(wire, index)
        if (!OPENERS.some((program) => isSame(key, program))) throw refuseMaterial('associated_account')
      }
      // Only one source documents the order of these accounts, so only the swap's own accounts may be opened.
      around.opens(accounts[1], undefined)
      return
    }
    default:
      if (data.length !== KIND_BYTES) throw refuseMaterial('close_destination')
      around.unwraps(accounts[0], accounts[1], accounts[1])
  }
}
