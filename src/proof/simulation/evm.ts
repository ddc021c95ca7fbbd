/**
 * Simulates an EVM transaction on top of a node's latest block. One eth_simulateV1
 * executes the approval that the transaction needs, the transaction itself, and a
 * read of the remaining allowance. The logs show every transfer, native ones too.
 *
 * A node without that method gives no simulation. eth_call isn't a substitute: it
 * shows whether the transaction reverts but not what it moves, and without the
 * approval every token sale reverts. So it can neither confirm nor refute an
 * outcome.
 *
 * The wallet's native balance is overridden, so the result does not depend on
 * whether the wallet can pay for gas. Its token balances are not: a wallet that
 * does not hold what it sells gets no simulation.
 *
 * Source: ethereum/execution-apis, eth_simulateV1 · EIP-20, EIP-721, EIP-1155 (their events)
 */
import { type Static, Type } from 'typebox'
import { quantity } from '../../chains/json/quantity.ts'
import { jsonReader } from '../../chains/json/reader.ts'
import { type BatchedCall, callsOf } from '../evm/approval.ts'
import type { Approval } from '../terms/material.ts'
import { refuseMaterial } from '../terms/verification.ts'
import { type BalanceChange, type MaterialSimulation, summed, unreadable } from './simulation.ts'

const LEDGER = "the sandbox's ledger"

/** The transaction to simulate. Addresses may be in upper or lower case. */
interface SimulatedEvmCall {
  readonly from: string
  readonly to: string
  /** Calldata, 0x hex. */
  readonly data: string
  /** Wei. */
  readonly value: bigint
  readonly approval: Approval | null
  /** The wallet whose changes are reported, and which may give no permission. Absent: the sender. */
  readonly wallet?: string
  /** Whether the caller already knows a permission, by its contract and spender in lower case. */
  readonly isReported?: (contract: string, spender: string, amount: bigint | null) => boolean
}

/**
 * Asks one node after the other.
 * @returns the result as JSON text; null if the nodes do not know the method
 */
export type AskEvm = (method: string, params: readonly unknown[]) => Promise<string | null>

const Quantity = Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' })
const Hex = Type.String({ pattern: '^0x[0-9a-fA-F]*$' })
const Address = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$' })
const Word = Type.String({ pattern: '^0x[0-9a-fA-F]{64}$' })
const Blocks = Type.Array(
  Type.Object({
    number: Type.Optional(Quantity),
    /** Set by the sandbox's nodes, which execute nothing. A node's own words do not go out. */
    simulatedBy: Type.Optional(Type.Unknown()),
    calls: Type.Array(
      Type.Object({
        status: Quantity,
        gasUsed: Type.Optional(Quantity),
        returnData: Hex,
        logs: Type.Array(
          Type.Object({ address: Address, topics: Type.Array(Word, { maxItems: 4 }), data: Hex }),
        ),
      }),
    ),
  }),
  { minItems: 1, maxItems: 1 },
)
const readBlocks = jsonReader(Blocks)

/** keccak256 of Transfer(address,address,uint256), and of Approval(address,address,uint256). */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
/** keccak256 of ApprovalForAll(address,address,bool), which covers all NFTs of a collection. */
const APPROVAL_FOR_ALL = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'
/** keccak256 of the TransferSingle and TransferBatch events of ERC-1155 contracts. */
const TRANSFER_SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const TRANSFER_BATCH = '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb'
/** The address whose Transfer logs represent transfers of the native coin. */
const NATIVE_LOGS = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
/** The wallet's native balance during a simulation, in wei. */
const PLENTY = 1n << 100n

/**
 * @returns null if the transaction reverts against the current state, or if no node can simulate it
 * @throws GatewayError  material_refused, rule `permission`, or `simulation` if a log cannot be read; upstream_*
 */
export async function simulateEvm(
  transaction: SimulatedEvmCall,
  ask: AskEvm,
): Promise<MaterialSimulation | null> {
  const { from, to, data, value, approval, wallet: whose = from, isReported = () => false } = transaction
  const { calls: sent } = callsOf({ to, data, value, approval })
  const calls = [
    ...sent.map(({ to, data: input, value }) => ({ from, to, input, value })),
    ...(approval === null ? [] : [readBy(from, allowanceCall(approval.token, from, approval.spender))]),
  ]
  const block = await run(calls, from, ask)
  if (block === null) return null
  const executed = block.calls.slice(0, sent.length)
  if (executed.some(({ status }) => BigInt(status) !== 1n)) return null

  const wallet = whose.toLowerCase()
  const left = block.calls[executed.length]
  // An approval that is not used up was larger than the transaction needed.
  if (left !== undefined && /[1-9a-f]/i.test(left.returnData.slice(2))) throw refuseMaterial('permission')
  if (executed.at(-1)!.logs.some((log) => isPermission(log, wallet, approval, isReported))) {
    throw refuseMaterial('permission')
  }
  const changes = executed.flatMap(({ logs }) => logs.flatMap((log) => changesOf(log, wallet)))
  // The logs show transfers, and gas is none.
  const spent = { units: unitsOf(executed.slice(-1)), approvalUnits: unitsOf(executed.slice(0, -1)) }
  return { ...placeOf(block), changes: summed(changes), gas: 0n, spent }
}

/** @returns null if the node does not report each */
function unitsOf(calls: readonly { readonly gasUsed?: string }[]): bigint | null {
  if (calls.some(({ gasUsed }) => gasUsed === undefined)) return null
  return calls.reduce((sum, { gasUsed }) => sum + BigInt(gasUsed!), 0n)
}

/** A call of a contract's function that returns one number. */
export type NumberCall = Pick<BatchedCall, 'to' | 'data'>

/**
 * Reads numbers of contracts at one block.
 * @returns null if no node can; a number is null if its call fails or returns something else
 * @throws GatewayError  upstream_*
 */
export async function readNumbers(reads: readonly NumberCall[], from: string, ask: AskEvm) {
  const calls = reads.map((one) => readBy(from, one))
  const block = await run(calls, from, ask)
  if (block === null) return null
  const numbers = block.calls.map(({ status, returnData }) =>
    BigInt(status) === 1n && returnData.length === 2 + WORD_DIGITS ? BigInt(returnData) : null,
  )
  return { ...placeOf(block), numbers }
}

const BALANCE_OF = '0x70a08231'

export const balanceCall = (token: string, owner: string): NumberCall => ({
  to: token,
  data: BALANCE_OF + wordOf(BigInt(owner)),
})

export const allowanceCall = (token: string, owner: string, spender: string): NumberCall => ({
  to: token,
  data: ALLOWANCE + wordOf(BigInt(owner)) + wordOf(BigInt(spender)),
})

type Block = Static<typeof Blocks>[number]

/** Executes calls, one on top of the other. */
async function run(calls: readonly object[], from: string, ask: AskEvm): Promise<Block | null> {
  const text = await ask('eth_simulateV1', [
    {
      blockStateCalls: [{ stateOverrides: { [from]: { balance: quantity(PLENTY) } }, calls }],
      traceTransfers: true,
      validation: false,
    },
    'latest',
  ])
  if (text === null) return null
  const block = readBlocks(text)?.[0]
  if (block?.calls.length !== calls.length) throw unreadable('The chain’s node')
  return block
}

const placeOf = ({ simulatedBy, number }: Block): Pick<MaterialSimulation, 'by' | 'at'> => ({
  by: simulatedBy === LEDGER ? LEDGER : 'eth_simulateV1',
  at: number === undefined ? null : Number(number),
})

type Log = Block['calls'][number]['logs'][number]

/**
 * The wallet's gains and losses in one log. For tokens without amounts, such as NFTs, a loss counts as at
 * least one.
 */
function changesOf({ address, topics, data }: Log, wallet: string): readonly BalanceChange[] {
  const lower = address.toLowerCase()
  const token = lower === NATIVE_LOGS ? null : lower
  const moved = (from: string, to: string, amount: bigint): readonly BalanceChange[] => [
    ...(from === wallet ? [{ token, amount: -amount }] : []),
    ...(to === wallet ? [{ token, amount }] : []),
  ]
  switch (topics[0]) {
    case TRANSFER: {
      // Most tokens have sender and recipient as topics, NFTs their id as well; some early tokens have them
      // in the data.
      const words = [...topics.slice(1), ...wordsOf(data)]
      if (words.length !== 3) throw refuseMaterial('simulation')
      return moved(addressIn(words[0]!), addressIn(words[1]!), topics.length === 3 ? BigInt(words[2]!) : 1n)
    }
    case TRANSFER_SINGLE:
    case TRANSFER_BATCH:
      // A gain of one kind does not offset the loss of another, so arrivals do not count.
      return addressIn(topics[2] ?? '') === wallet ? [{ token, amount: -1n }] : []
    default:
      return []
  }
}

/**
 * Whether a log gives a permission beyond the agreed approval. The agreed spender's remaining allowance may
 * be logged again.
 */
function isPermission(
  { address, topics, data }: Log,
  wallet: string,
  approval: Approval | null,
  isReported: NonNullable<SimulatedEvmCall['isReported']>,
): boolean {
  if (topics[0] !== APPROVAL && topics[0] !== APPROVAL_FOR_ALL) return false
  const words = [...topics.slice(1), ...wordsOf(data)]
  if (words.length !== 3) throw refuseMaterial('permission')
  const [owner, spender, last] = [addressIn(words[0]!), addressIn(words[1]!), BigInt(words[2]!)]
  if (owner !== wallet) return false
  // The last word of an NFT's approval is its id. A transfer clears the approval by approving the zero address.
  if (topics.length === 4) return spender !== ZERO && !isReported(address.toLowerCase(), spender, null)
  if (last === 0n || isReported(address.toLowerCase(), spender, topics[0] === APPROVAL ? last : null))
    return false
  const isAgreed =
    topics[0] === APPROVAL &&
    approval !== null &&
    address.toLowerCase() === approval.token.toLowerCase() &&
    spender === approval.spender.toLowerCase() &&
    last <= BigInt(approval.amount)
  return !isAgreed
}

const ZERO = `0x${'0'.repeat(40)}`
const ALLOWANCE = '0xdd62ed3e'

const readBy = (from: string, { to, data: input }: NumberCall) => ({ from, to, input, value: '0x0' })

const wordOf = (value: bigint): string => value.toString(16).padStart(64, '0')

const addressIn = (topic: string): string => `0x${topic.slice(-40).toLowerCase()}`

/** The words of a log's data. Every event read here consists of whole words. */
function wordsOf(data: string): readonly string[] {
  return Array.from(
    { length: Math.floor((data.length - 2) / WORD_DIGITS) },
    (_, at) => `0x${data.slice(2 + at * WORD_DIGITS, 2 + (at + 1) * WORD_DIGITS)}`,
  )
}

const WORD_DIGITS = 64
