/** A pasted transaction, judged in the page as the relay judges it: no browser is needed to see it. */

import t from 'tap'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { COMPUTE_BUDGET_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { describe } from '../../../src/clients/console/views/relay/describe.ts'
import { settingOf } from '../../../src/clients/console/views/relay/programs.ts'
import { predict, readTransaction } from '../../../src/clients/console/views/relay/read.ts'
import { describeRefusal } from '../../../src/relay/submissions/refusals.ts'
import fc from '../../fixtures/fast-check.ts'
import { call, listen } from '../../fixtures/gateway.ts'
import {
  DESTINATION,
  drafts,
  mutations,
  PAYER,
  serialize,
  transfer,
  transferV0,
} from '../../fixtures/transactions.ts'
import { type DraftV1, serializeV1, transferV1 } from '../../fixtures/transactions-v1.ts'
import { readVectors, skipWithout } from '../../fixtures/vectors.ts'

const FILE = 'solana-malformed.json'
/** No budget is used up by what a test sends. */
const AMPLE = { LIMITS: 'rpcSend=100000/100000,refused=off' }

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')

/** What the relay says of it: the code of its own refusal, or null if it forwarded it, whatever nodes said. */
async function relayed(url: string, text: string, options: object): Promise<string | null> {
  const response = await call(url, 'sendTransaction', [text, options])
  const { code } = (await response.json()) as { code?: string }
  return code ?? null
}

t.test('it is read in each encoding, by itself where none is named', async (t) => {
  const bytes = serialize(transfer())
  const texts = {
    base64: base64(bytes),
    base58: encodeBase58(bytes),
    hex: Buffer.from(bytes).toString('hex'),
  }
  for (const [encoding, text] of Object.entries(texts)) {
    const reading = readTransaction(` ${text}\n`, null)
    t.equal(reading.encoding, encoding)
    t.equal(reading.refusal, null)
    t.same(reading.bytes, bytes)
    t.equal(reading.sent.encoding, encoding === 'base58' ? 'base58' : 'base64')
  }
  t.equal(readTransaction(`0x${texts.hex}`, 'hex').refusal, null)
  t.equal(readTransaction('what is this?', null).refusal?.code, 'transaction_encoding_invalid')
  t.equal(readTransaction(texts.base64, 'hex').refusal?.code, 'transaction_encoding_invalid')
})

t.test(
  'what is said of it is what the relay says, of every spoilt transaction',
  { skip: skipWithout(FILE) },
  async (t) => {
    const { url } = await listen(t, AMPLE)
    const { cases } = readVectors<{ cases: { id: string; base64: string }[] }>(FILE)
    t.equal(cases.length, 59)
    let refused = 0
    for (const { id, base64: text } of cases) {
      const predicted = readTransaction(text, 'base64').refusal?.code ?? null
      const answered = await relayed(url, text, { encoding: 'base64' })
      if (predicted !== null) refused++
      if (predicted === null) t.ok(answered === null || !isRefusal(answered), `${id}: ${answered}`)
      else t.equal(predicted, answered, id)
    }
    t.ok(refused > 30)
  },
)

t.test('and of accidents to transactions of all forms, in both encodings', async (t) => {
  const { url } = await listen(t, AMPLE)
  let [tried, refused] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      drafts,
      mutations,
      fc.constantFrom('base64', 'base58'),
      async (draft, mutate, encoding) => {
        tried++
        const bytes = mutate(serialize(draft))
        const text = encoding === 'base64' ? base64(bytes) : encodeBase58(bytes)
        const predicted = readTransaction(text, encoding as 'base64' | 'base58').refusal?.code ?? null
        const answered = await relayed(url, text, { encoding })
        if (predicted !== null) refused++
        return predicted === null ? answered === null || !isRefusal(answered) : predicted === answered
      },
    ),
    { numRuns: 200 },
  )
  t.ok(refused > tried / 4, `${refused} of ${tried} were refused`)
})

/** Whether it is a code that the bytes alone are refused by. */
function isRefusal(code: string): boolean {
  return typeof describeRefusal(code as Parameters<typeof describeRefusal>[0]) === 'string'
}

t.test(
  'an option that the relay refuses is told of in its turn: behind the form, before the signatures',
  async (t) => {
    const { url } = await listen(t, AMPLE)
    const good = serialize(transfer())
    const unsigned = good.map((byte, i) => (i >= 1 && i < 65 ? 0 : byte))
    for (const [bytes, expected] of [
      [good, 'preflight_required'],
      [unsigned, 'preflight_required'],
      [good.subarray(0, 100), 'transaction_truncated'],
    ] as const) {
      const predicted = predict(readTransaction(base64(bytes), 'base64'), true)
      t.equal(predicted?.code, expected)
      const options = { encoding: 'base64', skipPreflight: true }
      const response = await call(url, 'sendTransaction', [base64(bytes), options])
      const { code, error } = (await response.json()) as { code: string; error: string }
      t.same({ code, message: error }, predicted)
    }
  },
)

t.test('who signs, pays and writes, and the looked-up accounts', async (t) => {
  const { wire } = readTransaction(base64(serialize(transferV0())), null)
  const { version, keys, steps, tables } = describe(wire!)
  t.equal(version, 'version 0')
  t.same(
    keys.map(({ roles }) => roles),
    [
      ['fee payer', 'signer', 'writable'],
      ['writable'],
      ['read-only', 'program'],
      ['writable', 'looked up'],
      ['read-only', 'looked up'],
      ['read-only', 'looked up'],
    ],
  )
  t.match(keys[3]!.address, /^entry 3 of table /)
  t.match(tables, [{ writable: [3], readonly: [5, 250] }])
  t.match(steps, [
    { programName: 'System program', setting: null, data: /^02000000/, accounts: { length: 2 } },
  ])
  t.equal(steps[0]!.accounts[0], encodeBase58(PAYER.publicKey))
  t.equal(steps[0]!.accounts[1], encodeBase58(DESTINATION))
  t.equal(describe(wire!).budget, null)
})

t.test('version 1 has its compute budget in the message, and no lookup tables', async (t) => {
  const of = (changes: Partial<DraftV1>, maxV1Bytes?: number) =>
    readTransaction(base64(serializeV1(transferV1(changes))), null, maxV1Bytes)
  const reading = of({ mask: 31, values: [5_000, 0, 200_000, 65_536, 32_768] })
  t.match(reading, { refusal: null, signatures: ['holds'], isDurableNonce: false, maxBytes: 1_232 })
  const description = describe(reading.wire!)
  t.match(description, {
    version: 'version 1',
    tables: { length: 0 },
    messageBytes: reading.bytes!.length - 64,
  })
  t.equal(
    description.budget,
    'Priority fee of 0.000005 SOL; At most 200,000 compute units; Load at most 65,536 bytes; Heap of 32,768 bytes',
  )
  t.equal(describe(of({ mask: 0, values: [] }).wire!).budget, 'At most 0 compute units')

  const budget = decodeBase58(COMPUTE_BUDGET_PROGRAM, 32)!
  const limit = { program: 1, accounts: [], data: Uint8Array.of(2, 1, 0, 0, 0) }
  const ignored = of({ others: [budget], instructions: [limit] })
  t.match(describe(ignored.wire!).steps[0]!.setting, /^Ignored: /)

  const long = { instructions: [{ program: 2, accounts: [], data: new Uint8Array(1_200) }] }
  t.equal(of(long).refusal?.code, 'transaction_too_large')
  t.match(of(long, 4_096), { refusal: null, maxBytes: 4_096 })
})

t.test(
  'what instructions set of the compute budget, and bytes that fit nothing are not guessed at',
  async (t) => {
    const of = (...data: number[]) => settingOf(Uint8Array.from(data))
    t.equal(of(1, 0, 128, 0, 0), 'Heap of 32,768 bytes')
    t.equal(of(2, 192, 92, 21, 0), 'At most 1,400,000 compute units')
    t.equal(
      of(3, 255, 255, 255, 255, 255, 255, 255, 255),
      '18,446,744,073,709,551,615 micro-lamports for each compute unit',
    )
    t.equal(of(4, 255, 255, 255, 255), 'Load at most 4,294,967,295 bytes')
    for (const data of [[], [2], [2, 1, 0, 0], [2, 1, 0, 0, 0, 0], [3, 1, 0, 0, 0], [5, 1, 0, 0, 0]])
      t.equal(of(...data), null, String(data))
  },
)
