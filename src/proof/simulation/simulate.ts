/**
 * Simulates material at the configured nodes of its chain.
 */
import { canonicalAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import type { Call } from '../../flow/call.ts'
import { GatewayError } from '../../runtime/errors.ts'
import type { EvmRpc } from '../../upstream/nodes/evm/rpc.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import type { SuiRpc } from '../../upstream/nodes/sui/rpc.ts'
import type { Material } from '../terms/material.ts'
import type { Agreed, Executed, Simulated, Spent } from '../terms/verification.ts'
import { simulateEvm } from './evm.ts'
import { type MaterialSimulation, requireAgreed, spentOf } from './simulation.ts'
import { type AskSolana, simulateSolana } from './solana.ts'
import { simulateSui } from './sui.ts'

/** The largest accepted result of a Solana node: room for the order books that a swap writes to. */
const MAX_RESULT_BYTES = 4 * 1024 * 1024

/**
 * Executes material at a node of its chain, and compares the outcome with the agreed one.
 * @param onSpent  called with what it takes, if it could be executed and matches
 * @throws GatewayError  material_refused, if it does something else
 */
export type Simulate = (
  chain: ChainDefinition,
  material: Material,
  wallet: string,
  agreed: Agreed,
  call: Call,
  onSpent?: (spent: Spent) => void,
) => Promise<Executed>

/** The nodes that execute material. */
export interface SimulatingNodes {
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly evm: (chain: ChainDefinition) => Pick<EvmRpc, 'query'>
  readonly sui: Pick<SuiRpc, 'query'>
}

export function createSimulate({ solana, evm, sui }: SimulatingNodes): Simulate {
  return async (chain, material, wallet, agreed, call, onSpent) => {
    let simulation: MaterialSimulation | null
    switch (material.kind) {
      case 'evm': {
        const { to, data, value, approval } = material
        const transaction = { from: wallet, to, data, value: BigInt(value), approval }
        simulation = await simulateEvm(transaction, (method, params) =>
          evm(chain).query(method, params, call),
        )
        simulation = simulation && withCanonicalTokens(simulation, chain.key)
        break
      }
      case 'solana': {
        const ask = askSolana(solana, call, UNANSWERED)
        const found = await simulateSolana(material.transaction, wallet, ask, agreed.pays)
        if ('failed' in found) return isExposed(found.reaches, agreed) ? 'exposed' : null
        simulation = found
        break
      }
      case 'sui':
        simulation = await simulateSui(material.transaction, wallet, (query, variables) =>
          sui.query(query, variables, call),
        )
        break
      default:
        return null
    }
    if (simulation === null) return null
    requireAgreed(simulation, agreed)
    onSpent?.(spentOf(simulation))
    return serialized(simulation)
  }
}

/** Whether the tokens are others than the order's two. */
function isExposed(tokens: readonly (string | null)[], { spends, receives }: Agreed): boolean {
  return tokens.some((token) => token !== spends.token && token !== receives?.token)
}

/** Converts token addresses to canonical form: a node's are in lower case. */
export function withCanonicalTokens(simulation: MaterialSimulation, chainKey: string): MaterialSimulation {
  const changes = simulation.changes.map(({ token, amount }) => ({
    token: token && canonicalAddress(chainKey, token),
    amount,
  }))
  return { ...simulation, changes }
}

export function serialized({ by, at, changes }: MaterialSimulation): Simulated {
  return {
    by,
    at,
    changes: changes.map(({ token, amount }) => ({ token: token ?? 'native', amount: String(amount) })),
  }
}

const UNANSWERED = 'The Solana node answered the simulation with an error. Try again later.'

/** @param unanswered  the message if the nodes answer with an error, or at too great a length */
export const askSolana =
  (solana: SimulatingNodes['solana'], call: Call, unanswered: string): AskSolana =>
  async (method, params) => {
    const { result } = await solana.read(method, JSON.stringify(params), call.as('build'))
    if (result === null || result.length > MAX_RESULT_BYTES)
      throw new GatewayError('upstream_unusable', unanswered)
    return result.toString()
  }
