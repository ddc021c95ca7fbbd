/** Swaps in one pool of Orca's or Raydium's, in the forms that the proofs read: see proof/solana/pools.ts. */
import { poolSwap } from '../../proof/solana/pools.ts'
import { isNominal, pays, receives } from '../ledger.ts'
import { at, isTokenProgram, type Program, signerOf } from './call.ts'

export const POOL: Program = {
  read(call, found, memory) {
    const { where, program, data } = call
    const name = found.nameOf(program)
    const swap = poolSwap(program, data, call.accounts.length)
    if (swap === null) {
      found.act('call', `calls ${name}, by an instruction that is not read here`, { program }, [])
      found.leave(where, `an instruction of ${name} that is not read here`, data)
      if (signerOf(call, found) !== undefined)
        found.risk('unknown_call', `${name} gets the wallet's signature for what is not read here.`)
      return
    }
    const [mintIn, mintOut] = [at(call, swap.in.mint), at(call, swap.out.mint)]
    const [source, target] = [at(call, swap.in.account), at(call, swap.out.account)]
    const authority = at(call, swap.authority)
    const gives = { asset: mintIn, amount: String(swap.amountIn) }
    const gets = { asset: mintOut, amount: String(swap.minOut) }
    const by = { by: signerOf(call, found) }
    const owner = memory.ownerOf(target, mintOut)
    const fields = { asset_out: mintOut ?? '', at_least: gets.amount }
    const words = `swaps ${found.says(gives)} for at least ${found.says(gets)} at ${name}`
    found.act('swap', words, { program, ...gives, from: source, to: target, fields }, [
      pays(authority, mintIn, swap.amountIn, program, { ...by, isKnown: true }),
      receives(authority, mintOut, swap.minOut),
      ...(found.keeps(owner, authority, by.by)
        ? []
        : [pays(authority, mintOut, swap.minOut, owner ?? target, by)]),
    ])
    if (isNominal(found.chain, gives, gets)) found.risk('no_minimum', `At least ${found.says(gets)} arrive.`)
    // The programs refuse other token programs, but what is not known here is said.
    for (const place of [...swap.in.programs, ...swap.out.programs])
      if (!isTokenProgram(at(call, place)))
        found.leave(where, 'it names a token program that is not known here', data)
  },
}
