/** Setting a budget changes nothing else of a transaction, held against web3.js's reading of the bytes. */
import { ComputeBudgetProgram, VersionedTransaction } from '@solana/web3.js'
import t from 'tap'
import {
  type ComputeBudget,
  computeBudgetOf,
  MAX_COMPUTE_UNITS,
  priorityLamports,
  withComputeBudget,
} from '../../../src/chains/solana/compute-budget.ts'
import { COMPUTE_BUDGET_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import fc from '../../fixtures/fast-check.ts'
import { drafts, serialize, transfer, transferV0 } from '../../fixtures/transactions.ts'

const parsed = (bytes: Uint8Array): WireTransaction | null => {
  const wire = new WireTransaction()
  return wire.parse(bytes) === null && wire.version !== 1 ? wire : null
}

const rewritten = (bytes: Uint8Array, budget: ComputeBudget): Buffer =>
  withComputeBudget(parsed(bytes)!, budget)

/** What web3.js reads, with accounts by name, and without the two instructions of a budget. */
function reading(bytes: Uint8Array) {
  const { message, signatures } = VersionedTransaction.deserialize(bytes)
  const { staticAccountKeys, addressTableLookups } = message
  const names = [
    ...staticAccountKeys.map(String),
    ...addressTableLookups.flatMap(({ accountKey, writableIndexes }) =>
      writableIndexes.map((index) => `${accountKey} ${index}`),
    ),
    ...addressTableLookups.flatMap(({ accountKey, readonlyIndexes }) =>
      readonlyIndexes.map((index) => `${accountKey} ${index}`),
    ),
  ]
  const instructions = message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
    program: names[programIdIndex]!,
    accounts: accountKeyIndexes.map((index) => [names[index], message.isAccountWritable(index)]),
    data: Buffer.from(data).toString('hex'),
  }))
  const isBudget = ({ program, data }: (typeof instructions)[number]) =>
    program === COMPUTE_BUDGET_PROGRAM && /^(02.{8}|03.{16})$/.test(data)
  return {
    budget: instructions.filter(isBudget).map(({ data }) => data),
    rest: {
      instructions: instructions.filter((one) => !isBudget(one)),
      required: message.header.numRequiredSignatures,
      signed: message.header.numReadonlySignedAccounts,
      blockhash: message.recentBlockhash,
      lookups: addressTableLookups,
      keys: staticAccountKeys.map(String).filter((key) => key !== COMPUTE_BUDGET_PROGRAM),
      signatures: signatures.map((signature) => Buffer.from(signature).toString('hex')),
    },
  }
}

const dataOf = ({ price, limit }: ComputeBudget) => [
  ...(limit === null ? [] : [ComputeBudgetProgram.setComputeUnitLimit({ units: limit })]),
  ...(price === 0n ? [] : [ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price })]),
]

t.test('any transaction, once and again: only its budget changes', async (t) => {
  const budgets = fc.record({
    price: fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 2n ** 64n - 1n })),
    limit: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: MAX_COMPUTE_UNITS })),
  })
  let [tried, judged] = [0, 0]
  fc.assert(
    fc.property(drafts, budgets, budgets, (draft, first, second) => {
      tried++
      const bytes = serialize(draft)
      if (parsed(bytes) === null) return
      const once = rewritten(bytes, first)
      if (parsed(once) === null) return // what is too large, or has too many keys
      judged++
      for (const [changed, budget] of [
        [once, first],
        [rewritten(once, second), second],
      ] as const) {
        if (parsed(changed) === null) continue
        const { budget: found, rest } = reading(changed)
        t.same(rest, reading(bytes).rest)
        t.same(
          found,
          dataOf(budget).map(({ data }) => data.toString('hex')),
        )
        t.same(computeBudgetOf(parsed(changed)!), budget)
      }
    }),
    { numRuns: 200 },
  )
  t.ok(judged > tried / 2, `${judged} of ${tried}`)
})

t.test('of a version without lookup tables and with them', async (t) => {
  for (const draft of [transfer(), transferV0()]) {
    const bytes = serialize(draft)
    const budget = { price: 5n, limit: 20_000 }
    t.same(computeBudgetOf(parsed(bytes)!), { price: 0n, limit: null })
    const changed = rewritten(bytes, budget)
    t.same(computeBudgetOf(parsed(changed)!), budget)
    t.equal(changed.length, bytes.length + 32 + 8 + 12, 'a key and two instructions')
    t.equal(rewritten(changed, { price: 7n, limit: 1 }).length, changed.length)
    t.same(computeBudgetOf(parsed(rewritten(changed, { price: 0n, limit: null }))!), {
      price: 0n,
      limit: null,
    })
  }
})

t.test('lamports are rounded up, as the runtime does', async (t) => {
  t.same([priorityLamports(1n, 1), priorityLamports(1_000_000n, 3), priorityLamports(0n, 9)], [1n, 3n, 0n])
})
