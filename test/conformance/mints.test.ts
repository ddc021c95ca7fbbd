/** Mint accounts, byte by byte, with what a gateway should conclude from each. */

import t from 'tap'
import { feeAt, readMint } from '../../src/chains/solana/mint.ts'
import { readVectors, skipWithout } from '../fixtures/vectors.ts'

const FILE = 'tokens/token2022-mints.json'
const NAMES: Readonly<Record<number, string>> = {
  1: 'transferFeeConfig',
  3: 'mintCloseAuthority',
  4: 'confidentialTransferMint',
  6: 'defaultAccountState',
  9: 'nonTransferable',
  10: 'interestBearingConfig',
  12: 'permanentDelegate',
  14: 'transferHook',
  18: 'metadataPointer',
  19: 'tokenMetadata',
  25: 'scaledUiAmountConfig',
  26: 'pausableConfig',
}

interface Extension extends Readonly<Record<string, unknown>> {
  readonly type: number
}

interface Case {
  readonly id: string
  readonly owner: string
  readonly base64: string
  readonly expected: {
    readonly ok: boolean
    readonly decimals?: number
    readonly supply?: string
    readonly mintAuthority?: string | null
    readonly freezeAuthority?: string | null
    readonly extensions?: readonly Extension[]
    readonly types?: readonly number[]
    readonly unknown?: readonly number[]
    readonly malformedExtensions?: readonly number[]
    readonly restricted?: boolean
    readonly feeAtEpoch?: Readonly<Record<string, { readonly bps: number; readonly max: string }>>
  }
}

t.test('every mint account is read whole, or refused', { skip: skipWithout(FILE) }, async (t) => {
  const { cases } = readVectors<{ readonly cases: readonly Case[] }>(FILE)
  t.equal(cases.length, 29)
  for (const { id, owner, base64, expected } of cases) {
    const mint = readMint(owner, Buffer.from(base64, 'base64'))
    if (!expected.ok) {
      t.equal(mint, null, id)
      continue
    }
    if (mint === null) {
      t.fail(id)
      continue
    }
    for (const name of ['decimals', 'mintAuthority', 'freezeAuthority'] as const) {
      if (name in expected) t.equal(mint[name], expected[name], `${id} ${name}`)
    }
    if (expected.supply !== undefined) t.equal(String(mint.supply), expected.supply, id)
    const types = expected.types ?? expected.extensions?.map(({ type }) => type)
    if (types !== undefined)
      t.same(
        mint.extensions,
        types.map((type) => NAMES[type] ?? String(type)),
        id,
      )
    const unread = [...(expected.unknown ?? []), ...(expected.malformedExtensions ?? [])]
    t.same(
      mint.unread,
      unread.map((type) => NAMES[type] ?? String(type)),
      `${id}: what tells nothing`,
    )
    for (const extension of expected.extensions ?? []) {
      if (extension.type === 1) t.match(mint.transferFee, { configAuthority: extension.configAuthority }, id)
      if (extension.type === 3) t.equal(mint.closeAuthority, extension.closeAuthority, id)
      if (extension.type === 6) t.equal(mint.isBornFrozen, extension.state === 2, id)
      if (extension.type === 9) t.ok(mint.isNonTransferable, id)
      if (extension.type === 12) t.equal(mint.permanentDelegate, extension.delegate, id)
      if (extension.type === 14) t.equal(mint.transferHook, extension.programId, id)
      if (extension.type === 26) {
        t.equal(mint.isPaused, extension.paused, id)
        t.equal(mint.pauseAuthority, extension.authority, id)
      }
    }
    for (const [epoch, { bps, max }] of Object.entries(expected.feeAtEpoch ?? {})) {
      t.match(feeAt(mint.transferFee!, BigInt(epoch)), { bps, max: BigInt(max) }, `${id} at ${epoch}`)
    }
    if (expected.restricted !== undefined) {
      const { permanentDelegate, transferHook, isBornFrozen, isPaused, isNonTransferable } = mint
      const holds = permanentDelegate !== null || transferHook !== null
      t.equal(holds || isBornFrozen || isPaused || isNonTransferable, expected.restricted, id)
    }
  }
})
