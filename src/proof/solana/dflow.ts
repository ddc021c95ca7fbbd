/**
 * Checks a transaction that swaps through DFlow's program, as far as its bytes go. The program's swap has
 *
 *   accounts   0 token program · 1 associated token program · 2 System · 3 the wallet · 4 event authority ·
 *              5 DFlow · then those of the markets
 *   data       [kind 8][actions: a list of any length][quoted out u64][slippage u16][fee u16]
 *
 * The wallet's accounts and the mints stand among those of the markets, at a place that depends on the market, and
 * the program pays whichever account stands there. So the bytes show neither who receives the output nor how much
 * of it: both are `stated`, unless guards at the end of the transaction enforce them (see guards.ts). Even then
 * the transaction has to be executed, because the swap can do anything with the wallet's signature.
 *
 * Around the swap, nothing is allowed but what solana.ts reads, and DFlow's own two instructions that
 * wrap and unwrap SOL in the wallet's associated account:
 *
 *   wrap_sol    [wallet, wrapped SOL, its mint, token program, associated token program, System],
 *               [kind 8][lamports u64]
 *   unwrap_sol  [wallet, wrapped SOL, token program], [kind 8]
 *
 * An order of several transactions begins with `open_order`, which is none of these.
 *
 * Source: sevenlabs-hq/carbon decoders/dflow-aggregator-v4-decoder, from the program's IDL · a simulation on
 * mainnet of 2026-10, described in a public Go package `dflow`, in which a swap with another wallet's account in
 * place of the user's paid that wallet
 */

import {
  DFLOW_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL_MINT,
} from '../../chains/solana/programs.ts'
import type { Instruction } from '../../chains/solana/wire.ts'
import { type Agreed, type Proof, refuseMaterial } from '../terms/verification.ts'
import { kindOf } from './jupiter.ts'
import { FROM, readU64 } from './reading.ts'
import { OwnAccounts, type Surroundings } from './solana.ts'
import { checksOf, openSwap, proveAround, type SwapClaim, type SwapRules } from './swap.ts'

/** Rule names in the order in which they are checked. */
export const DFLOW_CHECKS = checksOf(['instruction', 'authority', 'program', 'route'])

/** By the first eight bytes of the data, in hex. */
const SWAP = 'f8c69e91e17587c8'
const WRAP_SOL = '2f3e9bac83cd25c9'
const UNWRAP_SOL = '63280e692d6bacc9'

/** The swap's own accounts, and the wallet among them. */
const SWAP_ACCOUNTS = 6
const WALLET = 3

/**
 * @param base64  one transaction
 * @throws GatewayError  material_refused, whose `rule` is `nonce`, `guards`, or one of DFLOW_CHECKS
 */
export function proveDflow(
  base64: string,
  claim: SwapClaim,
  rules: SwapRules,
): Proof & { readonly agreed: Agreed } {
  const opened = openSwap(base64, claim)
  const { mintIn, mintOut, minOut, guards = false } = claim
  const own = new OwnAccounts(opened.wire)
  const accountsOf = (mint: string | null) =>
    [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].map((program) => own.associated(mint ?? WRAPPED_SOL_MINT, program))
  const wrapped = [own.wrappedSol()]
  const destinations = accountsOf(mintOut)
  const needed = [...wrapped, ...accountsOf(mintIn), ...destinations]
  let swaps = 0
  const used = { wrapped, needed, destinations, mayWrapLess: true }
  const { checks, agreed, facts } = proveAround(opened, claim, rules, used, (program, one, around) => {
    if (program === DFLOW_PROGRAM) swaps += takeDflow(one, around)
    return program === DFLOW_PROGRAM
  })
  if (swaps !== 1) throw refuseMaterial('route')
  return {
    checks: [...DFLOW_CHECKS, ...checks],
    stated: guards ? [] : ['recipient', 'minimum'],
    agreed,
    ...facts,
    instruction: 'swap',
    ...(guards && { minOut: minOut.toString() }),
    fees: [],
  }
}

/** @returns how many swaps it is */
function takeDflow({ data, accounts }: Instruction, around: Surroundings): 0 | 1 {
  switch (kindOf(data)) {
    case SWAP:
      if (accounts.length < SWAP_ACCOUNTS) throw refuseMaterial('instruction')
      if (accounts[WALLET] !== FROM) throw refuseMaterial('authority')
      around.swaps()
      return 1
    case WRAP_SOL:
      if (data.length !== 16 || accounts.length !== 6) throw refuseMaterial('instruction')
      if (accounts[0] !== FROM) throw refuseMaterial('authority')
      if (!around.wraps(accounts[1], readU64(data, 8))) throw refuseMaterial('transfer_destination')
      return 0
    case UNWRAP_SOL:
      if (data.length !== 8 || accounts.length !== 3) throw refuseMaterial('instruction')
      around.unwraps(accounts[1], accounts[0], accounts[0])
      return 0
    default:
      throw refuseMaterial('instruction')
  }
}
