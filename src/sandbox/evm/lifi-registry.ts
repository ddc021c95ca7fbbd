/**
 * The registry of LI.FI's contract on each EVM chain of the sandbox. The dial `lifi-registry` moves that many
 * of its rows, the forwarders first: LI.FI redeploys those contracts, and uses the new ones at once.
 *
 * Source: lifinance/contracts src/Facets/PeripheryRegistryFacet.sol
 */
import { createHash } from 'node:crypto'
import { EVM_CHAINS } from '../../chains/find.ts'
import { feeContractsOf } from '../../proof/cross-chain/lifi/fee-contracts.ts'
import type { PeripheryName } from '../../proof/cross-chain/lifi/periphery.ts'
import type { FaultKind } from '../dials.ts'

export const PERIPHERY: readonly PeripheryName[] = ['FeeForwarder', 'FeeCollector']

const CHAINS = EVM_CHAINS.filter(({ xprovContract }) => xprovContract !== null).map(({ key }) => key)

export const MOVED: FaultKind = {
  fault: 'moved',
  amounts: { rows: { min: 1, max: PERIPHERY.length * CHAINS.length, usual: 10 } },
}

export class LifiRegistry {
  /** How many rows have moved. */
  moved = 0

  /** @returns an address in lower case; null on a chain without the contract */
  find(chain: string, name: PeripheryName): string | null {
    const column = PERIPHERY.indexOf(name)
    const at = CHAINS.indexOf(chain)
    if (at === -1) return null
    if (column * CHAINS.length + at < this.moved) return newAddress(chain, name)
    const { forwarders, collectors } = feeContractsOf(chain)
    return (column === 0 ? forwarders : collectors).at(-1) ?? null
  }

  /** @param address  in lower case */
  has(chain: string, address: string): boolean {
    return PERIPHERY.some((name) => this.find(chain, name) === address)
  }
}

const newAddress = (chain: string, name: string): string =>
  `0x${createHash('sha256').update(`${chain} ${name}`).digest('hex').slice(0, 40)}`
