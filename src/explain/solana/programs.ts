/**
 * The programs of Solana that are read here. An instruction that is not in its program's table, is shorter
 * than its arguments or has trailing bytes is unknown.
 *
 * Source: anza-xyz/solana-sdk system-interface, stake-interface, vote-interface, loader-v3-interface,
 * address-lookup-table-interface · solana-program/token, token-2022, associated-token-account, memo ·
 * Jupiter's IDL
 */
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  MEMO_PROGRAM,
  MEMO_V1_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../chains/solana/programs.ts'
import { JUPITER_PROGRAM } from '../../proof/solana/jupiter.ts'
import { type Program, table } from './call.ts'
import { JUPITER } from './jupiter.ts'
import { LOADER, LOADER_PROGRAM, LOOKUP_TABLE } from './loader.ts'
import { STAKE, STAKE_PROGRAM, VOTE, VOTE_PROGRAM } from './stake.ts'
import { ASSOCIATED, SYSTEM } from './system.ts'
import { TOKEN, TOKEN_2022 } from './token.ts'

const LIGHTHOUSE_PROGRAM = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95'

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
    if (data.length === 0 || data[0]! < 2)
      return found.leave(where, `${program} has other instructions, too`, data)
    found.act('assert', 'makes the transaction fail where balances are not as expected', { program }, [])
  },
}

const PROGRAMS: ReadonlyMap<string, readonly [name: string, Program]> = new Map([
  [SYSTEM_PROGRAM, ['the System program', SYSTEM]],
  [ASSOCIATED_TOKEN_PROGRAM, ['the Associated Token program', ASSOCIATED]],
  [TOKEN_PROGRAM, ['the Token program', TOKEN]],
  [TOKEN_2022_PROGRAM, ['Token-2022', TOKEN_2022]],
  [COMPUTE_BUDGET_PROGRAM, ['the compute budget', BUDGET]],
  [MEMO_V1_PROGRAM, ['the Memo program', MEMO]],
  [MEMO_PROGRAM, ['the Memo program', MEMO]],
  [STAKE_PROGRAM, ['the Stake program', STAKE]],
  [VOTE_PROGRAM, ['the Vote program', VOTE]],
  [LOADER_PROGRAM, ['the upgradeable loader', LOADER]],
  [LOOKUP_TABLE_PROGRAM, ['the lookup table program', LOOKUP_TABLE]],
  [LIGHTHOUSE_PROGRAM, ['Lighthouse', LIGHTHOUSE]],
  [JUPITER_PROGRAM, ['Jupiter', JUPITER]],
])

/** @returns undefined for a program that is not read here */
export const programOf = (address: string): Program | undefined => PROGRAMS.get(address)?.[1]
export const nameOfProgram = (address: string): string | undefined => PROGRAMS.get(address)?.[0]
