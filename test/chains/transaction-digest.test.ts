import {
  AddressLookupTableAccount,
  Keypair,
  type PublicKey,
  SystemProgram,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import t from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { changesBetween, evmDigest, messageOf, solanaForm } from '../../src/chains/transaction-digest.ts'
import { builtHonestly } from '../fixtures/built.ts'
import { guard, rewritten, SOLANA_FORMS } from '../fixtures/solana-forms.ts'

const KEY = new Uint8Array(32).fill(7)
const key = (seed: number): PublicKey => Keypair.fromSeed(new Uint8Array(32).fill(seed)).publicKey
const [PAYER, FRIEND, OTHER, TABLE, TABLE_2] = [1, 2, 3, 4, 5].map(key) as [
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
  PublicKey,
]

interface Terms {
  readonly payer: PublicKey
  readonly to: PublicKey
  readonly lamports: number
  readonly blockhash: string
  readonly table: PublicKey
}
const TERMS: Terms = {
  payer: PAYER,
  to: FRIEND,
  lamports: 7,
  blockhash: '4sGjMW1sUnHzSxGspuhpqLDx6wiyjNtZAMdL4VZHirAn',
  table: TABLE,
}

/** A transfer to an account of a lookup table, by web3.js. */
function composed({ payer, to, lamports, blockhash, table }: Terms) {
  const addresses = [OTHER, FRIEND]
  const state = {
    deactivationSlot: 2n ** 64n - 1n,
    lastExtendedSlot: 0,
    lastExtendedSlotStartIndex: 0,
    addresses,
  }
  const message = new TransactionMessage({
    payerKey: payer,
    recentBlockhash: blockhash,
    instructions: [SystemProgram.transfer({ fromPubkey: payer, toPubkey: to, lamports })],
  }).compileToV0Message([new AddressLookupTableAccount({ key: table, state })])
  const wire = new WireTransaction()
  t.equal(wire.parse(new VersionedTransaction(message).serialize()), null)
  const json = {
    accountKeys: message.staticAccountKeys.map(String),
    recentBlockhash: message.recentBlockhash,
    instructions: message.compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
      programIdIndex,
      accounts: accountKeyIndexes,
      data: encodeBase58(data),
      stackHeight: null,
    })),
    addressTableLookups: message.addressTableLookups.map(({ accountKey, ...indexes }) => ({
      accountKey: String(accountKey),
      ...indexes,
    })),
  }
  return { built: solanaForm(messageOf(wire)).digest, seen: solanaForm(json).digest }
}

t.test('a Solana transaction as bytes and as a node reports it has one digest', async (t) => {
  const { built, seen } = composed(TERMS)
  t.equal(built, seen)
  t.equal(built.length, 32)
  const changes: Partial<Terms>[] = [{ payer: OTHER }, { to: OTHER }, { lamports: 8 }, { table: TABLE_2 }]
  const others = changes.map((change) => {
    const { built, seen } = composed({ ...TERMS, ...change })
    t.equal(built, seen)
    return built
  })
  t.equal(new Set([built, ...others]).size, 5, 'whatever is changed is another')
  t.equal(
    composed({ ...TERMS, blockhash: TERMS.blockhash.replace('4', '5') }).built,
    built,
    'wallets set a fresh one',
  )
})

t.test('what a wallet adds to a Solana transaction leaves its digest, and is named', async (t) => {
  const [honest] = (await builtHonestly()).filter(({ route }) => route.title === 'jupiter, SOL for USDC')
  const { solanaTransaction, from } = honest!.answer as { solanaTransaction: string; from: string }
  const formOf = (base64: string) => {
    const wire = new WireTransaction()
    t.equal(wire.parse(Buffer.from(base64, 'base64')), null)
    return solanaForm(messageOf(wire))
  }
  const built = formOf(solanaTransaction)
  const mints = [
    'So11111111111111111111111111111111111111112',
    'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  ]
  const expected: Readonly<Record<string, readonly string[]>> = {
    'Phantom, untouched': [],
    'Phantom, with guards before and after': ['guards'],
    'Solflare, with two guards at the end': ['guards'],
    'Backpack, with a price of its own': ['compute_price', 'compute_limit'],
    'a mobile wallet, with another price and a memo': ['compute_price', 'compute_limit', 'memo'],
    'Ledger, after minutes': ['blockhash'],
    'MPC, on a durable nonce': ['nonce'],
  }
  for (const [name, form] of Object.entries(SOLANA_FORMS)) {
    const { digest, edits } = formOf(rewritten(solanaTransaction, KEY, form(solanaTransaction, from, mints)))
    t.equal(digest, built.digest, name)
    t.same(changesBetween(built.edits, edits), expected[name], name)
  }
  const others = [{ after: [guard(0, 20, from)] }, { keep: (_: unknown, i: number) => i > 2 }]
  for (const other of others) t.not(formOf(rewritten(solanaTransaction, KEY, other)).digest, built.digest)
})

t.test('a call on an EVM chain, in whatever case', async (t) => {
  const call = { chainId: 1, from: '0xAb', to: '0xCd', data: '0xEf', value: 5n }
  const digest = evmDigest(call)
  t.equal(evmDigest({ ...call, from: '0xab', to: '0xcD', data: '0xeF' }), digest)
  const changes = [{ chainId: 2 }, { from: '0xac' }, { to: '0xce' }, { data: '0xefef' }, { value: 6n }]
  const others = changes.map((change) => evmDigest({ ...call, ...change }))
  t.equal(new Set([digest, ...others]).size, 6)
})
