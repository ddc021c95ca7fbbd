import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import type { Call } from '../../../src/flow/call.ts'
import { UNKNOWN_FLAGS } from '../../../src/providers/market/market.ts'
import { onchain } from '../../../src/providers/market/onchain.ts'
import { findRisks } from '../../../src/research/list/risk.ts'
import { clockOf } from '../../fixtures/clock.ts'
import { extension, mintAccount, transferFee } from '../../fixtures/mint.ts'
import { failureOf, NOW, OPTIONS } from '../../fixtures/provider.ts'

const MINT = { chain: 'solana', address: 'FLUXBmPhT3Fd1EDVFdg46YREqHBeNypn1h4EbnTzWERX' }
const KEY = Buffer.alloc(32, 7)
const SOMEBODY = encodeBase58(KEY)
const NOBODY = Buffer.alloc(32)

/** A node that has this account, in this epoch. */
function node(data: Buffer | null, { owner = TOKEN_2022_PROGRAM, epoch = 600 } = {}) {
  const asked: { method: string; params: string; priority: string }[] = []
  const clock = { ms: 0 }
  const solana = {
    async read(method: string, params: string, { priority }: Call) {
      asked.push({ method, params, priority })
      const value = data && { owner, data: [data.toString('base64'), 'base64'], lamports: 1 }
      const result = method === 'getEpochInfo' ? { epoch } : { context: { slot: 9 }, value }
      return { result: Buffer.from(JSON.stringify(result)), error: null }
    },
  }
  const { parts } = onchain({
    solana: solana as never,
    clock: clockOf({ now: () => 1 + clock.ms, date: () => NOW }),
  })
  return {
    asked,
    clock,
    parts: parts!,
    flags: async () => (await parts!.security!.ask(MINT, OPTIONS))!.flags,
  }
}

t.test('one read of the account shows the powers, and who has them', async (t) => {
  const { parts, asked, clock } = node(
    mintAccount(
      { decimals: 5, supply: 49_997_807_677_193n, freezeAuthority: KEY },
      transferFee({ epoch: 530, bps: 300 }, { epoch: 530, bps: 300 }),
      extension(12, KEY),
    ),
  )
  t.same(await parts.security!.ask(MINT, OPTIONS), {
    at: NOW,
    facts: {
      program: TOKEN_2022_PROGRAM,
      supply: '49997807677193',
      decimals: 5,
      extensions: ['transferFeeConfig', 'permanentDelegate'],
      permanentDelegate: SOMEBODY,
      transferFeeBps: 300,
      transferFeeMax: '18446744073709551615',
      nextTransferFeeBps: 300,
      nextTransferFeeEpoch: '530',
    },
    flags: {
      ...UNKNOWN_FLAGS,
      freezable: true,
      mintable: false,
      nonTransferable: false,
      sellTaxPct: 3,
      taxModifiable: false,
      permanentDelegate: true,
      transferHook: false,
      bornFrozen: false,
      paused: false,
    },
  })
  t.match(await parts.about!.ask(MINT, OPTIONS), { mintAuthority: 'none', freezeAuthority: SOMEBODY })
  t.same(
    asked.map(({ method, priority }) => [method, priority]),
    [['getAccountInfo', 'quote']],
    'and a fee that stays as it is needs no epoch',
  )
  clock.ms = 61_000
  await parts.security!.ask(MINT, OPTIONS)
  t.equal(asked.length, 2, 'it may have changed')
})

t.test('a new fee applies from its epoch on, and none if its maximum is zero', async (t) => {
  const rising = mintAccount({}, transferFee({ epoch: 10, bps: 25 }, { epoch: 20, bps: 5_000 }, KEY))
  for (const [epoch, sellTaxPct] of [
    [19, 0.25],
    [20, 50],
  ] as const) {
    const { flags, asked } = node(rising, { epoch })
    const found = await flags()
    t.match(found, { sellTaxPct, taxModifiable: true })
    t.same(
      asked.map(({ method }) => method),
      ['getAccountInfo', 'getEpochInfo'],
    )
    const rules = findRisks({ fdv: null, liq: 9e6, holders: 9_000 }, [['onchain', found]])
    t.same(
      rules.map(({ rule }) => rule),
      epoch === 20 ? ['sell_tax'] : [],
    )
  }
  const capped = transferFee({ epoch: 1, bps: 300, max: 0n }, { epoch: 1, bps: 300, max: 0n })
  t.match(await node(mintAccount({}, capped)).flags(), { sellTaxPct: 0 })
})

t.test('each extension has its flag', async (t) => {
  const hook = (program: Buffer) => extension(14, Buffer.concat([KEY, program]))
  const pausable = (paused: number) => extension(26, Buffer.concat([KEY, Buffer.from([paused])]))
  const cases: [name: string, extension: Buffer, found: object][] = [
    ['no delegate', extension(12, NOBODY), { permanentDelegate: false }],
    ['a hook', hook(KEY), { transferHook: true }],
    ['a hook that is not there yet', hook(NOBODY), { transferHook: false }],
    ['non-transferable', extension(9), { nonTransferable: true }],
    ['frozen from the start', extension(6, Buffer.from([2])), { bornFrozen: true }],
    ['ready from the start', extension(6, Buffer.from([1])), { bornFrozen: false }],
    ['paused', pausable(1), { paused: true, freezable: true }],
    ['pausable', pausable(0), { paused: false, freezable: true }],
  ]
  for (const [name, one, found] of cases) t.match(await node(mintAccount({}, one)).flags(), found, name)
})

t.test('what it cannot read is unknown, and never said not to be there', async (t) => {
  const unknown = { nonTransferable: null, sellTaxPct: null, permanentDelegate: null, bornFrozen: null }
  for (const one of [extension(200, KEY), extension(1, KEY)]) {
    const { parts, flags } = node(mintAccount({}, one))
    t.match(await flags(), { ...unknown, mintable: false })
    const { facts } = (await parts.security!.ask(MINT, OPTIONS))!
    t.same(facts.unread, facts.extensions)
  }
  t.match(await node(mintAccount({}, extension(200), extension(12, KEY))).flags(), {
    permanentDelegate: true,
  })
})

t.test('a mint of the older program has none of it', async (t) => {
  const { parts, flags } = node(mintAccount({ mintAuthority: KEY }), { owner: TOKEN_PROGRAM })
  t.match(await flags(), { mintable: true, freezable: false, sellTaxPct: 0, permanentDelegate: false })
  t.match(await parts.about!.ask(MINT, OPTIONS), { mintAuthority: SOMEBODY, freezeAuthority: 'none' })
})

t.test('an account that is not a mint is not a token, and a malformed answer is a failure', async (t) => {
  const tooLong = mintAccount({}, extension(19, Buffer.alloc(16_384)))
  for (const data of [null, Buffer.alloc(82), mintAccount({}, extension(9), extension(9)), tooLong]) {
    t.equal(await node(data).parts.security!.ask(MINT, OPTIONS), null)
  }
  const dumb = { read: async () => ({ result: Buffer.from('{"value":7}'), error: null }) }
  const { security } = onchain({ solana: dumb as never }).parts!
  t.match(await failureOf(security!.ask(MINT, OPTIONS)), { code: 'upstream_unusable' })
})
