/**
 * Simulates a Sui transaction at a GraphQL node on top of its latest checkpoint, with all the checks that a
 * real transaction has to pass: the wallet must own the coins that it names, and they must hold the amounts
 * that are split off.
 *
 * The node reports the changes of every owner; only those of the wallet's address count. A coin inside an
 * object that the wallet owns belongs to that object, so it is not among them. The used gas is part of the
 * wallet's SUI change, and is also reported separately: the budget says nothing about an outcome.
 *
 * Source: MystenLabs/sui crates/sui-indexer-alt-graphql/schema.graphql of August 2026 (BalanceChange,
 * BalanceChangeConnection, Checkpoint, GasCostSummary) · docs.sui.io references/sui-api/sui-graphql/beta,
 * simulateTransaction, SimulationResult, TransactionEffects
 */
import { Type } from 'typebox'
import { jsonReader } from '../../chains/json/reader.ts'
import { SUI_ADDRESSES } from '../../chains/sui-address.ts'
import { type BalanceChange, type MaterialSimulation, summed, unreadable } from './simulation.ts'

/** The node's largest page; a swap changes a handful of balances. */
const MAX_CHANGES = 50

export const SIMULATE_QUERY = `query ($transaction: JSON!) {
  checkpoint { sequenceNumber }
  simulateTransaction(transaction: $transaction, checksEnabled: true, doGasSelection: false) {
    effects {
      status
      gasEffects { gasSummary { computationCost storageCost storageRebate } }
      balanceChanges(first: ${MAX_CHANGES}) {
        nodes { owner { address } coinType { repr } amount }
        pageInfo { hasNextPage }
      }
    }
  }
}`

const Change = Type.Object({
  owner: Type.Object({ address: Type.String({ pattern: '^0x[0-9a-fA-F]{1,64}$' }) }),
  coinType: Type.Object({ repr: Type.String({ maxLength: 1_000 }) }),
  // A signed sum of many u64.
  amount: Type.String({ pattern: '^-?[0-9]{1,40}$' }),
})

/** MIST: a number in the schema, and text in older ones. */
const Mist = Type.Union([
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  Type.String({ pattern: '^[0-9]{1,20}$' }),
])

const Reply = Type.Object({
  data: Type.Object({
    checkpoint: Type.Union([
      Type.Null(),
      Type.Object({ sequenceNumber: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) }),
    ]),
    simulateTransaction: Type.Object({
      effects: Type.Union([
        Type.Null(),
        Type.Object({
          status: Type.Enum(['SUCCESS', 'FAILURE']),
          gasEffects: Type.Object({
            gasSummary: Type.Object({ computationCost: Mist, storageCost: Mist, storageRebate: Mist }),
          }),
          balanceChanges: Type.Object({
            nodes: Type.Array(Change, { maxItems: MAX_CHANGES }),
            pageInfo: Type.Object({ hasNextPage: Type.Boolean() }),
          }),
        }),
      ]),
    }),
  }),
  /** Set by the sandbox's node, which has no chain behind it. */
  extensions: Type.Optional(Type.Object({ ledger: Type.Optional(Type.Literal('sandbox')) })),
})

const readReply = jsonReader(Reply)

/** Asks one node after the other. @returns the whole reply as JSON text; null if they refuse the transaction */
type AskSui = (query: string, variables: object) => Promise<string | null>

/**
 * @param base64  one transaction that was parsed before
 * @param wallet  canonical
 * @returns null if the transaction fails against the current state, for example because the wallet lacks the funds
 * @throws GatewayError  upstream_*
 */
export async function simulateSui(
  base64: string,
  wallet: string,
  ask: AskSui,
): Promise<MaterialSimulation | null> {
  const text = await ask(SIMULATE_QUERY, { transaction: { bcs: { value: base64 } } })
  if (text === null) return null
  const reply = readReply(text)
  if (reply === null) throw unreadable('The Sui node')
  const { data, extensions } = reply
  const { effects } = data.simulateTransaction
  if (effects?.status !== 'SUCCESS') return null
  const { nodes, pageInfo } = effects.balanceChanges
  const { computationCost, storageCost, storageRebate } = effects.gasEffects.gasSummary
  // Changes on further pages cannot be checked.
  if (pageInfo.hasNextPage) return null
  const changes = nodes.flatMap(({ owner, coinType, amount }): BalanceChange[] =>
    padded(owner.address) === wallet ? [{ token: tokenOf(coinType.repr), amount: BigInt(amount) }] : [],
  )
  const by = 'simulateTransaction over GraphQL'
  return {
    by: extensions?.ledger === 'sandbox' ? `${by}, by the sandbox's ledger` : by,
    at: data.checkpoint?.sequenceNumber ?? null,
    changes: summed(changes),
    // Negative if more storage is freed than used: that belongs to the wallet, and isn't a gain from the
    // swap.
    gas: BigInt(computationCost) + BigInt(storageCost) - BigInt(storageRebate),
  }
}

const padded = (address: string): string => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** A type with type arguments has no canonical form here, and is never an agreed coin. */
function tokenOf(repr: string): string | null {
  const token = SUI_ADDRESSES.parseToken(repr) ?? repr
  return token === SUI_ADDRESSES.native ? null : token
}
