/** Lamports that instructions move, lock and give back. */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import { TIP_ACCOUNTS } from '../../upstream/nodes/solana/landing-services.ts'
import type { Findings } from '../findings.ts'
import { costs, type More, pays, receives, type Stated, type Who } from '../ledger.ts'
import { type ProgramCall, signerOf } from './call.ts'

export const who = (address: Who, found: Findings): string =>
  address === null ? 'an account that is not shown' : found.nameOf(address)

type Moved = Record<'from' | 'authority' | 'to', Who> & { readonly lamports: bigint }

/** Moves lamports of `from`, authorized by `authority`. */
export function moves(call: ProgramCall, found: Findings, moved: Moved, more: More = {}) {
  const { from, authority, to, lamports } = moved
  const gives = { asset: 'native', amount: String(lamports) }
  const isTip = to !== null && TIP_ACCOUNTS.has(to)
  const effect = isTip
    ? costs(authority, 'native', lamports, to, { what: 'tip' })
    : pays(authority, 'native', lamports, to, { by: signerOf(call, found), ...more })
  const words = `sends ${found.says(gives)} to ${isTip ? 'a service that lands transactions' : who(to, found)}`
  found.act('transfer', words, { program: call.program, ...gives, from, to }, [effect])
}

/** A key at a place of an instruction's data. */
export const keyIn = ({ data }: ProgramCall, from: number): string | null =>
  data.length < from + 32 ? null : encodeBase58(data.subarray(from, from + 32))

/** Lamports that an account holds go to `to`. */
export function empties(found: Findings, call: ProgramCall, authority: Who, to: Who): Stated {
  const by = signerOf(call, found)
  if (found.keeps(to, authority, by)) return receives(to, 'native', null)
  return pays(authority, 'native', null, to, { by, code: 'close_to_stranger' })
}
