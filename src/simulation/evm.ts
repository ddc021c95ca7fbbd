/**
 * An EVM transaction, executed at a node on top of its latest block: first the
 * approval that it needs, then the transaction itself, in one call. Where a
 * node knows `eth_simulateV1`, every transfer is seen, native ones too; where it
 * does not, `eth_call` with the wallet's balance overridden tells at least
 * whether the transaction would revert.
 *
 * The wallet's native coin is overridden, so that what is looked at does not
 * depend on whether it can pay for gas. Its tokens are not: a wallet that does
 * not hold what it sells gets no simulation.
 *
 * Source: ethereum/execution-apis, eth_simulateV1, eth_call state overrides · EIP-20 (Transfer, Approval)
 */
import { Type } from 'typebox'
import { GatewayError } from '../errors.ts'
import { refuseMaterial } from '../proof/verification.ts'
import type { Approval } from '../providers/provider.ts'
import { compile, type Validator } from '../validate.ts'
import { type BalanceChange, type Simulation, summed } from './simulation.ts'

/** What is executed. Addresses in any case. */
export interface EvmTransaction {
  readonly from: string
  readonly to: string
  /** Calldata, 0x hex. */
  readonly data: string
  /** Wei. */
  readonly value: bigint
  readonly approval: Approval | null
}

/**
 * Asks one node after the other, and answers the result's JSON text.
 * @returns null where the method is not known there
 */
export type AskEvm = (method: string, params: readonly unknown[]) => Promise<string | null>

const Quantity = Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' })
const Hex = Type.String({ pattern: '^0x([0-9a-fA-F]{2})*$' })
const Blocks = Type.Array(
  Type.Object({
    number: Type.Optional(Quantity),
    calls: Type.Array(
      Type.Object({
        status: Quantity,
        logs: Type.Array(Type.Object({ address: Hex, topics: Type.Array(Hex), data: Hex })),
      }),
    ),
  }),
  { minItems: 1, maxItems: 1 },
)

/** keccak256 of Transfer(address,address,uint256), and of Approval(address,address,uint256). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
/** keccak256 of ApprovalForAll(address,address,bool): of all NFTs of a collection. */
const APPROVAL_FOR_ALL = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'
/** Whose Transfer logs are transfers of the native coin. */
const NATIVE_LOGS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** Of the native coin, while it is looked at. */
const PLENTY = 1n << 100n

/**
 * @returns null where it reverts against the present state, or where no node can show what moves
 * @throws GatewayError  material_refused, rule `permission`; upstream_*
 */
export async function simulateEvm(transaction: EvmTransaction, ask: AskEvm): Promise<Simulation | null> {
  const { from, to, data, value, approval } = transaction
  const calls = [
    ...(approval === null ? [] : approvalCalls(from, approval)),
    { from, to, input: data, value: hexOf(value) },
  ]
  const text = await ask('eth_simulateV1', [
    {
      blockStateCalls: [{ stateOverrides: { [from]: { balance: hexOf(PLENTY) } }, calls }],
      traceTransfers: true,
      validation: false,
    },
    'latest',
  ])
  if (text === null) return null
  const [block] = readBlocks(text)
  if (block!.calls.length !== calls.length) throw unusable()
  if (block!.calls.some(({ status }) => BigInt(status) !== 1n)) return null

  const wallet = from.toLowerCase()
  const changes = block!.calls.flatMap(({ logs }) => logs.flatMap((log) => changeOf(log, wallet)))
  for (const { logs } of block!.calls.slice(calls.length - 1)) {
    if (logs.some((log) => isPermission(log, wallet, approval))) throw refuseMaterial('permission')
  }
  return {
    by: 'eth_simulateV1',
    at: block!.number === undefined ? null : Number(block!.number),
    changes: summed(changes),
  }
}

interface Log {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

function changeOf({ address, topics, data }: Log, wallet: string): readonly BalanceChange[] {
  // Three topics: an NFT's Transfer has its id as a fourth, and moves one.
  if (topics[0] !== TRANSFER || topics.length < 3) return []
  const token = address.toLowerCase() === NATIVE_LOGS ? null : address.toLowerCase()
  const amount = topics.length > 3 ? 1n : /^0x[0-9a-fA-F]{64}$/.test(data) ? BigInt(data) : 0n
  const changes: BalanceChange[] = []
  if (addressIn(topics[1]!) === wallet) changes.push({ token, amount: -amount })
  if (addressIn(topics[2]!) === wallet) changes.push({ token, amount })
  return changes
}

/** Whether a log gives anybody but the agreed spender a permission; what is left of the approval may be written again. */
function isPermission({ address, topics, data }: Log, wallet: string, approval: Approval | null): boolean {
  if (topics[0] === APPROVAL_FOR_ALL) return addressIn(topics[1] ?? '') === wallet && BigInt(data) !== 0n
  if (topics[0] !== APPROVAL || addressIn(topics[1] ?? '') !== wallet) return false
  if (topics.length > 3) return addressIn(topics[2]!) !== ZERO
  if (data === '0x' || BigInt(data) === 0n) return false
  const isAgreed =
    approval !== null &&
    address.toLowerCase() === approval.token.toLowerCase() &&
    addressIn(topics[2] ?? '') === approval.spender.toLowerCase() &&
    BigInt(data) <= BigInt(approval.amount)
  return !isAgreed
}

const ZERO = `0x${'0'.repeat(40)}`
const APPROVE = '0x095ea7b3'

/** A token that refuses to change an allowance is set to zero first. */
function approvalCalls(from: string, { token, spender, amount, reset }: Approval) {
  const input = (units: bigint): string => APPROVE + wordOf(BigInt(spender)) + wordOf(units)
  const amounts = reset === true ? [0n, BigInt(amount)] : [BigInt(amount)]
  return amounts.map((units) => ({ from, to: token, input: input(units), value: '0x0' }))
}

const hexOf = (value: bigint): string => `0x${value.toString(16)}`

const wordOf = (value: bigint): string => value.toString(16).padStart(64, '0')

const addressIn = (topic: string): string => `0x${topic.slice(-40).toLowerCase()}`

let blocksValidator: Validator<typeof Blocks> | null = null

function readBlocks(text: string) {
  blocksValidator ??= compile(Blocks)
  const value: unknown = JSON.parse(text)
  if (!blocksValidator.Check(value)) throw unusable()
  return value
}

function unusable(): GatewayError {
  const message = 'The chain’s node did not answer what a simulation tells. Try again later.'
  return new GatewayError('upstream_unusable', message)
}
