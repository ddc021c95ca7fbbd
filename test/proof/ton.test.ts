import fc from 'fast-check'
import t from 'tap'
import { findChain } from '../../src/chains/find.ts'
import type { GatewayError } from '../../src/errors.ts'
import { crc32c, parseBoc } from '../../src/proof/boc.ts'
import { proveTon, type TonRules } from '../../src/proof/ton.ts'
import type { BuildOrder, TonMessage } from '../../src/providers/provider.ts'
import { contractAddress, transferBody } from '../../src/sandbox/swap/ton.ts'
import { clockOf } from '../fixtures/clock.ts'

const NOW = Date.UTC(2026, 10, 21)
const NOW_SECONDS = NOW / 1_000
const CHAIN = findChain('ton')!
const FROM = contractAddress('somebody')
const TO = contractAddress('a vault')
const PTON_V1 = 'EQARULUYsmJq1RiZ-YiH-IJLcAZUVkVff-KBPwEmmaQGH6aC'

const TON = { address: 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c', isNative: true, decimals: 9 }
const USDT = { address: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs', isNative: false, decimals: 6 }

// As a wallet's public test has it (TestSignMultiTransfer): a pTON v1 transfer, two cells with a checksum.
const REAL =
  'te6cckEBAgEAigABaw+KfqUAAABqOXlveTmJaAgA7zuZAqJxsqAciTilI8/iTnGEeq62piAAHtRKd6wOcJwQLBuBAwEAnSWThWGAHIXiG4S2uBKfvTnDWV0CiqXAwDzv4KIacQogkCmsj0NuCxykPOZl3QAo0GtsbOJdNcL0J61peOgcvbzLsvXBsnC6HO6YLfLMvtDoIHzZ'

const buyOrder: BuildOrder = {
  chain: CHAIN,
  side: 'buy',
  tokenIn: TON,
  tokenOut: USDT,
  amountIn: 12_500_000_000n,
  slippageBps: 300,
  from: FROM,
}
const sellOrder: BuildOrder = {
  ...buyOrder,
  side: 'sell',
  tokenIn: USDT,
  tokenOut: TON,
  amountIn: 5_000_000n,
}

const buyMessage: TonMessage = {
  to: TO,
  value: '12815000000',
  payload: transferBody(true, 7n, 12_500_000_000n),
  stateInit: null,
  validUntil: NOW_SECONDS + 300,
  from: FROM,
}
const sellMessage: TonMessage = {
  ...buyMessage,
  value: '300000000',
  payload: transferBody(false, 7n, 5_000_000n),
}

const prove = (message: Partial<TonMessage>, order: BuildOrder, rules: TonRules = {}) =>
  proveTon({ ...(order === sellOrder ? sellMessage : buyMessage), ...message }, order, {
    clock: clockOf({ date: () => NOW }),
    ...rules,
  })

function ruleOf(message: Partial<TonMessage>, order: BuildOrder, rules: TonRules = {}): string {
  try {
    prove(message, order, rules)
    return 'accepted'
  } catch (error) {
    const { code, status, fields } = error as GatewayError
    return code === 'material_refused' && status === 502 ? fields.rule! : String(error)
  }
}

/** A bag of one cell with this data, of whole bytes, and no checksum. */
const bag = (data: string): string => {
  const bytes = Buffer.from(data, 'hex')
  const cell = Buffer.concat([Buffer.from([0, 2 * bytes.length]), bytes])
  const header = Buffer.from([0xb5, 0xee, 0x9c, 0x72, 1, 1, 1, 1, 0, cell.length, 0])
  return Buffer.concat([header, cell]).toString('base64')
}

t.test('good messages are proved, and the result says what was', async (t) => {
  t.strictSame(prove({}, buyOrder), {
    checks: ['sender', 'to', 'value', 'payload', 'operation', 'state_init', 'valid_until'],
    sender: FROM,
    to: TO,
    value: '12815000000',
    gas: '315000000',
    jettonAmount: null,
    payloadBytes: 35,
  })
  t.strictSame(prove({}, sellOrder), {
    checks: ['sender', 'to', 'value', 'payload', 'operation', 'jetton_amount', 'state_init', 'valid_until'],
    sender: FROM,
    to: TO,
    value: '300000000',
    gas: '300000000',
    jettonAmount: '5000000',
    payloadBytes: 33,
  })
})

t.test('what is harmless is accepted', async (t) => {
  const friendly = Buffer.from(FROM, 'base64url')
  const raw = `0:${friendly.toString('hex', 2, 34)}`
  const cases: [why: string, message: Partial<TonMessage>, order: BuildOrder, rules?: TonRules][] = [
    ['another spelling of the sender', { from: raw }, buyOrder],
    ['the exact amount without gas', { value: '12500000000' }, buyOrder],
    ['gas up to the cap', { value: '13500000000' }, buyOrder],
    ['gas up to another cap', { value: '12500000005' }, buyOrder, { maxGas: 5n }],
    ['a place on the list', {}, buyOrder, { allowed: new Set([TO]) }],
    ['less of the jetton', { payload: transferBody(false, 7n, 4_999_999n) }, sellOrder],
    ['a burn of the jetton', { payload: bag(`595f07bc0000000000000007${'34c4b400'}`) }, sellOrder],
    ['a payload without an operation', { payload: 'te6cckEBAQEAAgAAAEysuc0=' }, buyOrder],
    ['a state init', { stateInit: 'te6cckEBAQEAAgAAAEysuc0=' }, buyOrder],
    ['a jetton transfer to a pTON wallet', { to: PTON_V1, payload: REAL }, buyOrder],
    ['the longest time', { validUntil: NOW_SECONDS + 900 }, buyOrder],
  ]
  for (const [why, message, order, rules] of cases) t.equal(ruleOf(message, order, rules), 'accepted', why)
})

t.test('every mutation is refused with its rule', async (t) => {
  const flip = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
  const cases: [rule: string, message: Partial<TonMessage>, order: BuildOrder, rules?: TonRules][] = [
    ['sender', { from: TO }, buyOrder],
    ['sender', { from: '' }, buyOrder],
    ['sender', { from: flip(FROM, 20) }, buyOrder],
    ['to', { to: 'native' }, buyOrder],
    ['to', { to: '' }, buyOrder],
    ['to', { to: flip(TO, 20) }, buyOrder],
    ['to', { to: TON.address }, buyOrder],
    ['to', { to: FROM }, buyOrder],
    ['to', {}, buyOrder, { allowed: new Set([PTON_V1]) }],
    ['value', { value: '12499999999' }, buyOrder],
    ['value', { value: '13500000001' }, buyOrder],
    ['value', { value: '0' }, sellOrder],
    ['value', { value: '1000000001' }, sellOrder],
    ['value', { value: '-1' }, sellOrder],
    ['value', { value: '0x1' }, sellOrder],
    ['value', { value: '1e8' }, sellOrder],
    ['value', { value: '' }, sellOrder],
    ['value', { value: '300000001' }, sellOrder, { maxGas: 300_000_000n }],
    ['payload', { payload: '' }, buyOrder],
    ['payload', { payload: 'no base64!' }, buyOrder],
    ['payload', { payload: `${buyMessage.payload}AAAA` }, buyOrder],
    ['payload', { payload: buyMessage.payload.replaceAll('+', '-').slice(0, -4) }, buyOrder],
    ['payload', { payload: Buffer.from(buyMessage.payload, 'base64').toString('hex') }, buyOrder],
    ['payload', { payload: 'A'.repeat(87_388) }, buyOrder],
    // A message that sells TON must not move what else the wallet holds.
    ['operation', { payload: transferBody(false, 7n, 1n) }, buyOrder],
    ['operation', { payload: REAL }, buyOrder],
    ['operation', { payload: bag('595f07bc00000000000000071000') }, buyOrder],
    ['operation', { payload: bag('5fcc3d1400000000000000071000') }, buyOrder],
    ['operation', { payload: transferBody(true, 7n, 5_000_000n) }, sellOrder],
    ['operation', { payload: 'te6cckEBAQEAAgAAAEysuc0=' }, sellOrder],
    ['jetton_amount', { payload: transferBody(false, 7n, 5_000_001n) }, sellOrder],
    ['jetton_amount', { payload: transferBody(false, 7n, 1n << 119n) }, sellOrder],
    ['jetton_amount', { payload: transferBody(false, 7n, 0n) }, sellOrder],
    ['jetton_amount', { payload: bag('0f8a7ea50000000000000007') }, sellOrder],
    ['jetton_amount', { payload: bag('0f8a7ea5000000000000000734c4') }, sellOrder],
    ['state_init', { stateInit: '' }, buyOrder],
    ['state_init', { stateInit: 'AAAA' }, buyOrder],
    ['valid_until', { validUntil: NOW_SECONDS }, buyOrder],
    ['valid_until', { validUntil: NOW_SECONDS - 1 }, buyOrder],
    ['valid_until', { validUntil: NOW_SECONDS + 901 }, buyOrder],
    // The vendor's sample has milliseconds.
    ['valid_until', { validUntil: NOW + 300_000 }, buyOrder],
    ['valid_until', { validUntil: NOW_SECONDS + 0.5 }, buyOrder],
    ['valid_until', { validUntil: Number.NaN }, buyOrder],
  ]
  for (const [i, [rule, message, order, rules]] of cases.entries()) {
    t.equal(ruleOf(message, order, rules), rule, `${i}: ${rule}`)
  }
})

t.test('the jetton amount is read from the bits, whatever its length', async () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: (1n << 120n) - 1n }), (amount) => {
      const message = { payload: transferBody(false, 7n, amount) }
      const order = { ...sellOrder, amountIn: amount }
      return (
        proveTon({ ...sellMessage, ...message }, order, { clock: clockOf({ date: () => NOW }) })
          .jettonAmount === amount.toString() &&
        (amount === 1n || ruleOf(message, sellOrder) === (amount > 5_000_000n ? 'jetton_amount' : 'accepted'))
      )
    }),
  )
})

t.test('a bag of cells is accepted as it was published', async (t) => {
  t.equal(crc32c(Buffer.from('123456789')), 0xe3069283, 'RFC 3720 B.4, check value')
  t.strictSame(parseBoc(Buffer.from('te6cckEBAQEAAgAAAEysuc0=', 'base64')), {
    data: Buffer.alloc(0),
    references: 0,
  })
  const root = parseBoc(Buffer.from(REAL, 'base64'))!
  t.equal(root.references, 1)
  t.equal(root.data.toString('hex', 0, 4), '0f8a7ea5')
})

t.test('a bag that is cut short, or has one byte changed or added, is refused', async (t) => {
  const real = Buffer.from(REAL, 'base64')
  for (let end = 0; end < real.length; end++) t.equal(parseBoc(real.subarray(0, end)), null, `${end} bytes`)
  t.equal(parseBoc(Buffer.concat([real, Buffer.from([0])])), null)
  fc.assert(
    fc.property(fc.nat(real.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
      const changed = Buffer.from(real)
      changed[at]! ^= mask
      // Only the flag that drops the checksum could hide a change, and then four bytes are too many.
      return parseBoc(changed) === null
    }),
  )
})

t.test('every field of a bag is checked, with a checksum or without', async (t) => {
  const cases: [why: string, hex: string, isBag: boolean][] = [
    ['one empty cell', 'b5ee9c72 0101 010100 02 00 0000', true],
    ['with an index', 'b5ee9c72 8101 010100 02 00 02 0000', true],
    ['two cells', 'b5ee9c72 0101 020100 05 00 010001 0000', true],
    ['sizes of two bytes', 'b5ee9c72 0202 000100010000 0002 0000 0000', true],
    ['bits that end inside a byte', 'b5ee9c72 0101 010100 03 00 000180', true],
    ['an exotic child', 'b5ee9c72 0101 020100 07 00 010001 080401ff', true],
    ['another magic', '68ff65f3 0101 010100 02 00 0000', false],
    ['a reserved flag', 'b5ee9c72 0901 010100 02 00 0000', false],
    ['sizes of no byte', 'b5ee9c72 0001 010100 02 00 0000', false],
    ['sizes of five bytes', 'b5ee9c72 0501 010100 02 00 0000', false],
    ['offsets of no byte', 'b5ee9c72 0100 010100 02 00 0000', false],
    ['offsets of seven bytes', 'b5ee9c72 0107 010100 00000000000002 00 0000', false],
    ['no cell', 'b5ee9c72 0101 000100 00 00', false],
    ['more cells than there are', 'b5ee9c72 0101 020100 02 00 0000', false],
    ['more cells than a message has', 'b5ee9c72 0202 200100010000 0002 0000 0000', false],
    ['two roots', 'b5ee9c72 0101 020200 04 00 0000 0000', false],
    ['an absent cell', 'b5ee9c72 0101 010101 02 00 0000', false],
    ['a root that is not the first', 'b5ee9c72 0101 020100 05 01 010001 0000', false],
    ['a wrong total', 'b5ee9c72 0101 010100 03 00 0000', false],
    ['five references', 'b5ee9c72 0101 020100 09 00 05000101010101 0000', false],
    ['a reference to itself', 'b5ee9c72 0101 010100 03 00 010000', false],
    ['a reference backwards', 'b5ee9c72 0101 020100 06 00 010001 010000', false],
    ['a reference to nowhere', 'b5ee9c72 0101 010100 03 00 010001', false],
    ['data beyond the end', 'b5ee9c72 0101 010100 03 00 000400', false],
    ['bits without their end', 'b5ee9c72 0101 010100 03 00 000100', false],
    ['an exotic root', 'b5ee9c72 0101 010100 04 00 080401ff', false],
    ['an exotic child without a type', 'b5ee9c72 0101 020100 05 00 010001 0800', false],
    ['stored hashes', 'b5ee9c72 0101 010100 02 00 1000', false],
    ['a byte behind the cells', 'b5ee9c72 0101 010100 03 00 0000 00', false],
  ]
  for (const [why, hex, isBag] of cases) {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    t.equal(parseBoc(bytes) !== null, isBag, why)
    bytes[4]! |= 0x40
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32LE(crc32c(bytes))
    t.equal(parseBoc(Buffer.concat([bytes, checksum])) !== null, isBag, `${why}, with a checksum`)
  }
})
