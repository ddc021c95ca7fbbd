import { Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import t from 'tap'
import { explain } from '../../../src/proof/explain/explain.ts'
import { readVectorLines, skipWithout } from '../../fixtures/vectors.ts'

const key = (n: number) => Keypair.fromSeed(new Uint8Array(32).fill(n)).publicKey
const [OWNER, FRIEND, STRANGER] = [key(1), key(2), key(3)]

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

t.test('a transfer in words and in data; who receives is known to the wallet or not', async (t) => {
  t.match(await asked(unsigned(paying(FRIEND))), {
    verdict: 'known',
    owner: OWNER.toBase58(),
    actions: [
      {
        kind: 'transfer',
        words: `sends 5 lamports to ${FRIEND.toBase58()}`,
        program: SystemProgram.programId.toBase58(),
        asset: 'native',
        amount: '5',
        from: OWNER.toBase58(),
        to: FRIEND.toBase58(),
        spender: null,
      },
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

t.test('whom the operator refuses, and who looks like somebody else', async (t) => {
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
