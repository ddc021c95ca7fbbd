/** What a node of an EVM chain adds: the changes of a transaction, and what a signature lets others take. */
import type { Fields } from '../../chains/json/fields.ts'
import {
  type AskEvm,
  allowanceCall,
  balanceCall,
  readNumbers,
  simulateEvm,
} from '../../proof/simulation/evm.ts'
import type { MaterialSimulation } from '../../proof/simulation/simulation.ts'
import type { Findings } from '../findings.ts'
import type { ExplainRequest } from '../types.ts'
import { canonical, isUnlimited, PERMIT2 } from './context.ts'
import { readRequested } from './evm.ts'

/** The most tokens of one signature that are looked up. */
const MAX_TOKENS = 64

/** @returns null if it fails now, or no node could execute it; `nothing` if there is nothing to execute */
export async function simulateRequest(
  request: ExplainRequest,
  found: Findings,
  ask: AskEvm,
): Promise<MaterialSimulation | 'nothing' | null> {
  const owner = found.owner!
  if (found.risks.some(({ code }) => code === 'other_chain')) return 'nothing'
  if (request.typedData !== undefined) return (await taken(request.typedData, owner, found, ask)) ?? 'nothing'
  const transaction = await readRequested(request)
  // Code that an account takes on is in no simulation (EIP-7702).
  if (transaction?.to == null || transaction.authorizations.length > 0) return 'nothing'
  const { from, to, data, value } = transaction
  const isReported = (contract: string, spender: string, amount: bigint | null): boolean =>
    found.actions.some(
      (action) =>
        action.asset?.toLowerCase() === contract &&
        action.spender?.toLowerCase() === spender &&
        (amount === null || action.amount === null || BigInt(action.amount) >= amount),
    ) ||
    (amount !== null && !isUnlimited(amount) && found.isRouter(canonical(spender)!))
  return simulateEvm({ from: from ?? owner, to, data, value, approval: null, wallet: owner, isReported }, ask)
}

const isTaken = (primaryType: unknown): boolean =>
  /^Permit|^(?:Transfer|Receive)With/.test(String(primaryType))

/**
 * What a permit or an authorization lets others take of the owner's current holdings: at most the stated
 * amount, and what Permit2 may take if it is the spender.
 * @returns null if that isn't reported
 */
async function taken({ primaryType, domain }: Fields, owner: string, found: Findings, ask: AskEvm) {
  const amounts = new Map<string, bigint>()
  for (const { kind, asset, amount, from } of isTaken(primaryType) ? found.actions : []) {
    const isGiven = (kind === 'permit' || kind === 'transfer') && found.isOwn(from)
    if (isGiven && asset !== null && amount !== null)
      amounts.set(asset, (amounts.get(asset) ?? 0n) + BigInt(amount))
  }
  const tokens = [...amounts.keys()]
  if (tokens.length === 0 || tokens.length > MAX_TOKENS) return null
  const contract = (domain as { readonly verifyingContract?: unknown } | undefined)?.verifyingContract
  const isPermit2 = canonical(String(contract)) === PERMIT2
  const calls = [
    ...tokens.map((token) => balanceCall(token, owner)),
    ...(isPermit2 ? tokens.map((token) => allowanceCall(token, owner, PERMIT2)) : []),
  ]
  const read = await readNumbers(calls, owner, ask)
  if (read === null) return null
  const changes = tokens.flatMap((token, i) => {
    let amount = amounts.get(token)!
    for (const bound of isPermit2 ? [read.numbers[i], read.numbers[tokens.length + i]] : [read.numbers[i]]) {
      if (bound == null) {
        found.leave('simulation', `${token} does not say what may be taken of it`)
        return []
      }
      if (bound < amount) amount = bound
    }
    return amount === 0n ? [] : { token, amount: -amount }
  })
  const { by, at } = read
  return { by, at, changes, gas: null }
}
