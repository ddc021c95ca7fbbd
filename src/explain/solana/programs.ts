/**
 * The programs of Solana that are read here. An instruction that is not in its program's table, is shorter
 * than its arguments or has trailing bytes is unknown.
 *
 * Source: anza-xyz/solana-sdk system-interface, stake-interface, vote-interface, loader-v3-interface,
 * address-lookup-table-interface · solana-program/token, token-2022, associated-token-account, memo ·
 * Jupiter's IDL · proof/solana/pools.ts for those of the pools
 */
import * as programs from '../../chains/solana/programs.ts'
import { isAssertion } from '../../chains/solana/wallet-edits.ts'
import { type Program, table } from './call.ts'
import { JUPITER_ROUTER } from './jupiter.ts'
import { LOADER, LOOKUP_TABLE } from './loader.ts'
import { POOL } from './pools.ts'
import { STAKE, VOTE } from './stake.ts'
import { ASSOCIATED, SYSTEM } from './system.ts'
import { TOKEN, TOKEN_2022 } from './token.ts'

const BUDGET = table(1, {
  1: (_, data) => void data.u32(),
  2: (_, data) => void data.u32(),
  3: (_, data) => void data.u64(),
  4: (_, data) => void data.u32(),
})

const MEMO: Program = {
  read({ program, data }, found) {
    const text = new TextDecoder().decode(data).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
    found.act('memo', `notes the text ${JSON.stringify(text.slice(0, 200))}`, { program }, [])
    found.risk('sender_text', 'A memo moves nothing: it is only a text.', 'info')
  },
}

const LIGHTHOUSE: Program = {
  read({ where, program, data }, found) {
    if (!isAssertion(data)) return found.leave(where, `${program} has other instructions, too`, data)
    found.act('assert', 'makes the transaction fail where balances are not as expected', { program }, [])
  },
}

const PROGRAMS: ReadonlyMap<string, Program> = new Map([
  [programs.SYSTEM_PROGRAM, SYSTEM],
  [programs.ASSOCIATED_TOKEN_PROGRAM, ASSOCIATED],
  [programs.TOKEN_PROGRAM, TOKEN],
  [programs.TOKEN_2022_PROGRAM, TOKEN_2022],
  [programs.COMPUTE_BUDGET_PROGRAM, BUDGET],
  [programs.MEMO_V1_PROGRAM, MEMO],
  [programs.MEMO_PROGRAM, MEMO],
  [programs.STAKE_PROGRAM, STAKE],
  [programs.VOTE_PROGRAM, VOTE],
  [programs.LOADER_PROGRAM, LOADER],
  [programs.LOOKUP_TABLE_PROGRAM, LOOKUP_TABLE],
  [programs.LIGHTHOUSE_PROGRAM, LIGHTHOUSE],
  [programs.JUPITER_PROGRAM, JUPITER_ROUTER],
  [programs.WHIRLPOOL_PROGRAM, POOL],
  [programs.RAYDIUM_CLMM_PROGRAM, POOL],
  [programs.RAYDIUM_CPMM_PROGRAM, POOL],
])

/** @returns undefined for a program that is not read here */
export const programOf = (address: string): Program | undefined => PROGRAMS.get(address)
