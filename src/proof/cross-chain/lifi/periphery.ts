/**
 * The fee contracts that LI.FI's contract on a chain names in its registry, if two nodes agree. LI.FI
 * redeploys them every few months, which fee-contracts.ts cannot know.
 *
 * Source: lifinance/contracts src/Facets/PeripheryRegistryFacet.sol
 */
import { findEvmChain } from '../../../chains/find.ts'
import { Call } from '../../../flow/call.ts'
import { CLOCK, type Clock } from '../../../runtime/clock.ts'
import { getOrInsert } from '../../../runtime/lists.ts'
import { Renewed } from '../../../runtime/renewed.ts'
import { named } from '../../../runtime/tape.ts'
import type { EvmRpc } from '../../../upstream/nodes/evm/rpc.ts'
import { agreedOn } from '../../../upstream/nodes/voters.ts'
import { EVM_ZERO_ADDRESS } from './ids.ts'

const DEADLINE_MS = 5_000

export type PeripheryName = 'FeeForwarder' | 'FeeCollector'

/** `getPeripheryContract(string)`, by hand: the start loads no ABI coder. */
export function registryCall(name: PeripheryName): string {
  const word = (value: number): string => value.toString(16).padStart(64, '0')
  return `0xa516f0f3${word(32)}${word(name.length)}${Buffer.from(name).toString('hex').padEnd(64, '0')}`
}

/** Addresses in lower case; null if the registry names none. */
export interface NamedFeeContracts {
  readonly forwarder: string | null
  readonly collector: string | null
}

type Nodes = (chainKey: string) => Pick<EvmRpc, 'voters'>

export class LifiPeriphery {
  readonly #nodes: Nodes
  readonly #clock: Clock
  readonly #chains = new Map<string, Renewed<NamedFeeContracts>>()

  constructor(nodes: Nodes, clock: Clock = CLOCK) {
    this.#nodes = nodes
    this.#clock = clock
  }

  /** @returns read at its first use and hourly; null on a chain without the contract */
  at(chainKey: string): Renewed<NamedFeeContracts> | null {
    const contract = findEvmChain(chainKey)?.xprovContract ?? null
    if (contract === null) return null
    const read = () =>
      new Renewed(() => this.#read(chainKey, contract), named(this.#clock, `periphery ${chainKey}`))
    return getOrInsert(this.#chains, chainKey, read)
  }

  async #read(chainKey: string, contract: string): Promise<NamedFeeContracts | null> {
    const { voters } = this.#nodes(chainKey)
    if (voters.length < 2) return null
    const call = Call.of(this.#clock, 'build', DEADLINE_MS)
    const answers = await Promise.all(
      voters.map(async (node) => {
        const ask = (name: PeripheryName) => node.call(contract, registryCall(name), call).catch(() => null)
        const [forwarder, collector] = await Promise.all([ask('FeeForwarder'), ask('FeeCollector')])
        return `${forwarder} ${collector}`.toLowerCase()
      }),
    )
    const agreed = agreedOn(answers.map((answer) => (TWO_WORDS.test(answer) ? answer : null)))
    if (agreed === null) return null
    const [forwarder, collector] = agreed.split(' ').map(addressIn)
    return { forwarder: forwarder!, collector: collector! }
  }
}

/** Two addresses as the ABI pads them. */
const TWO_WORDS = /^0x0{24}[0-9a-f]{40} 0x0{24}[0-9a-f]{40}$/

function addressIn(word: string): string | null {
  const address = `0x${word.slice(-40)}`
  return address === EVM_ZERO_ADDRESS ? null : address
}
