/** What nodes add to an explanation: lookup tables, and what executing a transaction changes. */
import type { Access } from '../chains/access.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { encodeBase58 } from '../chains/solana/base58.ts'
import type { Call } from '../flow/call.ts'
import {
  askSolana,
  type SimulatingNodes,
  serialized,
  withCanonicalTokens,
} from '../proof/simulation/simulate.ts'
import type { MaterialSimulation } from '../proof/simulation/simulation.ts'
import { readTables, simulateSolana } from '../proof/simulation/solana.ts'
import { simulateSui } from '../proof/simulation/sui.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { Sources } from './explain.ts'
import type { Findings } from './findings.ts'
import type { ExplainRequest } from './types.ts'

/** @param call  of the request, so that nodes aren't asked for a client that has left */
export function nodeSources(
  nodes: SimulatingNodes,
  access: Access,
  call: Call,
): Required<Pick<Sources, 'isRefused' | 'tables' | 'execute'>> {
  const ask = askSolana(nodes.solana, call, 'The Solana node answered with an error.')
  const simulated = async (
    request: ExplainRequest,
    chain: ChainDefinition,
    found: Findings,
  ): Promise<MaterialSimulation | 'nothing' | null> => {
    const { transaction } = request
    const owner = found.owner!
    switch (chain.family) {
      case 'evm': {
        const { simulateRequest } = await import('./evm/node.ts')
        return simulateRequest(request, found, (method, params) =>
          nodes.evm(chain).query(method, params, call),
        )
      }
      case 'solana': {
        const outcome = await simulateSolana(transaction!, owner, ask)
        return 'failed' in outcome ? null : outcome
      }
      case 'sui':
        return simulateSui(transaction!, owner, (query, variables) => nodes.sui.query(query, variables, call))
      default:
        return 'nothing'
    }
  }
  return {
    isRefused: (address) => access.refuses(address),
    async tables(names) {
      try {
        const read = await readTables(names, ask)
        return new Map(names.map((name, i) => [name, read[i]?.map(encodeBase58) ?? null]))
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        return new Map()
      }
    },
    async execute(request, chain, found) {
      if (!mayExecute(found)) return null
      try {
        const simulation = await simulated(request, chain, found)
        if (simulation === 'nothing') return null
        if (simulation !== null) return serialized(withCanonicalTokens(simulation, chain.key))
        found.riskOfAll('simulation_failed', 'It fails now, or no node could execute it.')
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error
        judge(error, found)
      }
      return null
    },
  }
}

/** An unread request is not executed either. */
const mayExecute = ({ owner, unknown }: Findings): boolean =>
  owner !== null && unknown.every(({ where }) => where !== 'transaction')

/** An outcome that the simulation refuses to sum up, or a node that does not answer. */
function judge({ code, message, fields }: GatewayError, found: Findings): void {
  const isRefused = code === 'material_refused'
  if (isRefused && fields.rule === 'permission')
    found.riskOfAll('permission_left', 'Somebody else may take what is left, or owns an account.')
  else found.leave('simulation', isRefused ? `its outcome cannot be read: ${String(fields.rule)}` : message)
}
