/** What swaps in a market on Solana commit to, whichever program makes them. */
import type { Findings } from '../findings.ts'
import { isNominal, pays, receives, type Stated } from '../ledger.ts'
import { type Memory, type ProgramCall, signerOf } from './call.ts'

interface Swap extends Record<'authority' | 'mintIn' | 'mintOut' | 'source', string | null> {
  /** Accounts that are paid. */
  readonly targets: readonly (string | null)[]
  readonly amountIn: bigint
  readonly minOut: bigint
  readonly fields?: Readonly<Record<string, string>>
  readonly fees?: readonly Stated[]
  /** Whether the minimum is none, whatever it says. */
  readonly isLoose?: boolean
}

/** The sold amount goes to the market, and at least the minimum to the authority, or to whom the accounts are. */
export function swaps(call: ProgramCall, found: Findings, memory: Memory, swap: Swap): void {
  const { authority, mintIn, mintOut, source, targets, amountIn, minOut } = swap
  const { program } = call
  const gives = { asset: mintIn, amount: String(amountIn) }
  const gets = { asset: mintOut, amount: String(minOut) }
  const by = { by: signerOf(call, found) }
  const strangers = targets.flatMap((target) => {
    const owner = memory.ownerOf(target, mintOut)
    return found.keeps(owner, authority, by.by) ? [] : [pays(authority, mintOut, minOut, owner ?? target, by)]
  })
  const words = `swaps ${found.says(gives)} for at least ${found.says(gets)} at ${found.nameOf(program)}`
  const fields = { asset_out: mintOut ?? '', at_least: gets.amount, ...swap.fields }
  found.act('swap', words, { program, ...gives, from: source, to: targets.at(-1) ?? null, fields }, [
    pays(authority, mintIn, amountIn, program, { ...by, isKnown: true }),
    receives(authority, mintOut, minOut),
    ...(swap.fees ?? []),
    ...strangers,
  ])
  if (isNominal(found.chain, gives, gets) || swap.isLoose)
    found.risk('no_minimum', `At least ${found.says(gets)} arrive.`)
}

/** An instruction of a market's program that is not read. */
export function unread(call: ProgramCall, found: Findings, kind: string, words: string): void {
  const { program, where, data } = call
  const name = found.nameOf(program)
  found.act(kind, `${words}, by an instruction that is not read here`, { program }, [])
  found.leave(where, `an instruction of ${name} that is not read here`, data)
  if (signerOf(call, found) !== undefined)
    found.risk('unknown_call', `${name} gets the wallet's signature for what is not read here.`)
}
