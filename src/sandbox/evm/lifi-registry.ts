/**
 * What LI.FI's contract on each EVM chain of the sandbox names in its registry. The dial `lifi-registry` moves
 * as many of its rows, the forwarders first: LI.FI deploys those contracts anew, and uses the new ones at once.
 *
 * Source: lifinance/contracts src/Facets/PeripheryRegistryFacet.sol
 */
import { createHash } from 'node:crypto'
import { EVM_CHAINS } from '../../chains/find.ts'
import { feeContractsOf } from '../../proof/lifi/fee-contracts.ts'
import type { FaultKind } from '../dials.ts'

const NAMES = ['FeeForwarder', 'FeeCollector'] as const
export type PeripheryName = (typeof NAMES)[number]

const CHAINS = EVM_CHAINS.filter(({ xprovContract }) => xprovContract !== null).map(({ key }) => key)

export const MOVED: FaultKind = {
  fault: 'moved',
  amounts: { rows: { min: 1, max: NAMES.length * CHAINS.length, usual: 10 } },
}

export class LifiRegistry {
  /** How many rows have moved. */
  moved = 0

  /** @returns an address in lower case; null for another name */
  find(chain: string, name: string): string | null {
    const column = NAMES.indexOf(name as PeripheryName)
    if (column === -1) return null
    if (column * CHAINS.length + CHAINS.indexOf(chain) < this.moved) return newAddress(chain, name)
    const { forwarders, collectors } = feeContractsOf(chain)
    return (column === 0 ? forwarders : collectors).at(-1) ?? null
  }
}

const newAddress = (chain: string, name: string): string =>
  `0x${createHash('sha256').update(`${chain} ${name}`).digest('hex').slice(0, 40)}`
