/** The compiler of messages against web3.js's, byte for byte, and what it does that web3.js has no word for. */

import {
  AddressLookupTableAccount,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import type { Arbitrary } from 'fast-check'
import t from 'tap'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { compileTransaction, type MessageParts } from '../../../src/chains/solana/message.ts'
import { WireTransaction } from '../../../src/chains/solana/wire.ts'
import fc from '../../fixtures/fast-check.ts'

/** The nth of a small world of accounts, so that they repeat. */
const addressOf = (nth: number): string => encodeBase58(new Uint8Array(32).fill(nth + 1))
const PAYER = addressOf(200)
const ACCOUNTS = 40

const address = fc.integer({ min: 0, max: ACCOUNTS - 1 }).map(addressOf)
const parts: Arbitrary<MessageParts> = fc.record({
  payer: fc.constant(PAYER),
  instructions: fc.array(
    fc.record({
      program: fc.integer({ min: 100, max: 104 }).map(addressOf),
      accounts: fc.array(
        fc.record({
          address: fc.oneof({ weight: 9, arbitrary: address }, { weight: 1, arbitrary: fc.constant(PAYER) }),
          isSigner: fc.integer({ min: 0, max: 15 }).map((dice) => dice === 0),
          isWritable: fc.boolean(),
        }),
        { maxLength: 10 },
      ),
      data: fc.uint8Array({ maxLength: 150 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  tables: fc
    .uniqueArray(fc.array(address, { maxLength: 30 }), { maxLength: 3, selector: (table) => table })
    .map((tables) => Object.fromEntries(tables.map((held, nth) => [addressOf(150 + nth), held]))),
  pinned: fc.constant(new Set<string>()),
  blockhash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
})

function byWeb3({ payer, instructions, tables, blockhash }: MessageParts): Buffer | null {
  const message = new TransactionMessage({
    payerKey: new PublicKey(payer),
    recentBlockhash: encodeBase58(blockhash),
    instructions: instructions.map(
      ({ program, accounts, data }) =>
        new TransactionInstruction({
          programId: new PublicKey(program),
          keys: accounts.map(({ address, isSigner, isWritable }) => ({
            pubkey: new PublicKey(address),
            isSigner,
            isWritable,
          })),
          data: Buffer.from(data),
        }),
    ),
  }).compileToV0Message(
    Object.entries(tables).map(
      ([key, held]) =>
        new AddressLookupTableAccount({
          key: new PublicKey(key),
          state: {
            deactivationSlot: 2n ** 64n - 1n,
            lastExtendedSlot: 0,
            lastExtendedSlotStartIndex: 0,
            addresses: held.map((one) => new PublicKey(one)),
          },
        }),
    ),
  )
  try {
    return Buffer.from(new VersionedTransaction(message).serialize())
  } catch {
    return null // the message alone is larger than a packet
  }
}

t.test('the same bytes as by web3.js, which a validator takes', async () => {
  const wire = new WireTransaction()
  let [tried, compared] = [0, 0]
  fc.assert(
    fc.property(parts, (message) => {
      tried++
      const theirs = byWeb3(message)
      const ours = compileTransaction(message)!
      if (theirs === null) return ours.length > 1_232
      compared++
      // web3.js bounds the message, and not the transaction around it.
      const isTooLarge = ours.length > 1_232
      return ours.equals(theirs) && (isTooLarge || wire.parse(ours) === null || wire.requiredSignatures > 12)
    }),
    { numRuns: 300 },
  )
  t.ok(compared > tried / 4, `${compared} of ${tried} fit into a packet`)
})

t.test('a pinned account, a signer and a program are in the bytes, whatever the tables hold', async (t) => {
  fc.assert(
    fc.property(parts, fc.array(address, { maxLength: 5 }), (message, pinned) => {
      const bytes = compileTransaction({ ...message, pinned: new Set(pinned) })!
      if (bytes.length > 1_232) return true
      const wire = new WireTransaction()
      if (wire.parse(bytes) !== null) return false
      const fixed = new Set(Array.from({ length: wire.keyCount }, (_, i) => encodeBase58(wire.key(i))))
      const used = message.instructions.flatMap(({ accounts }) => accounts)
      return (
        message.instructions.every(({ program }) => fixed.has(program)) &&
        used.every(({ address, isSigner }) => !(isSigner || pinned.includes(address)) || fixed.has(address))
      )
    }),
  )
  const one = { address: addressOf(1), isSigner: false, isWritable: true }
  const message: MessageParts = {
    payer: PAYER,
    instructions: [{ program: addressOf(100), accounts: [one], data: new Uint8Array(0) }],
    tables: { [addressOf(150)]: [addressOf(7), one.address], [addressOf(151)]: [one.address] },
    pinned: new Set(),
    blockhash: new Uint8Array(32),
  }
  const wire = new WireTransaction()
  t.equal(wire.parse(compileTransaction(message)!), null)
  t.match(
    wire.lookups().map(({ table, writable }) => [encodeBase58(table), [...writable]]),
    [[addressOf(150), [1]]],
    'the first table that holds it, and no table for nothing',
  )
  t.equal(wire.parse(compileTransaction({ ...message, pinned: new Set([one.address]) })!), null)
  t.same(wire.lookups(), [])
})

t.test('more accounts than an index can name, in a message or a table', async (t) => {
  const held = Array.from({ length: 300 }, (_, nth) =>
    encodeBase58(Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 9 : i === 1 ? nth >> 8 : nth & 0xff))),
  )
  const message = (accounts: readonly string[]): MessageParts => ({
    payer: PAYER,
    instructions: [
      {
        program: addressOf(100),
        accounts: accounts.map((address) => ({ address, isSigner: false, isWritable: false })),
        data: new Uint8Array(0),
      },
    ],
    tables: { [addressOf(150)]: held },
    pinned: new Set(),
    blockhash: new Uint8Array(32),
  })
  t.ok(compileTransaction(message(held.slice(0, 254))), 'with the payer and the program 256')
  t.equal(compileTransaction(message(held.slice(0, 255))), null)
  const wire = new WireTransaction()
  t.equal(wire.parse(compileTransaction(message([held[255]!, held[256]!]))!), null)
  t.same([...wire.lookups()[0]!.readonly], [255])
  t.same(wire.key(2), decodeBase58(held[256]!, 32), 'a place in a table that no byte can name is none')
})
