/**
 * GET /api/allowance: the allowance of a spender, read at the newest block
 * together with that block's number and the chain's id, or the allowance that an
 * approval transaction set.
 *
 * Source: §4.10 · EIP-20
 */
import type { EvmChain } from '../../chains/definition.ts'
import { Call } from '../../flow/call.ts'
import type { CancellationScope } from '../../flow/cancellation.ts'
import { encodeAddress, readUint } from '../../providers/holdings/abi.ts'
import { type EvmCallRpc, EvmReader } from '../../providers/holdings/evm-reader.ts'
import type { Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { named } from '../../runtime/tape.ts'
import { Coalescer } from '../../upstream/answers/coalescing.ts'
import type { AllowanceId, TransactionId } from './request.ts'
import type { Allowance } from './shapes.ts'
import type { TransactionReader } from './transactions.ts'

const DEADLINE_MS = 10_000
/** The block time of a fast chain: equal requests within it share an answer. */
const KEEP_MS = 1_000
/** The first four bytes of keccak256 of allowance(address,address). */
const ALLOWANCE = 'dd62ed3e'
/** No token has a supply near this. */
const UNLIMITED_FROM = 2n ** 255n
/** An unlimited approval of tokens that count in 96 bits, such as UNI and COMP. */
const UNLIMITED_96 = 2n ** 96n - 1n

interface AllowanceReaderOptions {
  readonly evm: (chain: EvmChain) => EvmCallRpc
  readonly transactions: Pick<TransactionReader, 'find'>
  readonly clock: Clock
}

export class AllowanceReader {
  readonly #options: AllowanceReaderOptions
  readonly #reads: Coalescer<Allowance>

  constructor(options: AllowanceReaderOptions) {
    this.#options = options
    this.#reads = new Coalescer(KEEP_MS, named(options.clock, 'allowances'))
  }

  /** @throws GatewayError  400 unknown_token, 502 upstream_* */
  read(id: AllowanceId | TransactionId, scope: CancellationScope): Promise<Allowance> {
    if (!('token' in id)) return this.#setBy(id, scope)
    const { chain, token, owner, spender } = id
    const key = `${chain.key} ${token} ${owner} ${spender}`
    return this.#reads.join(key, scope, (shared) => this.#ask(id, shared))
  }

  async #ask({ chain, token, owner, spender }: AllowanceId, scope: CancellationScope): Promise<Allowance> {
    const { evm, clock } = this.#options
    const reader = new EvmReader({ chain, rpc: evm(chain), clock: named(clock, `allowances ${chain.key}`) })
    const read = { target: token, data: ALLOWANCE + encodeAddress(owner) + encodeAddress(spender) }
    const asOf = clock.date()
    const { block, outcomes } = await reader.read([read], Call.of(clock, 'build', DEADLINE_MS, scope))
    const [outcome] = outcomes
    if (outcome === undefined || outcome === 'unread') {
      const message = "The chain's nodes did not return the allowance. Try again later."
      throw new GatewayError('upstream_unusable', message, { provider: chain.key, scope: 'provider' })
    }
    const allowance = outcome === 'reverted' ? null : readUint(outcome, 0)
    if (allowance === null) {
      const message =
        '`token` is not the address of an ERC-20 token: the contract does not return an allowance.'
      throw new GatewayError('unknown_token', message, { field: 'token' })
    }
    return {
      chain: chain.key,
      token,
      owner,
      spender,
      ...toAllowance(allowance),
      block,
      transaction: null,
      asOf,
    }
  }

  async #setBy(id: TransactionId, scope: CancellationScope): Promise<Allowance> {
    const { state, receipt, asOf } = await this.#options.transactions.find(id, scope)
    const { to = null, from = null, block = null, approval = null } = receipt ?? {}
    const isSet = approval !== null
    return {
      chain: id.chain.key,
      token: isSet ? to : null,
      owner: isSet ? from : null,
      spender: approval?.spender ?? null,
      ...toAllowance(approval?.amount ?? null),
      block: isSet ? block : null,
      transaction: state,
      asOf,
    }
  }
}

function toAllowance(allowance: bigint | null): Pick<Allowance, 'allowance' | 'isUnlimited'> {
  if (allowance === null) return { allowance: null, isUnlimited: null }
  return {
    allowance: String(allowance),
    isUnlimited: allowance >= UNLIMITED_FROM || allowance === UNLIMITED_96,
  }
}
