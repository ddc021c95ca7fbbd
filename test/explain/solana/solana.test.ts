import { Keypair, PublicKey, SystemProgram, Transaction, TransactionInstruction } from '@solana/web3.js'
import t from 'tap'
import { associatedAddress } from '../../../src/chains/solana/associated.ts'
import { TOKEN_2022_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { explain } from '../../../src/explain/explain.ts'
import { readVectorLines, skipWithout } from '../../fixtures/vectors.ts'

const key = (n: number) => Keypair.fromSeed(new Uint8Array(32).fill(n)).publicKey
const [OWNER, FRIEND, STRANGER] = [key(1), key(2), key(3)]

const ata = (owner: PublicKey, mint: PublicKey, program = TOKEN) =>
  new PublicKey(associatedAddress(owner.toBytes(), mint.toBytes(), program.toBytes()))

function unsigned(...instructions: Parameters<Transaction['add']>): string {
  const transaction = new Transaction().add(...instructions)
  transaction.feePayer = OWNER
  transaction.recentBlockhash = PublicKey.default.toBase58()
  return transaction.serialize({ verifySignatures: false, requireAllSignatures: false }).toString('base64')
}

const paying = (to: PublicKey, lamports = 5) =>
  SystemProgram.transfer({ fromPubkey: OWNER, toPubkey: to, lamports })

const asked = (transaction: string, more = {}) =>
  explain({ chain: 'solana', owner: OWNER.toBase58(), recent: [FRIEND.toBase58()], transaction, ...more })

t.test('a transfer in words and in data; its recipient is known to the wallet or not', async (t) => {
  t.match(await asked(unsigned(paying(FRIEND))), {
    verdict: 'known',
    owner: OWNER.toBase58(),
    actions: [
      {
        kind: 'transfer',
        words: `sends 0.000000005 SOL to ${FRIEND.toBase58()}`,
        program: SystemProgram.programId.toBase58(),
        asset: 'native',
        amount: '5',
        from: OWNER.toBase58(),
        to: FRIEND.toBase58(),
        spender: null,
      },
    ],
    summary: `Your wallet pays 0.000000005 SOL to ${FRIEND.toBase58()} and pays 0.000005 SOL in fees.`,
    effects: [
      { kind: 'cost', what: 'network fee' },
      { kind: 'pays', amount: '5', to: FRIEND.toBase58() },
    ],
    unknown: { length: 0 },
    risks: { length: 0 },
    simulation: null,
  })
  t.match(await asked(unsigned(paying(STRANGER))), {
    verdict: 'unknown',
    risks: [{ code: 'recipient_unknown', severity: 'warning', action: 0 }],
  })
  t.match(await asked(unsigned(paying(OWNER))), { verdict: 'known' })
})

t.test('if the wallet is not named, each signer is called by its address', async (t) => {
  const sent = SystemProgram.transfer({ fromPubkey: FRIEND, toPubkey: OWNER, lamports: 5 })
  const transaction = unsigned(sent)
  const { summary, actions } = await explain({ chain: 'solana', transaction })
  t.equal(actions[0]!.words, `sends 0.000000005 SOL to ${OWNER.toBase58()}`)
  const [one, other] = [OWNER.toBase58(), FRIEND.toBase58()]
  t.equal(summary, `${one} pays 0.00001 SOL in fees; ${other} pays 0.000000005 SOL to ${one}.`)
  const named = await explain({ chain: 'solana', transaction, owner: other })
  t.equal(named.summary, `Your wallet pays 0.000000005 SOL to ${one}.`)
})

const LOADER = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111')
const STAKE = new PublicKey('Stake11111111111111111111111111111111111111')
const VOTE = new PublicKey('Vote111111111111111111111111111111111111111')
const TOKEN = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA')
const ASSOCIATED = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL')
const JUPITER = new PublicKey('JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4')
const [THING, PLACE, MINT, OTHER] = [key(4), key(5), key(6), key(7)]
const u16 = (value: number) => [...new Uint8Array(new Uint16Array([value]).buffer)]
const u32 = (value: number) => [...new Uint8Array(new Uint32Array([value]).buffer)]
const u64 = (value: number) => [...new Uint8Array(new BigUint64Array([BigInt(value)]).buffer)]
/** The owner signs where it stands. */
const ins = (programId: PublicKey, keys: readonly PublicKey[], ...data: readonly number[][]) =>
  new TransactionInstruction({
    programId,
    keys: keys.map((pubkey) => ({ pubkey, isSigner: pubkey.equals(OWNER), isWritable: true })),
    data: Buffer.from(data.flat()),
  })
const codesOf = async (...instructions: TransactionInstruction[]) =>
  (await asked(unsigned(...instructions))).risks.map(({ code, severity }) => `${severity} ${code}`)

t.test("the payer of a program's code, and its owner", async (t) => {
  const extended = (payer: PublicKey) => ins(LOADER, [THING, PLACE, OTHER, payer], u32(6), u32(10_000))
  t.same(await codesOf(extended(OWNER)), ['warning recipient_unknown', 'warning high_fee'])
  t.same(await codesOf(extended(STRANGER)), [])
  const deployed = (payer: PublicKey, authority: PublicKey) =>
    ins(LOADER, [payer, THING, PLACE, MINT, OTHER, OTHER, OTHER, authority], u32(2), u64(1_000))
  t.same(await codesOf(deployed(OWNER, OWNER)), [])
  t.same(await codesOf(deployed(OWNER, STRANGER)), ['warning recipient_unknown', 'danger authority_change'])
  t.same(await codesOf(deployed(STRANGER, OWNER)), ['danger close_to_stranger'])
})

t.test('authorities in the data', async (t) => {
  const text = [...u64(1), 65]
  const to = (who: PublicKey) => [...who.toBytes()]
  const given: readonly ((who: PublicKey) => TransactionInstruction)[] = [
    (who) => ins(STAKE, [THING, OWNER, PLACE], u32(8), to(who), u32(0), text, to(PLACE)),
    (who) => ins(STAKE, [THING, OWNER, PLACE, who], u32(11), u32(1), text, to(PLACE)),
    (who) => ins(VOTE, [THING, PLACE, OWNER], u32(10), u32(1), to(PLACE), text, to(who)),
    (who) => ins(VOTE, [THING, PLACE, OWNER, who], u32(11), u32(1), to(PLACE), text),
  ]
  for (const give of given) {
    t.same(await codesOf(give(OWNER)), [])
    t.same(await codesOf(give(STRANGER)), ['danger stake_authority'])
  }
})

t.test('a token program that is none of the two gets no signature without a word', async (t) => {
  const by = (program: PublicKey) =>
    ins(ASSOCIATED, [OWNER, THING, OWNER, MINT, SystemProgram.programId, program], [1])
  t.same(await codesOf(by(TOKEN)), [])
  t.same(await codesOf(by(STRANGER)), ['warning unknown_call'])
})

t.test("Jupiter's fees are judged as shares, also of what is above the quote", async (t) => {
  const swapped = (feeBps: number, surplusBps: number) => {
    const terms = [u64(1_000), u64(900), u16(50), u16(feeBps), u16(surplusBps), u32(0)]
    const accounts = [OWNER, THING, ata(OWNER, MINT), OTHER, MINT, TOKEN, TOKEN, JUPITER, PLACE, JUPITER]
    return ins(JUPITER, accounts, [0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14], ...terms)
  }
  t.same(await codesOf(swapped(0, 0)), [])
  t.same(await codesOf(swapped(85, 0)), [])
  t.same(await codesOf(swapped(200, 0)), ['warning high_fee'])
  t.same(await codesOf(swapped(2_000, 0)), ['danger high_fee'])
  t.same(await codesOf(...Array.from({ length: 6 }, () => swapped(100, 0))), ['danger high_fee'])
  t.same(await codesOf(swapped(0, 1)), ['warning high_fee'])
  t.same(await codesOf(swapped(0, 10_000)), ['danger high_fee'])
})

t.test("what a delegate moves out of the wallet's account is the wallet's loss", async (t) => {
  const moved = (to: PublicKey) => {
    const keys = [ata(OWNER, MINT), MINT, ata(to, MINT), STRANGER]
    return ins(TOKEN, keys, [12], u64(5), [6])
  }
  t.same(await codesOf(moved(FRIEND)), [])
  t.same(await codesOf(moved(STRANGER)), ['warning recipient_unknown'])
})

t.test('if the wallet is not named, each signer may be it', async (t) => {
  const transaction = new Transaction().add(
    paying(STRANGER),
    ins(SystemProgram.programId, [OWNER], u32(1), [...STAKE.toBytes()]),
  )
  transaction.feePayer = STRANGER
  transaction.recentBlockhash = PublicKey.default.toBase58()
  const bytes = transaction.serialize({ verifySignatures: false, requireAllSignatures: false })
  const { risks } = await explain({ chain: 'solana', transaction: bytes.toString('base64') })
  t.same(
    risks.map(({ code }) => code),
    ['other_signer', 'recipient_unknown', 'account_assigned'],
  )
})

t.test('an account that is created but not finished belongs to anybody', async (t) => {
  const made = SystemProgram.createAccount({
    fromPubkey: OWNER,
    newAccountPubkey: THING,
    lamports: 2_039_280,
    space: 165,
    programId: TOKEN,
  })
  const finished = (who: PublicKey) => ins(TOKEN, [THING, MINT], [18, ...who.toBytes()])
  t.same(await codesOf(made, finished(OWNER)), [])
  t.match(await codesOf(made), ['warning recipient_unknown', 'warning unfinished_account'])
  t.same(await codesOf(made, finished(STRANGER)), ['warning recipient_unknown'])
})

t.test('addresses that the operator refuses, and lookalikes', async (t) => {
  const refused = await explain(
    { chain: 'solana', transaction: unsigned(paying(STRANGER)) },
    { isRefused: (address) => address === STRANGER.toBase58() },
  )
  t.match(refused, { verdict: 'danger', risks: [{ code: 'refused_address' }, { code: 'recipient_unknown' }] })
  const poisoned = lookalike(STRANGER.toBase58())
  t.match(await asked(unsigned(paying(STRANGER)), { recent: [poisoned] }), {
    verdict: 'danger',
    risks: [{ code: 'lookalike_address' }, {}],
  })
})

/** Another address with the same ends. */
function lookalike(address: string): string {
  const middle = address.slice(5, -5)
  for (const digit of 'abcdefgh') {
    const other = address.slice(0, 5) + digit + middle.slice(1) + address.slice(-5)
    if (other !== address && new PublicKey(other).toBytes().length === 32) return other
  }
  throw new Error('none')
}

t.test(
  'a lookup table is unread until somebody reads it',
  { skip: skipWithout('explain/solana.jsonl') },
  async (t) => {
    interface Line {
      name: string
      payload: { user: string; transaction: string }
      context: { lookupTables: Record<string, string[]> }
    }
    const { payload, context } = readVectorLines<Line>('explain/solana.jsonl').find(
      ({ name }) => name === 'lut-hidden-recipient',
    )!
    const { user: owner, transaction } = payload
    const request = { chain: 'solana', owner, transaction }
    t.match(await explain(request), { verdict: 'unknown', unknown: [{ where: 'lookup table' }, {}] })
    const [[table, addresses]] = Object.entries(context.lookupTables) as [[string, string[]]]
    const read = await explain(request, { tables: async () => new Map([[table, addresses]]) })
    t.match(read, { unknown: { length: 0 }, actions: [{ kind: 'transfer', to: String }] })
    t.ok(addresses.includes(read.actions[0]!.to!))
    const short = await explain(request, { tables: async () => new Map([[table, []]]) })
    t.match(short, { verdict: 'unknown', unknown: [{ why: /not there yet/ }, {}] })
  },
)

t.test(
  'bytes that no validator takes are unknown, and a request that says no transaction is refused',
  async (t) => {
    t.match(await asked('AAAA'), {
      verdict: 'unknown',
      unknown: [{ where: 'transaction' }],
      actions: { length: 0 },
    })
    t.match(await asked('no base64!'), { verdict: 'unknown' })
    await t.rejects(explain({ chain: 'solana' }), { message: /`transaction`/ })
    await t.rejects(explain({ chain: 'solana', typedData: {} }), { message: /`transaction`/ })
    await t.rejects(asked('AAAA', { owner: '0x' }), { message: /`owner`/ })
    await t.rejects(asked('AAAA', { recent: ['x'] }), { message: /`recent\[0\]`/ })
    await t.rejects(explain({ chain: 'nowhere', transaction: '' }), { message: /chain key/ })
  },
)

t.test("an account that changes hands within the transaction is nobody's", async (t) => {
  const RENT = 2_039_280
  const created = (lamports: number, space: number, programId: PublicKey) =>
    SystemProgram.createAccount({ fromPubkey: OWNER, newAccountPubkey: THING, lamports, space, programId })
  const opened = (owner: PublicKey) => ins(TOKEN, [THING, WRAPPED], [18], [...owner.toBytes()])
  const closed = ins(TOKEN, [THING, OWNER, OWNER], [9])
  const first = [created(RENT, 165, TOKEN), opened(OWNER)]
  const wrap = [...first, ins(TOKEN, [OTHER, MINT, THING, OWNER], [12], u64(5), [6]), closed]
  t.match(await asked(unsigned(...wrap)), { verdict: 'known' }, 'it is opened, used and closed')
  for (const thefts of [
    [closed, created(RENT + 500e9, 165, TOKEN), opened(STRANGER)],
    [
      closed,
      created(RENT, 165, TOKEN),
      opened(STRANGER),
      ins(TOKEN, [OTHER, MINT, THING, OWNER], [12], u64(5), [6]),
    ],
    [closed, created(500e9, 0, SystemProgram.programId)],
    [
      ins(TOKEN, [THING, OWNER], [6, 2, 1], [...STRANGER.toBytes()]),
      ins(TOKEN, [OTHER, MINT, THING, OWNER], [12], u64(5), [6]),
    ],
  ]) {
    const { verdict, risks, summary } = await asked(unsigned(...first, ...thefts))
    t.not(verdict, 'known')
    t.ok(risks.length > 0)
    t.notMatch(summary, /to your wallet/)
  }
})

const TOKEN_2022 = new PublicKey(TOKEN_2022_PROGRAM)
const WRAPPED = new PublicKey('So11111111111111111111111111111111111111112')
const bytesOf = (who: PublicKey) => [...who.toBytes()]
const made = (account: PublicKey, space: number, programId: PublicKey, payer = OWNER, lamports = 2_039_280) =>
  SystemProgram.createAccount({ fromPubkey: payer, newAccountPubkey: account, lamports, space, programId })

t.test('the close authority of a new account may take what is put into it', async (t) => {
  const closed = (kind: number, who: PublicKey) => ins(TOKEN, [THING, OWNER], [6, kind, 1], bytesOf(who))
  const first = [made(THING, 165, TOKEN), ins(TOKEN, [THING, WRAPPED], [18], bytesOf(OWNER))]
  t.same(await codesOf(...first, closed(3, OWNER)), [])
  t.same(await codesOf(...first, closed(3, STRANGER)), ['danger close_authority'])
  t.same(await codesOf(closed(3, STRANGER)), ['danger close_authority'])
  t.same(await codesOf(closed(6, STRANGER)), ['danger close_authority'], 'of a mint')
})

/** Also signed by a second wallet; nobody says which is the wallet. */
async function codesOfBoth(...instructions: TransactionInstruction[]) {
  const { risks } = await asked(unsigned(...instructions), { owner: undefined, recent: [] })
  return risks.filter(({ code }) => code !== 'other_signer').map(({ code }) => code)
}
const by = (signer: PublicKey, program: PublicKey, keys: readonly PublicKey[], ...data: number[][]) => {
  const instruction = ins(program, keys, ...data)
  for (const one of instruction.keys) one.isSigner = one.pubkey.equals(signer)
  return instruction
}

t.test('what another signer gives the payer is judged as what the payer gives', async (t) => {
  const own = ata(FRIEND, MINT)
  const closed = (to: PublicKey) => by(FRIEND, TOKEN, [own, to, FRIEND], [9])
  t.same(await codesOfBoth(closed(FRIEND)), [])
  t.same(await codesOfBoth(closed(OWNER)), ['close_to_stranger'])
  const table = new PublicKey('AddressLookupTab1e1111111111111111111111111')
  t.same(await codesOfBoth(by(FRIEND, table, [THING, FRIEND, OWNER], u32(4))), ['close_to_stranger'])
  const shared = by(FRIEND, TOKEN, [THING, OWNER, OTHER, FRIEND], [9])
  t.same(await codesOfBoth(shared), ['close_to_stranger'], 'as a member of a multisig')
  const swapped = (to: PublicKey) => {
    const accounts = [FRIEND, THING, ata(to, MINT), OTHER, MINT, TOKEN, TOKEN, JUPITER, PLACE, JUPITER]
    const terms = [u64(1_000), u64(900), u16(50), u16(0), u16(0), u32(0)]
    return by(FRIEND, JUPITER, accounts, [0xbb, 0x64, 0xfa, 0xcc, 0x31, 0xc4, 0xaf, 0x14], ...terms)
  }
  t.same(await codesOfBoth(swapped(FRIEND)), [])
  t.same(await codesOfBoth(swapped(OWNER)), ['recipient_unknown'])
})

t.test('a signer of which an account is made may own other things', async (t) => {
  const opened = ins(TOKEN, [THING, MINT], [18], bytesOf(OWNER))
  const taken = by(THING, TOKEN, [ata(THING, MINT), ata(OWNER, MINT), THING], [3], u64(5))
  t.same(await codesOfBoth(made(THING, 165, TOKEN), opened), [])
  t.same(await codesOfBoth(made(THING, 165, TOKEN), opened, taken), ['recipient_unknown'])
})

t.test('a part of a stake may be split off into an account of its rent', async (t) => {
  const split = ins(STAKE, [PLACE, THING, OWNER], u32(3), u64(5))
  const into = (lamports: number) => made(THING, 200, STAKE, OWNER, lamports)
  t.same(await codesOf(into(2_282_880), split), [])
  t.same(await codesOf(into(2_282_880)), ['warning recipient_unknown', 'warning unfinished_account'])
  t.same(await codesOf(into(9_000_000), split), ['warning recipient_unknown'], 'its withdrawer is not shown')
})

t.test('lamports in an account of wrapped SOL are its owner’s', async (t) => {
  const closed = (to: PublicKey) => ins(TOKEN, [THING, to, OWNER], [9])
  t.same(await codesOf(closed(ata(OWNER, WRAPPED))), [])
  t.same(await codesOf(closed(ata(FRIEND, WRAPPED))), [])
  t.same(await codesOf(closed(ata(STRANGER, WRAPPED))), ['danger close_to_stranger'])
  const unwrapped = by(STRANGER, TOKEN, [ata(OWNER, WRAPPED), STRANGER, STRANGER], [45, 0])
  t.same((await codesOf(unwrapped)).at(-1), 'danger close_to_stranger', 'by a delegate')
})

t.test('powers over a mint that is made within the transaction, and that the wallet holds', async (t) => {
  const mint = (who: PublicKey | null) =>
    ins(TOKEN_2022, [MINT], [20, 6], bytesOf(STRANGER), who === null ? [0] : [1, ...bytesOf(who)])
  const zero = [...new Uint8Array(32)]
  const powers: readonly ((who: PublicKey) => TransactionInstruction)[] = [
    mint,
    (who) => ins(TOKEN_2022, [MINT], [25, 1], bytesOf(who)),
    (who) => ins(TOKEN_2022, [MINT], [26, 0, 1], bytesOf(who), [0], u16(50), u64(9)),
    (who) => ins(TOKEN_2022, [MINT], [26, 0, 0, 1], bytesOf(who), u16(50), u64(9)),
    (who) => ins(TOKEN_2022, [MINT], [35], bytesOf(who)),
    (who) => ins(TOKEN_2022, [MINT], [36, 0], bytesOf(who), zero),
    (who) => ins(TOKEN_2022, [MINT], [36, 0], zero, bytesOf(who)),
    (who) => ins(TOKEN_2022, [MINT], [44, 0], bytesOf(who)),
    (who) => ins(TOKEN_2022, [MINT], [46, 0], bytesOf(who)),
  ]
  const opened = (owner: PublicKey) =>
    ins(ASSOCIATED, [STRANGER, OTHER, owner, MINT, SystemProgram.programId, TOKEN_2022], [1])
  for (const [i, power] of powers.entries()) {
    const of = (who: PublicKey, holder: PublicKey) =>
      codesOf(made(MINT, 200, TOKEN_2022, STRANGER), power(who), mint(null), opened(holder)).then((codes) =>
        codes.filter((one) => one.endsWith('token_power')),
      )
    t.same(await of(STRANGER, OWNER), ['warning token_power'], `power ${i}, held by the wallet`)
    t.same(await of(OWNER, OWNER), [], `power ${i}, the wallet's`)
    t.same(await of(STRANGER, STRANGER), [], `power ${i}, held by somebody else`)
    t.same(
      (await codesOf(made(MINT, 200, TOKEN_2022), power(STRANGER))).slice(-1),
      ['warning token_power'],
      `power ${i}, made by the wallet`,
    )
  }
})

t.test("the authority over the metadata of the wallet's mint", async (t) => {
  const shown = (kind: number, who: PublicKey) => ins(TOKEN_2022, [MINT], [kind, 0], bytesOf(who), [0, 0])
  const launched = (one: TransactionInstruction) =>
    codesOf(made(MINT, 200, TOKEN_2022), one, ins(TOKEN_2022, [MINT], [20, 6], bytesOf(OWNER), [0]))
  for (const kind of [33, 39, 40, 41, 43]) {
    t.same(await launched(shown(kind, OWNER)), [])
    t.same(await launched(shown(kind, STRANGER)), ['warning token_power'])
    t.same(await codesOf(ins(TOKEN_2022, [MINT, OWNER], [kind, 1], bytesOf(STRANGER))), [])
  }
})

t.test('a burn that somebody permits destroys as any other', async (t) => {
  const burnt = (kind: number, ...more: number[]) =>
    ins(TOKEN_2022, [ata(OWNER, MINT), MINT, STRANGER, OWNER], [46, kind], u64(5), more)
  for (const one of [burnt(1), burnt(2, 6)]) {
    const { risks, effects } = await asked(unsigned(one))
    t.match(risks, [{ code: 'burn' }])
    t.match(effects.at(-1), { kind: 'destroys', asset: MINT.toBase58(), amount: '5' })
  }
})

t.test('shares of fees are reported, and judged by their sum', async (t) => {
  const mine = ata(OWNER, MINT, TOKEN_2022)
  const sent = (fee: number, to = FRIEND) =>
    ins(TOKEN_2022, [mine, MINT, ata(to, MINT, TOKEN_2022), OWNER], [26, 1], u64(10_000), [6], u64(fee))
  t.same(await codesOf(sent(0)), [])
  t.same(await codesOf(sent(60)), [])
  t.same(await codesOf(sent(60), sent(41)), [], 'payments, each of which pays its own')
  t.same(await codesOf(sent(101)), ['warning high_fee'])
  t.same(await codesOf(sent(60, OWNER), sent(41, OWNER)), ['warning high_fee'])
  t.same(await codesOf(...Array.from({ length: 6 }, () => sent(100, OWNER))), ['danger high_fee'])
  const { effects, summary } = await asked(unsigned(sent(60)))
  t.match(effects.slice(-2), [
    { kind: 'pays', amount: '9940' },
    { kind: 'cost', amount: '60', what: 'transfer fee' },
  ])
  t.match(summary, /pays 60 base units of \w+ as transfer fee/)
})

t.test(
  'what guards a swap is no risk: a transfer to itself, a revocation, closing by the owner alone',
  async (t) => {
    const mine = ata(OWNER, MINT)
    t.same(
      await codesOf(
        ins(TOKEN, [mine, OWNER], [5]),
        ins(TOKEN, [mine, mine, OWNER], [3], u64(5)),
        ins(TOKEN, [mine, MINT, mine, OWNER], [12], u64(5), [6]),
        ins(TOKEN, [mine, OWNER], [6, 3, 0]),
        SystemProgram.transfer({ fromPubkey: OWNER, toPubkey: OWNER, lamports: 9 }),
      ),
      [],
    )
    t.not(
      (await codesOf(ins(TOKEN, [mine, ata(FRIEND, MINT), OWNER], [6, 3, 1], [...FRIEND.toBytes()]))).length,
      0,
    )
  },
)

t.test('each of 24 known addresses is recognized by its token account', async (t) => {
  const known = Array.from({ length: 24 }, (_, i) => key(100 + i))
  const mints = [MINT, OTHER, PLACE, THING]
  const sent = mints.map((mint, i) =>
    ins(TOKEN, [ata(OWNER, mint), mint, ata(known.at(-1 - i)!, mint), OWNER], [12], u64(5), [6]),
  )
  const recent = known.map((one) => one.toBase58())
  t.match(await asked(unsigned(...sent), { recent }), { verdict: 'known' })
  const unchecked = ins(TOKEN, [ata(OWNER, WRAPPED), ata(known.at(-1)!, WRAPPED), OWNER], [3], u64(5))
  t.match(await asked(unsigned(unchecked), { recent }), { verdict: 'known' })
  t.match(await asked(unsigned(paying(ata(known.at(-1)!, WRAPPED))), { recent }), { verdict: 'known' })
})

t.test('a price with bytes behind it is paid as well', async (t) => {
  const budget = new PublicKey('ComputeBudget111111111111111111111111111111')
  const { effects } = await asked(unsigned(ins(budget, [], [3], u64(1_000_000), [0]), paying(FRIEND)))
  t.match(effects[1], { kind: 'cost', amount: '1400000', what: 'priority fee' })
})

t.test('the wallet itself is not a program, and a payer is not an owner', async (t) => {
  const assigned = SystemProgram.assign({ accountPubkey: OWNER, programId: OWNER })
  t.match(await asked(unsigned(assigned)), { verdict: 'danger', risks: [{ code: 'account_assigned' }] })
  const moved = new TransactionInstruction({
    programId: TOKEN,
    keys: [THING, FRIEND].map((pubkey) => ({ pubkey, isSigner: pubkey === FRIEND, isWritable: true })),
    data: Buffer.from([6, 2, 1, ...OWNER.toBytes()]),
  })
  const { risks } = await asked(unsigned(moved), { owner: undefined, recent: [] })
  t.match(
    risks.find(({ code }) => code === 'owner_change'),
    { severity: 'danger' },
  )
})

t.test(
  'a block of the main network: nothing is dangerous but one keeper who collects the rent of others',
  { skip: skipWithout('solana-mainnet-block-254170887.jsonl') },
  async (t) => {
    // Twenty accounts of wallets that pay for it themselves are closed in favour of this one.
    const recent = ['ExxP8D4VqTFhZ6RWjvzqk3pKU3GdYNFHyTHdSQgLcsXn']
    const lines = readVectorLines<{ i: number; base64: string }>('solana-mainnet-block-254170887.jsonl')
    for (const { i, base64 } of lines) {
      const { verdict, risks } = await explain({ chain: 'solana', transaction: base64, recent })
      if (verdict === 'danger') t.fail(`${i}: ${risks.map(({ reason }) => reason)}`)
    }
    t.equal(lines.length, 602)
  },
)
