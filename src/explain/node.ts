/** What nodes add to an explanation: lookup tables, and what executing a transaction changes. */
import type { Access } from '../chains/access.ts'
import { canonicalAddress } from '../chains/address.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { encodeBase58 } from '../chains/solana/base58.ts'
import { Call } from '../flow/call.ts'
import type { CancellationScope } from '../flow/cancellation.ts'
import type { MaterialSimulation } from '../proof/simulation/simulation.ts'
import { type AskSolana, readTables, simulateSolana } from '../proof/simulation/solana.ts'
import { simulateSui } from '../proof/simulation/sui.ts'
import type { Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import type { EvmRpc } from '../upstream/nodes/evm/rpc.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'
import type { SuiRpc } from '../upstream/nodes/sui/rpc.ts'
import type { Sources } from './explain.ts'
import type { Findings } from './findings.ts'
import type { Executed, ExplainRequest } from './types.ts'

export interface Nodes {
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly evm: (chain: ChainDefinition) => Pick<EvmRpc, 'query'>
  readonly sui: Pick<SuiRpc, 'query'>
}

/** For all calls of one explanation, ms. */
const DEADLINE_MS = 2_000
const MAX_RESULT_BYTES = 4 * 1024 * 1024

/** @param scope  of the request, so that nodes aren't asked for a client that has left */
export function nodeSources(
  nodes: Nodes,
  access: Access,
  clock: Clock,
  scope: CancellationScope,
): Required<Pick<Sources, 'isRefused' | 'tables' | 'execute'>> {
  const call = Call.of(clock, 'research', DEADLINE_MS, scope)
  const askSolana: AskSolana = async (method, params) => {
    const { result } = await nodes.solana.read(method, JSON.stringify(params), call.as('build'))
    if (result === null || result.length > MAX_RESULT_BYTES) throw unanswered()
    return result.toString()
  }
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
        const outcome = await simulateSolana(transaction!, owner, askSolana)
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
        const read = await readTables(names, askSolana)
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
        if (simulation !== null) return executed(simulation, chain)
        found.risk('simulation_failed', 'It fails now, or no node could execute it.', 'warning', true)
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

function executed({ by, at, changes }: MaterialSimulation, chain: ChainDefinition): Executed {
  return {
    by,
    at,
    changes: changes.map(({ token, amount }) => ({
      token: token === null ? 'native' : canonicalAddress(chain.key, token),
      amount: String(amount),
    })),
  }
}

/** An outcome that the simulation refuses to sum up, or a node that does not answer. */
function judge({ code, message, fields }: GatewayError, found: Findings): void {
  const isRefused = code === 'material_refused'
  if (isRefused && fields.rule === 'permission')
    found.risk('permission_left', 'Somebody else may take what is left, or owns an account.', 'danger', true)
  else found.leave('simulation', isRefused ? `its outcome cannot be read: ${String(fields.rule)}` : message)
}

function unanswered(): GatewayError {
  return new GatewayError('upstream_unusable', 'The Solana node answered with an error.')
}
