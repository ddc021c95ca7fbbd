/** Explains one transaction, message or signature request of any family. Each family is loaded at its first use. */

import { parseAddress } from '../chains/address.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { parseChain } from '../chains/find.ts'
import { PROGRAM_NAMES } from '../chains/solana/programs.ts'
import { CLOCK } from '../runtime/clock.ts'
import { invalidParameter } from '../runtime/errors.ts'
import { judgeChanges } from './changes.ts'
import type { Describe } from './evm/context.ts'
import { Findings, type Parties } from './findings.ts'
import { checkRequest, excessOf, REQUEST_FORMS } from './request.ts'
import type { Tables } from './solana/solana.ts'
import { summaryOf } from './summary.ts'
import type { ExplainedExecution, ExplainRequest, Explanation } from './types.ts'

/** What the explainer may ask and know in addition to the request. */
export interface Sources {
  readonly isRefused?: Parties['isRefused']
  readonly tables?: Tables
  readonly describe?: Describe
  /** Wall clock, ms; the machine's if absent. */
  readonly date?: () => number
  /** Yields the thread if this explanation has had it for long. */
  readonly turn?: () => Promise<void>
  /** Executes it, and adds the outcome to the findings; null if no node could. */
  readonly execute?: (
    request: ExplainRequest,
    chain: ChainDefinition,
    found: Findings,
  ) => Promise<ExplainedExecution | null>
}

/** Which member of a request each family takes. */
const TAKES = {
  evm: ['transaction', 'call', 'typedData'],
  solana: ['transaction'],
  sui: ['transaction'],
  ton: ['transaction', 'messages'],
} as const

/** Solana's own programs and accounts begin or end so. Their addresses themselves are read before any is judged. */
const SYSTEM_KEYS = /^(?:1111|Compu|Sysvar|Stake1|Vote1|Token|AToken|Memo)|1111$/

/** @throws GatewayError  unsupported_chain, or naming the field that is wrong */
export async function explain(request: ExplainRequest, sources: Sources = {}): Promise<Explanation> {
  checkRequest(request)
  const chain = parseChain(request.chain, 'chain')
  const { family } = chain
  const given = REQUEST_FORMS.filter((name) => request[name] !== undefined)
  const takes: readonly string[] = TAKES[family]
  if (given.length !== 1 || !takes.includes(given[0]!)) {
    throw invalidParameter(
      given[0] ?? 'transaction',
      `Give one of \`${takes.join('`, `')}\` on ${chain.name}.`,
    )
  }
  const address = (text: string, field: string): string => {
    const parsed = parseAddress(chain, text)
    if (parsed === null) throw invalidParameter(field, `\`${field}\` must be an address on ${chain.name}.`)
    return parsed
  }
  const parties: Parties = {
    owner: request.owner === undefined ? null : address(request.owner, 'owner'),
    recent: (request.recent ?? []).map((one, i) => address(one, `recent[${i}]`)),
    ...(sources.isRefused && { isRefused: sources.isRefused }),
    ...(await tablesOf(chain)),
  }
  const found = new Findings(chain, parties, family === 'solana' ? SYSTEM_KEYS : null)
  const excess = excessOf(request[given[0]!])
  if (excess === null) await read(request, chain, found, sources)
  else found.leave('transaction', excess)
  const simulation = (await sources.execute?.(request, chain, found)) ?? null
  if (simulation !== null) judgeChanges(found, simulation.changes, request.typedData !== undefined)
  return found.close(simulation, summaryOf)
}

/** What one instruction of a Solana transaction does, in words: what `explain` says of it alone. */
export async function instructionInWords(
  transaction: string,
  index: number,
  owner: string,
  tables: Tables | null,
): Promise<string> {
  const chain = parseChain('solana', 'chain')
  const found = new Findings(chain, { owner, recent: [], ...(await tablesOf(chain)) })
  const { explainInstruction } = await import('./solana/solana.ts')
  await explainInstruction(transaction, index, found, tables)
  return inWords(found)
}

/** All that was found, in words. */
export function inWords({ actions, unknown }: Pick<Explanation, 'actions' | 'unknown'>): string {
  const words = [...actions.map((one) => one.words), ...unknown.map(({ where, why }) => `${where}: ${why}`)]
  return words.length === 0 ? 'nothing' : words.join('; ')
}

/** The programs and contracts that are known on the chain. */
async function tablesOf(chain: ChainDefinition): Promise<Pick<Parties, 'isRouter' | 'nameOf'>> {
  if (chain.family === 'solana') return { nameOf: (address) => PROGRAM_NAMES.get(address) }
  if (chain.family !== 'evm') return {}
  const { routersOf } = await import('./evm/context.ts')
  const known = routersOf(chain)
  return { isRouter: (address) => known.has(address), nameOf: (address) => known.get(address) }
}

async function read(
  request: ExplainRequest,
  chain: ChainDefinition,
  found: Findings,
  sources: Sources,
): Promise<void> {
  switch (chain.family) {
    case 'solana': {
      const { explainSolana } = await import('./solana/solana.ts')
      return explainSolana(request.transaction!, found, sources.tables ?? null, sources.turn)
    }
    case 'evm': {
      const { explainEvm } = await import('./evm/evm.ts')
      const { describe = null, date = CLOCK.date, turn } = sources
      return explainEvm(request, { chain, found, describe, date, turn })
    }
    case 'ton': {
      const { explainTon } = await import('./ton/ton.ts')
      return explainTon(request, found, sources.turn)
    }
    case 'sui': {
      const { explainSui } = await import('./sui/sui.ts')
      return explainSui(request.transaction!, found, sources.turn)
    }
  }
}
