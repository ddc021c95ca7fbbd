/**
 * Both engines against a validator's own verifier (the Ed25519 precompile in
 * LiteSVM, which is ed25519-dalek's `verify_strict`), against node:crypto, and
 * the pacing of the checks with a clock and a loop moved by hand.
 */

import assert from 'node:assert/strict'
import { sign, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { numberToBytesLE } from '@noble/curves/utils.js'
import { type Address, getTransactionDecoder, lamports } from '@solana/kit'
import { FailedTransactionMetadata, LiteSVM } from 'litesvm'
import t from 'tap'
import { decodeBase58, encodeBase58 } from '../../../../src/chains/solana/base58.ts'
import { isEligible } from '../../../../src/chains/solana/signatures/strict.ts'
import { createSignerCache, type Verifier } from '../../../../src/chains/solana/signatures/verifier.ts'
import { createVerifier } from '../../../../src/chains/solana/signatures/verify.ts'
import { WireTransaction } from '../../../../src/chains/solana/wire.ts'
import { LoopShare } from '../../../../src/flow/loop-share.ts'
import { SignatureChecker } from '../../../../src/relay/submissions/signatures.ts'
import { clockOf } from '../../../fixtures/clock.ts'
import { type Case, KINDS, makeCase, SMALL_ORDER } from '../../../fixtures/ed25519.ts'
import fc from '../../../fixtures/fast-check.ts'
import {
  type Draft,
  keypair,
  PAYER,
  publicKeyObject,
  SECOND,
  SYSTEM_PROGRAM,
  serialize,
  transfer,
  transferV0,
} from '../../../fixtures/transactions.ts'

const ENGINES = ['noble', 'native'] as const
const verifyCase = (verifier: Verifier, { signature, message, publicKey }: Case): boolean =>
  verifier.verify(signature, message, publicKey)
const messages = fc.uint8Array({ minLength: 1, maxLength: 64 })
const { Point } = ed25519
const scalars = fc.bigInt({ min: 1n, max: 2n ** 252n })

const SIGNERS = Array.from({ length: 12 }, (_, i) => keypair(`many ${i}`))
/** As many signatures as a transaction can hold. */
const FULL = transfer({ signers: SIGNERS, others: [SYSTEM_PROGRAM], instructions: [] })

t.test("both engines give the answer of a validator's own verifier", async (t) => {
  const ask = createOracle()
  const seen = new Map<string, number>()
  const verifiers = ENGINES.map((engine) => createVerifier(engine))
  const input = fc.tuple(fc.constantFrom(...KINDS), scalars, scalars, fc.nat(7), messages)
  const property = fc.property(input, ([kind, secret, nonce, torsion, message]) => {
    const made = makeCase(kind, secret, nonce, torsion, message)
    const expected = ask(made)
    seen.set(`${kind} ${expected}`, 1 + (seen.get(`${kind} ${expected}`) ?? 0))
    for (const verifier of verifiers) {
      // A new signer, one seen before, and one with a table.
      for (let sighting = 0; sighting < 3; sighting++) {
        assert.equal(verifyCase(verifier, made), expected)
        verifier.prepareTables()
      }
    }
  })
  fc.assert(property, { numRuns: 300 })
  const kinds = [...KINDS.map((kind) => `${kind} ${kind === 'honest'}`), 'mixed A true']
  for (const kind of kinds) t.ok(seen.has(kind), `tried: ${kind}`)
})

t.test('a returning signer is checked against its own key, before and after its table', async (t) => {
  for (const engine of ENGINES) {
    const verifier = createVerifier(engine)
    const message = Uint8Array.of(1, 2, 3)
    const cases = [7n, 11n, 13n].map((secret) => makeCase('honest', secret, 5n, 0, message))
    for (let round = 0; round < 4; round++) {
      for (const [i, made] of cases.entries()) {
        const other = cases[(i + 1) % cases.length]!
        t.equal(verifyCase(verifier, made), true)
        t.equal(verifyCase(verifier, { ...made, publicKey: other.publicKey }), false)
        t.equal(verifyCase(verifier, { ...made, signature: other.signature }), false)
        t.equal(verifyCase(verifier, { ...made, message: Uint8Array.of(1, 2, 4) }), false)
        verifier.prepareTables()
      }
    }
  }
})

t.test('it agrees with node:crypto on honest signatures and on any bit flipped', async (t) => {
  const { publicKey: key, privateKey } = keypair('honest')
  const publicKey = publicKeyObject(key)
  const message = Buffer.from('a message of some length, to be signed')
  const signature = sign(null, message, privateKey)
  for (const engine of ENGINES) {
    const verifier = createVerifier(engine)
    t.equal(verifier.verify(signature, message, key), true)
    const property = fc.property(
      fc.nat(64 * 8 - 1),
      fc.nat(38 * 8 - 1),
      fc.boolean(),
      (at, atMessage, both) => {
        const flipped = flip(signature, at)
        const text = both ? flip(message, atMessage) : message
        return verifier.verify(flipped, text, key) === verify(null, text, publicKey, flipped)
      },
    )
    fc.assert(property, { numRuns: 100 })
    const inMessage = fc.property(
      fc.nat(38 * 8 - 1),
      (at) => !verifier.verify(signature, flip(message, at), key),
    )
    fc.assert(inMessage, { numRuns: 50 })
  }
})

t.test('points of small order are refused, as key and as nonce, in each of their encodings', async (t) => {
  // Whether node:crypto takes them depends on its version, and the engines must not.
  const message = Uint8Array.of(1)
  const { signature, publicKey } = makeCase('honest', 7n, 5n, 0, message)
  t.equal(isEligible(signature, publicKey), true)
  t.equal(SMALL_ORDER_ENCODINGS.length, 14)
  for (const point of SMALL_ORDER_ENCODINGS) {
    // R = A with S = 0 satisfies the equation for at least one message in eight.
    const forged = Uint8Array.from([...point, ...new Uint8Array(32)])
    t.equal(isEligible(signature, point), false, `key ${hexOf(point)}`)
    t.equal(isEligible(forged, publicKey), false, `nonce ${hexOf(point)}`)
    for (const engine of ENGINES) {
      const verifier = createVerifier(engine)
      for (let text = 0; text < 16; text++) {
        assert.equal(verifier.verify(forged, Uint8Array.of(text), point), false, `${engine} ${hexOf(point)}`)
      }
    }
  }
})

t.test('no bytes make it throw', async (t) => {
  const honest = makeCase('honest', 7n, 5n, 0, Uint8Array.of(1))
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
  for (const engine of ENGINES) {
    const verifier = createVerifier(engine)
    for (const length of [0, 1, 31, 32, 33, 63, 65, 128]) {
      const signature = Uint8Array.from({ length }, (_, i) => honest.signature[i] ?? 0)
      t.equal(verifyCase(verifier, { ...honest, signature }), false)
    }
    for (const length of [0, 1, 31, 33, 64]) {
      t.equal(verifyCase(verifier, { ...honest, publicKey: new Uint8Array(length).fill(9) }), false)
    }
    const property = fc.property(bytes, bytes, bytes, (r, s, publicKey) => {
      const signature = Uint8Array.from([...r, ...s.fill(0, 31)])
      return !verifyCase(verifier, { signature, message: r, publicKey })
    })
    fc.assert(property, { numRuns: 60 })
    verifier.prepareTables()
    t.equal(verifyCase(verifier, honest), true)
  }
})

t.test('signers are forgotten after ten minutes, or when too many others came', async (t) => {
  let now = 1
  const cache = createSignerCache<object>({ maxSigners: 2, clock: clockOf({ now: () => now }) })
  cache.set('a', {})
  now += 600_000
  t.ok(cache.get('a'), 'a sighting within ten minutes renews them')
  now += 600_000
  t.ok(cache.get('a'))
  now += 600_001
  t.equal(cache.get('a'), undefined)
  for (const name of ['a', 'b', 'c']) cache.set(name, {})
  t.same([...cache.keys()].sort(), ['b', 'c'])
})

t.test('a signature that does not hold is not remembered', async (t) => {
  const honest = makeCase('honest', 7n, 5n, 0, Uint8Array.of(1))
  for (const engine of ENGINES) {
    let readings = 0
    const verifier = createVerifier(engine, { maxSigners: 1, clock: clockOf({ now: () => ++readings }) })
    verifyCase(verifier, honest)
    const afterOne = readings
    verifyCase(verifier, makeCase('bit flip', 11n, 5n, 0, Uint8Array.of(1)))
    t.equal(readings, afterOne, 'storing reads the clock')
  }
})

t.test('the first signature that does not hold is named, missing ones before all others', async (t) => {
  const both = { signers: [PAYER, SECOND] }
  const good = parsed(transferV0(both))
  const unsigned = parsed(transfer(both), (bytes) => bytes.fill(0, 65, 129))
  const forged = parsed(transfer(both), (bytes) => bytes.copyWithin(65, 1, 65))
  const swapped = parsed(transfer(both), (bytes) => {
    bytes.set([...bytes.slice(65, 129), ...bytes.slice(1, 65)], 1)
  })
  const altered = parsed(transfer(), (bytes) => bytes.fill(9, bytes.length - 1))
  const verdicts: [WireTransaction[], Awaited<ReturnType<SignatureChecker['findBad']>>][] = [
    [[], null],
    [[good], null],
    [[good, parsed(transfer()), good], null],
    [[unsigned], { code: 'transaction_not_signed', transaction: 0, index: 1 }],
    [[good, unsigned], { code: 'transaction_not_signed', transaction: 1, index: 1 }],
    [[forged], { code: 'signature_invalid', transaction: 0, index: 1 }],
    [[swapped], { code: 'signature_invalid', transaction: 0, index: 0 }],
    [[good, altered, forged], { code: 'signature_invalid', transaction: 1, index: 0 }],
    [[forged, unsigned], { code: 'transaction_not_signed', transaction: 1, index: 1 }],
  ]
  for (const engine of ENGINES) {
    const checker = new SignatureChecker(createVerifier(engine))
    for (const [transactions, verdict] of verdicts) t.same(await checker.findBad(transactions), verdict)
  }
})

t.test('a parsed transaction may be reused as soon as the check was called', async (t) => {
  const bench = createBench()
  const wire = new WireTransaction()
  wire.parse(serialize(FULL))
  const verdict = bench.checker.findBad([wire])
  wire.parse(serialize(transferV0({ signers: [SECOND], readonlySigned: 0 })))
  await bench.run()
  t.equal(await verdict, null)
  t.same(new Set(bench.keys), new Set(SIGNERS.map(({ publicKey }) => encodeBase58(publicKey))))
})

t.test('a single signature waits for nothing', async (t) => {
  const bench = createBench()
  const verdict = bench.checker.findBad([parsed(transfer())])
  t.equal(bench.keys.length, 1)
  t.equal(await verdict, null)
})

t.test(
  'several batches together leave the event loop most of each turn, and none waits for all',
  async (t) => {
    const bench = createBench()
    const batch = Array(10).fill(parsed(FULL))
    const finished: string[] = []
    const watch = (name: string, transactions: WireTransaction[]): Promise<unknown> =>
      bench.checker.findBad(transactions).then(() => finished.push(name))
    const batches = ['a', 'b', 'c'].map((name) => watch(name, batch))
    batches.push(watch('single', [parsed(transfer())]))
    await bench.run()
    await Promise.all(batches)
    t.equal(bench.keys.length, 3 * 120 + 1)
    t.equal(finished[0], 'single')
    t.ok(bench.longestMs <= 2, `${bench.longestMs} ms in one turn`)
    t.ok(bench.turns <= 185, `${bench.turns} turns, of two checks each`)
  },
)

t.test('a caller that waits without spending delays nobody', async (t) => {
  const turns: (() => void)[] = []
  const share = new LoopShare({ nextTurn: (callback) => turns.push(callback) })
  share.spend(2)
  t.equal(share.isUsedUp, true)
  const order: string[] = []
  const waiters = ['a', 'b', 'c'].map((name) => share.wait().then(() => order.push(name)))
  for (let turn = 1; turn <= 3; turn++) {
    t.equal(turns.length, 1, 'one renewal is under way')
    turns.shift()!()
    await Promise.resolve()
    await Promise.resolve()
    t.equal(order.length, turn)
  }
  await Promise.all(waiters)
  t.same(order, ['a', 'b', 'c'])
  t.equal(share.isUsedUp, false)
  t.equal(turns.length, 0, 'and nothing runs on when nobody waits')
})

t.test('with the real clock and loop a batch is checked too', async (t) => {
  const checker = new SignatureChecker(createVerifier('noble'))
  let turns = 0
  const timer = setInterval(() => turns++, 0)
  t.teardown(() => clearInterval(timer))
  t.equal(await checker.findBad(Array(3).fill(parsed(FULL))), null)
  t.ok(turns > 0, 'others had their turn meanwhile')
})

/** Those of SMALL_ORDER with either sign of x, and where y is not reduced. */
const SMALL_ORDER_ENCODINGS = (() => {
  const reduced = SMALL_ORDER.map((point) => point.y)
  const ys = new Set([...reduced, Point.Fp.ORDER, Point.Fp.ORDER + 1n])
  return [...ys].flatMap((y) => [y, y | (1n << 255n)]).map((y) => numberToBytesLE(y, 32))
})()

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

const flip = (bytes: Uint8Array, bit: number): Uint8Array =>
  bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))

function parsed(draft: Draft, spoil: (bytes: Uint8Array) => unknown = () => {}): WireTransaction {
  const bytes = serialize(draft)
  spoil(bytes)
  const wire = new WireTransaction()
  assert.equal(wire.parse(bytes), null)
  return wire
}

/** A checker whose every check takes 0.9 ms of a clock, and turns of a loop that are run by hand. */
function createBench() {
  const keys: string[] = []
  let now = 0
  let turn: (() => void) | null = null
  const verifier: Verifier = {
    verify(_signature, _message, publicKey) {
      now += 0.9
      keys.push(encodeBase58(publicKey))
      return true
    },
    signers: 0,
    prepareTables() {},
  }
  const share = new LoopShare({
    nextTurn(callback) {
      turn = callback
    },
  })
  const bench = {
    checker: new SignatureChecker(verifier, { clock: clockOf({ now: () => now }), share }),
    keys,
    longestMs: 0,
    turns: 0,
    /** Turn until nothing is left to do. */
    async run(): Promise<void> {
      while (turn !== null) {
        const [callback, start] = [turn, now] as const
        turn = null
        callback()
        await new Promise(setImmediate)
        bench.turns++
        bench.longestMs = Math.max(bench.longestMs, now - start)
      }
    },
  }
  return bench
}

/** The Ed25519 precompile, asked through one instruction. Sixteen bytes of offsets come first in its data. */
function createOracle(): (made: Case) => boolean {
  const program = decodeBase58('Ed25519SigVerify111111111111111111111111111', 32)!
  const svm = new LiteSVM().withSigverify(false).withBlockhashCheck(false).withTransactionHistory(0n)
  svm.airdrop(encodeBase58(PAYER.publicKey) as Address, lamports(10_000_000_000n))
  return ({ signature, message, publicKey }) => {
    const here = 0xffff
    const offsets = Uint16Array.of(1, 16, here, 80, here, 112, message.length, here)
    const data = Uint8Array.from([...new Uint8Array(offsets.buffer), ...signature, ...publicKey, ...message])
    const bytes = serialize(
      transfer({ others: [program], instructions: [{ program: 1, accounts: [], data }] }),
    )
    const outcome = svm.sendTransaction(getTransactionDecoder().decode(bytes))
    if (!(outcome instanceof FailedTransactionMetadata)) return true
    // PrecompileError's InvalidSignature or InvalidPublicKey; anything else is a fault of the question.
    assert.match(outcome.toString(), /InstructionError\(0, Custom\((2|0)\)\)/)
    return false
  }
}
