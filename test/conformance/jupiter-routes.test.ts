/**
 * Jupiter's transactions as they are in the world, against the proof: those of
 * version 2 are read, and held to the terms that they state; all others are
 * refused by name. Among the samples of 2025 there is one of version 2, of
 * Jupiter's own documents, with the order API's fee of two basis points; those
 * of 2026 are all of version 2.
 */

import t from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { JUPITER_PROGRAM } from '../../src/chains/solana/programs.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { proveJupiter } from '../../src/proof/solana/jupiter.ts'
import type { SwapClaim } from '../../src/proof/solana/swap.ts'
import { readVectorLines, skipWithout } from '../fixtures/vectors.ts'

const SAMPLES = 'calldata/samples.jsonl'
const BLOCK = 'solana-mainnet-block-254170887.jsonl'

interface Sample {
  readonly family: string
  readonly data: string
  readonly fields: readonly {
    readonly instruction: string
    readonly args: Readonly<Record<string, number>>
  }[]
}

const MAINNET = 'live/jupiter-mainnet.jsonl'

interface MainnetSample {
  readonly id: string
  readonly wallet?: string
  readonly transaction: string
  readonly expect: {
    readonly verdict: string
    readonly rule?: string
    readonly order?: { readonly mintIn: string; readonly mintOut: string; readonly amountIn: string }
  }
}

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const USDT = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
const RULES = { maxComputeUnitPrice: 50_000_000n }

/** @returns the transaction with its signatures taken out */
function unsign(base64: string): Buffer {
  const bytes = Buffer.from(base64, 'base64')
  return bytes.fill(0, 1, 1 + 64 * bytes[0]!)
}

const ruleOf = (bytes: Buffer, claim: SwapClaim): unknown => {
  try {
    proveJupiter(bytes.toString('base64'), claim, RULES)
    return null
  } catch (error) {
    return (error as { fields?: { rule?: string } }).fields?.rule
  }
}

t.test("Jupiter's samples", { skip: skipWithout(SAMPLES) }, async (t) => {
  const samples = readVectorLines<Sample>(SAMPLES).filter(({ family }) => family === 'jupiter')
  t.equal(samples.length, 21)
  for (const { data, fields } of samples) {
    const { instruction, args } = fields[0]!
    const bytes = unsign(data)
    const wire = new WireTransaction()
    t.equal(wire.parse(bytes), null)
    const claim: SwapClaim = {
      from: encodeBase58(wire.key(0)),
      mintIn: USDC,
      mintOut: null,
      amountIn: BigInt(args.in_amount ?? 0),
      minOut: 1n,
    }
    if (instruction !== 'route_v2') {
      t.equal(ruleOf(bytes, claim), 'instruction', instruction)
      continue
    }
    const least = (BigInt(args.quoted_out_amount!) * BigInt(10_000 - args.slippage_bps!)) / 10_000n
    const net = (BigInt(args.quoted_out_amount!) * BigInt(10_000 - args.platform_fee_bps!)) / 10_000n
    const minOut = (net * BigInt(10_000 - args.slippage_bps!)) / 10_000n
    const agreed = { ...claim, minOut, feeBps: 2 }
    t.equal(args.platform_fee_bps, 2)
    t.equal(ruleOf(bytes, agreed), null)
    t.equal(ruleOf(bytes, { ...agreed, feeBps: 1 }), 'platform_fee')
    t.equal(ruleOf(bytes, { ...agreed, minOut: minOut + 1n }), 'minimum')
    const kindAt = bytes.indexOf(Buffer.from('bb64facc31c4af14', 'hex'))
    const free = Buffer.from(bytes)
    free.writeUInt16LE(0, kindAt + 26)
    t.equal(ruleOf(free, { ...agreed, minOut: least }), null, 'without the fee more arrives')
    t.equal(ruleOf(free, { ...agreed, minOut: least + 1n }), 'minimum')
    t.equal(ruleOf(free, { ...agreed, amountIn: agreed.amountIn - 1n }), 'amount')
    t.equal(ruleOf(free, { ...agreed, mintIn: null }), 'source_account')
    t.equal(ruleOf(free, { ...agreed, mintOut: USDC }), 'destination_account')
  }
})

t.test('a block of the main net, older than version 2', { skip: skipWithout(BLOCK) }, async (t) => {
  const rules = new Map<unknown, number>()
  for (const { base64 } of readVectorLines<{ base64: string }>(BLOCK)) {
    const bytes = unsign(base64)
    const wire = new WireTransaction()
    if (wire.parse(bytes) !== null) continue
    const programs = wire.instructions().map(({ programIndex }) => encodeBase58(wire.key(programIndex)))
    if (!programs.includes(JUPITER_PROGRAM)) continue
    const from = encodeBase58(wire.key(0))
    const rule = ruleOf(bytes, { from, mintIn: null, mintOut: USDC, amountIn: 1n, minOut: 1n })
    rules.set(rule, (rules.get(rule) ?? 0) + 1)
  }
  t.same(Object.fromEntries(rules), { instruction: 70 })
})

t.test(
  'transactions that landed on the main net in 2025 and 2026',
  { skip: skipWithout(MAINNET) },
  async (t) => {
    let accepted = 0
    for (const { id, wallet, transaction, expect } of readVectorLines<MainnetSample>(MAINNET)) {
      const bytes = Buffer.from(transaction, 'base64')
      const wire = new WireTransaction()
      t.equal(wire.parse(bytes), null)
      const { order = { mintIn: USDC, mintOut: USDC, amountIn: '1' }, rule } = expect
      const from = wallet ?? encodeBase58(wire.key(0))
      const claim = { from, ...order, amountIn: BigInt(order.amountIn), minOut: 1n }
      if (expect.order === undefined) {
        if (rule === 'instruction') t.equal(ruleOf(bytes, claim), rule, id)
        continue
      }
      t.equal(ruleOf(bytes, { ...claim, feeBps: 10 }), null, id)
      t.equal(ruleOf(bytes, claim), 'platform_fee', `${id}, whose fee nobody stated`)
      t.equal(ruleOf(bytes, { ...claim, feeBps: 10, mintIn: USDT }), 'source_account', 'sells another token')
      accepted++
    }
    t.equal(accepted, 2)
  },
)
