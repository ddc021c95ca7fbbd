/** Swaps in one pool of Orca's or Raydium's, in the forms that the proofs read: see proof/solana/pools.ts. */
import { poolSwap } from '../../proof/solana/pools.ts'
import { at, isTokenProgram, type Program } from './call.ts'
import { swaps, unread } from './swaps.ts'

export const POOL: Program = {
  read(call, found, memory) {
    const { where, program, data } = call
    const swap = poolSwap(program, data, call.accounts.length)
    if (swap === null) return unread(call, found, 'call', `calls ${found.nameOf(program)}`)
    swaps(call, found, memory, {
      authority: at(call, swap.authority),
      mintIn: at(call, swap.in.mint),
      mintOut: at(call, swap.out.mint),
      source: at(call, swap.in.account),
      targets: [at(call, swap.out.account)],
      amountIn: swap.amountIn,
      minOut: swap.minOut,
    })
    // The programs refuse other token programs, but what is not known here is said.
    for (const place of [...swap.in.programs, ...swap.out.programs])
      if (!isTokenProgram(at(call, place)))
        found.leave(where, 'it names a token program that is not known here', data)
  },
}
