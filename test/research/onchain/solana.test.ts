/** What a Solana node tells of a transaction's balances, as its payer sees it. */

import t from 'tap'
import { findChain } from '../../../src/chains/find.ts'
import type { SignatureStatus } from '../../../src/relay/reads/statuses.ts'
import { SolanaTransactions } from '../../../src/research/onchain/solana.ts'
import { callOf } from '../../fixtures/call.ts'

const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
const PAYER = 'vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg'
const OTHER = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const WSOL = 'So11111111111111111111111111111111111111112'

const balance = (mint: string, owner: string | undefined, amount: string, decimals: number) => ({
  accountIndex: 1,
  mint,
  ...(owner !== undefined && { owner }),
  uiTokenAmount: { amount, decimals, uiAmount: null, uiAmountString: '' },
})

/** A swap of a tenth of a SOL, of which a part was wrapped before. */
const SWAP = {
  slot: 7,
  blockTime: 1_732_000_000,
  transaction: {
    signatures: [SIGNATURE],
    message: { accountKeys: [PAYER, OTHER], recentBlockhash: OTHER, instructions: [] },
  },
  meta: {
    err: null,
    fee: 5_000,
    preBalances: [1_000_000_000, 5],
    postBalances: [919_995_000, 80_000_005],
    preTokenBalances: [
      balance(WSOL, PAYER, '20000000', 9),
      balance(USDC, OTHER, '9000000', 6),
      balance(USDC, PAYER, '1', 6),
    ],
    postTokenBalances: [balance(USDC, OTHER, '0', 6), balance(USDC, PAYER, '13500001', 6)],
    loadedAddresses: { readonly: [], writable: [] },
  },
  version: 0,
}

function world(transaction: unknown, status: Partial<SignatureStatus> | null = {}) {
  const asked: string[] = []
  const transactions = new SolanaTransactions(
    {
      async read(method: string, params: string) {
        if (method === 'getSignatureStatuses') {
          const value = [status && { slot: 7, err: null, confirmationStatus: 'confirmed', ...status }]
          return { result: Buffer.from(JSON.stringify({ context: { slot: 12 }, value })), error: null }
        }
        asked.push(`${method} ${params}`)
        const result = Buffer.from(JSON.stringify(transaction))
        return { result, error: null }
      },
    },
    { landed: () => {} },
  )
  const find = () => transactions.find(SIGNATURE, callOf(1_000, null, 'research'))
  return { find, asked }
}

const NO_LIST = { find: () => null }

t.test('a swap: what the payer lost and gained, with wrapped SOL as SOL, and without the fee', async (t) => {
  const { find, asked } = world(SWAP)
  const { state, details } = await find()
  t.match(state, {
    status: 'confirmed',
    isFinal: false,
    slot: 7,
    confirmations: 6,
    includedAt: 1_732_000_000_000,
    fee: { amount: '5000', l1: null, paidBy: PAYER },
  })
  const { paid, got } = details!.changes.show(findChain('solana')!, NO_LIST)
  t.same(paid, [
    { token: WSOL, isNative: true, listed: true, amount: '100000000', decimals: 9, symbol: 'SOL' },
  ])
  t.same(got, [
    { token: USDC, isNative: false, listed: false, amount: '13500000', decimals: 6, symbol: null },
  ])
  t.notOk(details!.isPartial)
  t.match(asked, [/^getTransaction .*"commitment":"confirmed".*"maxSupportedTransactionVersion":1/])
})

t.test('a transaction without a confirmed block is not requested', async (t) => {
  for (const status of [null, { confirmationStatus: 'processed' as const }]) {
    const { find, asked } = world(SWAP, status)
    const { state, details } = await find()
    t.match(state, { status: status === null ? 'unknown' : 'pending', fee: null })
    t.equal(details, null)
    t.same(asked, [])
  }
})

t.test('a failed one is one only once its block is confirmed', async (t) => {
  const err = { InstructionError: [2, { Custom: 6_001 }] }
  t.match((await world(SWAP, { err }).find()).state, { status: 'failed', isFinal: false, err })
  const final = { err, confirmationStatus: 'finalized' as const }
  t.match((await world(SWAP, final).find()).state, { status: 'failed', isFinal: true, err })
  const processed = { err, confirmationStatus: 'processed' as const }
  t.match((await world(SWAP, processed).find()).state, { status: 'pending', err })
})

t.test('a transaction whose payer could not pay is in a block, failed, and has paid nothing', async (t) => {
  const err = 'InsufficientFundsForFee'
  const { preBalances } = SWAP.meta
  const meta = {
    ...SWAP.meta,
    fee: 0,
    postBalances: preBalances,
    preTokenBalances: [],
    postTokenBalances: [],
  }
  const { state, details } = await world({ ...SWAP, meta }, { err }).find()
  t.match(state, { status: 'failed', err, fee: { amount: '0', paidBy: PAYER } })
  t.same(details!.changes.show(findChain('solana')!, NO_LIST), { paid: [], got: [] })
})

t.test('if a node no longer has it, only its status is reported', async (t) => {
  const { state, details } = await world(null).find()
  t.match(state, { status: 'confirmed', fee: null, includedAt: null })
  t.equal(details, null)
})

t.test('balances that do not say whose they are leave something out', async (t) => {
  const { meta } = SWAP
  const before = [...meta.preTokenBalances, balance(USDC, undefined, '4', 6)]
  const { details } = await world({ ...SWAP, meta: { ...meta, preTokenBalances: before } }).find()
  t.ok(details!.isPartial)
})

const NOTHING = { programIdIndex: 1, accounts: [], data: '' }
const TABLE = { accountKey: OTHER, writableIndexes: [1], readonlyIndexes: [] }
/** What no block can hold, and reading it takes long. */
const TOO_LONG = {
  accountKeys: { accountKeys: Array(257).fill(PAYER) },
  instructions: { instructions: Array(65).fill(NOTHING) },
  accounts: { instructions: [{ ...NOTHING, accounts: Array(257).fill(0) }] },
  data: { instructions: [{ ...NOTHING, data: 'z'.repeat(8_193) }] },
  lookups: { addressTableLookups: Array(32).fill(TABLE) },
  table: { addressTableLookups: [{ ...TABLE, accountKey: OTHER.repeat(2) }] },
  indexes: { addressTableLookups: [{ ...TABLE, writableIndexes: Array(257).fill(0) }] },
}

t.test('another transaction, or none, is not an answer', async (t) => {
  const wrong: unknown[] = [
    { ...SWAP, transaction: { ...SWAP.transaction, signatures: [OTHER] } },
    { ...SWAP, meta: null },
    { ...SWAP, meta: { ...SWAP.meta, fee: -1 } },
    { ...SWAP, meta: { ...SWAP.meta, preBalances: [2 ** 60] } },
    'x',
    ...Object.values(TOO_LONG).map((part) => ({
      ...SWAP,
      transaction: { ...SWAP.transaction, message: { ...SWAP.transaction.message, ...part } },
    })),
  ]
  for (const transaction of wrong) await t.rejects(world(transaction).find(), { code: 'upstream_unusable' })
})
