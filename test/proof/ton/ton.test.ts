import t from 'tap'
import { parseAddress } from '../../../src/chains/address.ts'
import { findChain } from '../../../src/chains/find.ts'
import type { TonMessage } from '../../../src/proof/terms/material.ts'
import type { BuildOrder } from '../../../src/proof/terms/order.ts'
import { bagOfOne, type Cell, crc32c, parseBoc } from '../../../src/proof/ton/boc.ts'
import { cellHash, hashCell } from '../../../src/proof/ton/cell.ts'
import { TonContracts } from '../../../src/proof/ton/contracts.ts'
import { dedustPools, dedustVault } from '../../../src/proof/ton/dedust.ts'
import { STON_ROUTERS } from '../../../src/proof/ton/ston-routers.ts'
import { readTonSwap } from '../../../src/proof/ton/swap.ts'
import { proveTon, type TonRules } from '../../../src/proof/ton/ton.ts'
import type { TonWitness } from '../../../src/proof/ton/witness.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import {
  contractAddress,
  ROUTER,
  ROUTER_LIBRARY,
  ROUTER_PTON,
  walletAddress,
} from '../../../src/sandbox/ton/addresses.ts'
import {
  address,
  cell,
  coins,
  DEDUST_JETTON_HEAD,
  dedustNativeHead,
  dedustSwap,
  type JettonTransfer,
  jettonTransfer,
  libraryCell,
  plainDedustSwap,
  plainSwap,
  type StonSwap,
  stonSwap,
  type TonTransfer,
  tonTransfer,
  uint,
  type WrittenCell,
  writeBag,
} from '../../../src/sandbox/ton/cells.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'
import { STON_CODES, witnessOf } from '../../fixtures/ton-witness.ts'

const NOW = Date.UTC(2026, 10, 21)
const NOW_SECONDS = NOW / 1_000
const CHAIN = findChain('ton')!
const FROM = contractAddress('somebody')
const STRANGER = contractAddress('a stranger')
const PTON_V1 = 'EQARULUYsmJq1RiZ-YiH-IJLcAZUVkVff-KBPwEmmaQGH6aC'

const TON = { address: 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c', isNative: true, decimals: 9 }
const USDT = { address: 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs', isNative: false, decimals: 6 }

// As a wallet's public test has it (TestSignMultiTransfer): a pTON v1 transfer, two cells with a checksum.
const REAL =
  'te6cckEBAgEAigABaw+KfqUAAABqOXlveTmJaAgA7zuZAqJxsqAciTilI8/iTnGEeq62piAAHtRKd6wOcJwQLBuBAwEAnSWThWGAHIXiG4S2uBKfvTnDWV0CiqXAwDzv4KIacQogkCmsj0NuCxykPOZl3QAo0GtsbOJdNcL0J61peOgcvbzLsvXBsnC6HO6YLfLMvtDoIHzZ'

const MIN_OUT = 18_000_000n
const MIN_TON = 3_000_000_000n

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

const DEADLINE = BigInt(NOW_SECONDS + 900)

/** Payloads, each field of which can be another. */
function buying(swap: Partial<StonSwap> = {}, transfer: Partial<TonTransfer> = {}): string {
  const plain = plainSwap(FROM, walletAddress(USDT.address, ROUTER), MIN_OUT, DEADLINE)
  const whole = { operation: 0x01f3835dn, queryId: 7n, amount: 12_500_000_000n, refund: FROM }
  const payload = stonSwap({ ...plain, ...swap })
  return writeBag(tonTransfer({ ...whole, payload, ...transfer })).toString('base64')
}
function selling(swap: Partial<StonSwap> = {}, transfer: Partial<JettonTransfer> = {}): string {
  const whole = {
    operation: 0x0f8a7ea5n,
    queryId: 7n,
    amount: 5_000_000n,
    destination: ROUTER,
    response: FROM,
    customPayload: null,
    forwardTon: 250_000_000n,
  }
  const payload = stonSwap({ ...plainSwap(FROM, ROUTER_PTON, MIN_TON, DEADLINE), ...swap })
  return writeBag(jettonTransfer({ ...whole, payload, ...transfer })).toString('base64')
}

const buyMessage: TonMessage = {
  to: ROUTER_PTON,
  value: '12815000000',
  payload: buying(),
  stateInit: null,
  validUntil: NOW_SECONDS + 300,
  from: FROM,
}
const sellMessage: TonMessage = {
  ...buyMessage,
  to: walletAddress(USDT.address, FROM),
  value: '300000000',
  payload: selling(),
}

/** What two nodes say, unless the test says otherwise. */
const WITNESS = witnessOf([null, USDT.address])

const prove = (message: Partial<TonMessage>, order: BuildOrder, rules: Partial<TonRules> = {}) =>
  proveTon({ ...(order.side === 'sell' ? sellMessage : buyMessage), ...message }, order, {
    minOut: order.side === 'sell' ? MIN_TON : MIN_OUT,
    clock: clockOf({ date: () => NOW }),
    witness: WITNESS,
    ...rules,
  })

async function ruleOf(
  message: Partial<TonMessage>,
  order: BuildOrder,
  rules: Partial<TonRules> = {},
): Promise<string> {
  try {
    await prove(message, order, rules)
    return 'accepted'
  } catch (error) {
    const { code, status, fields } = error as GatewayError
    return code === 'material_refused' && status === 502 ? fields.rule! : `${code}: ${fields?.rule}`
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
  const common = [
    ...['sender', 'to', 'state_init', 'valid_until', 'payload', 'operation', 'router', 'custom_payload'],
    ...['referral', 'value', 'amount', 'minimum', 'recipient', 'refund', 'deadline'],
  ]
  t.strictSame(await prove({}, buyOrder), {
    checks: [...common, 'tokens'],
    sender: FROM,
    to: ROUTER_PTON,
    router: ROUTER,
    value: '12815000000',
    gas: '315000000',
    recipient: FROM,
    minOut: '18000000',
    payloadBytes: Buffer.from(buyMessage.payload, 'base64').length,
  })
  t.strictSame(await prove({}, sellOrder), {
    checks: [...common, 'jetton_wallet', 'tokens'],
    sender: FROM,
    to: walletAddress(USDT.address, FROM),
    router: ROUTER,
    value: '300000000',
    gas: '300000000',
    recipient: FROM,
    minOut: '3000000000',
    payloadBytes: Buffer.from(sellMessage.payload, 'base64').length,
  })
})

t.test('harmless messages are accepted', async (t) => {
  const friendly = Buffer.from(FROM, 'base64url')
  const raw = `0:${friendly.toString('hex', 2, 34)}`
  const cases: [why: string, message: Partial<TonMessage>, order: BuildOrder, rules?: Partial<TonRules>][] = [
    ['another spelling of the sender', { from: raw }, buyOrder],
    ['the least gas', { value: '12600000000' }, buyOrder],
    ['gas up to the cap', { value: '13500000000' }, buyOrder],
    ['a higher minimum', { payload: buying({ minOut: MIN_OUT + 1n }) }, buyOrder],
    [
      "the router's own fee for a referral without anybody",
      { payload: buying({ referralBps: 10n }) },
      buyOrder,
    ],
    ['the longest deadline', { payload: buying({ deadline: (1n << 64n) - 1n }) }, buyOrder],
    ['less for the router', { payload: selling({}, { forwardTon: 100_000_000n }) }, sellOrder],
    ['another query id', { payload: selling({}, { queryId: 0n }) }, sellOrder],
    ['the longest time', { validUntil: NOW_SECONDS + 900 }, buyOrder],
  ]
  for (const [why, message, order, rules] of cases)
    t.equal(await ruleOf(message, order, rules), 'accepted', why)
})

t.test('every mutation is refused with its rule', async (t) => {
  const flip = (text: string, at: number) =>
    `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`
  const raw = `0:${Buffer.from(ROUTER_PTON, 'base64url').toString('hex', 2, 34)}`
  const cases: [rule: string, message: Partial<TonMessage>, order: BuildOrder, rules?: Partial<TonRules>][] =
    [
      ['sender', { from: ROUTER_PTON }, buyOrder],
      ['sender', { from: '' }, buyOrder],
      ['sender', { from: flip(FROM, 20) }, buyOrder],
      ['to', { to: 'native' }, buyOrder],
      ['to', { to: '' }, buyOrder],
      ['to', { to: flip(ROUTER_PTON, 20) }, buyOrder],
      ['to', { to: TON.address }, buyOrder],
      ['to', { to: FROM }, buyOrder],
      ['to', { to: raw }, buyOrder],
      ['router', { to: PTON_V1 }, buyOrder],
      ['value', { value: '12499999999' }, buyOrder],
      ['value', { value: '12500000000' }, buyOrder],
      ['value', { value: '12599999999' }, buyOrder],
      ['value', { value: '13500000001' }, buyOrder],
      ['value', { value: '0' }, sellOrder],
      ['value', { value: '1000000001' }, sellOrder],
      ['value', { value: '-1' }, sellOrder],
      ['value', { value: '0x1' }, sellOrder],
      ['value', { value: '1e8' }, sellOrder],
      ['value', { value: '' }, sellOrder],
      ['value', { value: '0300000000' }, sellOrder],
      ['value', { value: '350000001' }, sellOrder],
      ['value', { value: '249999999' }, sellOrder],
      ['value', { payload: selling({}, { forwardTon: 0n }) }, sellOrder],
      ['value', { payload: selling({}, { forwardTon: 99_999_999n }) }, sellOrder],
      ['payload', { payload: '' }, buyOrder],
      ['payload', { payload: 'no base64!' }, buyOrder],
      ['payload', { payload: `${buyMessage.payload}AAAA` }, buyOrder],
      ['payload', { payload: `${buyMessage.payload.replaceAll('+', '-').slice(0, -4)}` }, buyOrder],
      ['payload', { payload: Buffer.from(buyMessage.payload, 'base64').toString('hex') }, buyOrder],
      ['payload', { payload: 'A'.repeat(87_388) }, buyOrder],
      // A message that sells TON must not move what else the wallet holds.
      ['operation', { payload: selling() }, buyOrder],
      ['operation', { payload: REAL }, buyOrder],
      ['operation', { payload: bag('595f07bc00000000000000071000') }, buyOrder],
      ['operation', { payload: bag('5fcc3d1400000000000000071000') }, buyOrder],
      ['router', { payload: buying() }, sellOrder],
      ['operation', { payload: buying(), to: ROUTER_PTON }, sellOrder],
      ['payload', { payload: 'te6cckEBAQEAAgAAAEysuc0=' }, sellOrder],
      ['payload', { payload: 'te6cckEBAQEAAgAAAEysuc0=' }, buyOrder],
      ['operation', { payload: bag(`595f07bc0000000000000007${'34c4b400'}`) }, sellOrder],
      ['amount', { payload: selling({}, { amount: 5_000_001n }) }, sellOrder],
      ['amount', { payload: selling({}, { amount: 4_999_999n }) }, sellOrder],
      ['amount', { payload: selling({}, { amount: (1n << 119n) - 1n }) }, sellOrder],
      ['amount', { payload: selling({}, { amount: 0n }) }, sellOrder],
      ['amount', { payload: buying({}, { amount: 12_499_999_999n }) }, buyOrder],
      ['payload', { payload: bag('0f8a7ea50000000000000007') }, sellOrder],
      ['payload', { payload: bag('0f8a7ea5000000000000000734c4') }, sellOrder],
      ['minimum', { payload: buying({ minOut: MIN_OUT - 1n }) }, buyOrder],
      ['minimum', { payload: buying({ minOut: 0n }) }, buyOrder, { minOut: 0n }],
      ['recipient', { payload: buying({ receiver: STRANGER }) }, buyOrder],
      ['recipient', { payload: buying({ receiver: null }) }, buyOrder],
      ['refund', { payload: buying({ refund: STRANGER }) }, buyOrder],
      ['refund', { payload: buying({ excesses: STRANGER }) }, buyOrder],
      ['refund', { payload: buying({}, { refund: STRANGER }) }, buyOrder],
      ['refund', { payload: buying({}, { refund: null }) }, buyOrder],
      ['refund', { payload: selling({}, { response: STRANGER }) }, sellOrder],
      ['refund', { payload: selling({}, { response: null }) }, sellOrder],
      ['referral', { payload: buying({ referralBps: 11n }) }, buyOrder],
      ['referral', { payload: buying({ referral: STRANGER }) }, buyOrder],
      ['custom_payload', { payload: buying({ customPayload: cell('') }) }, buyOrder],
      ['custom_payload', { payload: buying({ refundPayload: cell('') }) }, buyOrder],
      ['custom_payload', { payload: buying({ forwardGas: 1n }) }, buyOrder],
      ['custom_payload', { payload: selling({}, { customPayload: cell('') }) }, sellOrder],
      ['deadline', { payload: buying({ deadline: BigInt(NOW_SECONDS) }) }, buyOrder],
      ['router', { payload: selling({}, { destination: STRANGER }) }, sellOrder],
      ['router', { payload: selling({}, { destination: null }) }, sellOrder],
      ['jetton_wallet', { to: STRANGER }, sellOrder],
      ['jetton_wallet', { to: walletAddress(USDT.address, STRANGER) }, sellOrder],
      ['tokens', { payload: buying({ askWallet: STRANGER }) }, buyOrder],
      ['tokens', { payload: buying({ askWallet: ROUTER_PTON }) }, buyOrder],
      ['tokens', { payload: selling({ askWallet: walletAddress(USDT.address, FROM) }) }, sellOrder],
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
    t.equal(await ruleOf(message, order, rules), rule, `${i}: ${rule}`)
  }
})

t.test('the jetton amount is read from the bits, whatever its length', async () => {
  await fc.assert(
    fc.asyncProperty(fc.bigInt({ min: 1n, max: (1n << 120n) - 1n }), async (amount) => {
      const message = { payload: selling({}, { amount }) }
      return (
        (await ruleOf(message, { ...sellOrder, amountIn: amount })) === 'accepted' &&
        (await ruleOf(message, sellOrder)) === (amount === 5_000_000n ? 'accepted' : 'amount')
      )
    }),
  )
})

t.test('the routers and their pTON wallets are addresses, each once', async (t) => {
  const listed = [...STON_ROUTERS].flatMap(([router, { ptonWallet }]) => [router, ptonWallet])
  t.equal(new Set(listed).size, 94)
  for (const one of listed) t.equal(parseAddress(CHAIN, one), one)
})

t.test("a router's messages go to its own pTON wallet, and ask its own wallets", async (t) => {
  for (const [router, { version, ptonWallet }] of STON_ROUTERS) {
    if (version === 1) continue
    const payload = buying({ askWallet: walletAddress(USDT.address, router) })
    t.equal(await ruleOf({ to: ptonWallet, payload }, buyOrder), 'accepted', router)
    if (router !== ROUTER) t.equal(await ruleOf({ payload }, buyOrder), 'tokens', 'at another one')
    const sold = selling({ askWallet: ptonWallet }, { destination: router })
    t.equal(await ruleOf({ payload: sold }, sellOrder), 'accepted', router)
  }
})

const USDC = { address: 'EQC61IQRl0_la95t27xhIpjxZt32vl1QQVF2UgTNuvD18W-4', isNative: false, decimals: 6 }
const sellUnknown: BuildOrder = { ...sellOrder, tokenIn: USDC }
const unknownMessage = { to: walletAddress(USDC.address, FROM) }

interface Answers {
  /** Stacks by method, one of each node. */
  readonly stacks?: Readonly<Record<string, readonly (readonly (Buffer | null)[])[]>>
  /** What each node says is a router's code. */
  readonly codes?: readonly Buffer[]
}

/** Nodes that answer so; what they were asked is kept. */
function nodes({ stacks = {}, codes = [CODE, CODE] }: Answers, clock = clockOf({})) {
  const asked: string[] = []
  const rpc = {
    runEverywhere: async (account: string, method: string) => {
      asked.push(`${method} ${account}`)
      return [...(stacks[method] ?? [])]
    },
    codeEverywhere: async (account: string) => {
      asked.push(`code ${account}`)
      return [...codes]
    },
  }
  return { asked, witness: new TonContracts(rpc, clock).within(callOf()) }
}

/** The code of the sandbox's router, which is one of STON.fi's. */
const CODE = writeBag(libraryCell(ROUTER_LIBRARY))
const slice = (account: string | null): Buffer => writeBag(cell(address(account)))
const data = (owner: string, master: string) => [null, slice(owner), slice(master), null]

t.test('the wallet of a jetton whose code is not known is asked of two nodes', async (t) => {
  const own = slice(unknownMessage.to)
  const own2 = data(FROM, USDC.address)
  const other = slice(STRANGER)
  const cases: [
    why: string,
    rule: string,
    get_wallet_address: Buffer[][],
    get_wallet_data: (Buffer | null)[][],
  ][] = [
    ['both agree', 'accepted', [[own], [own]], [own2, own2]],
    ['two of three agree', 'accepted', [[own], [other], [own]], [own2, [], own2]],
    ['one lies', 'material_unproved: jetton_wallet', [[own], [other]], [own2, own2]],
    ['one answers', 'material_unproved: jetton_wallet', [[own]], [own2, own2]],
    ['none answers', 'material_unproved: jetton_wallet', [], []],
    ['it is none', 'material_unproved: jetton_wallet', [[slice(null)], [slice(null)]], [own2, own2]],
    ['it is no address', 'material_unproved: jetton_wallet', [[Buffer.alloc(9)], [writeBag(cell('11'))]], []],
    ['it is another', 'jetton_wallet', [[other], [other]], [own2, own2]],
    ['the wallet does not answer', 'material_unproved: jetton_wallet', [[own], [own]], []],
    [
      "the wallet is another jetton's",
      'material_unproved: jetton_wallet',
      [[own], [own]],
      [data(FROM, USDT.address), data(FROM, USDT.address)],
    ],
    [
      "the wallet is another owner's",
      'material_unproved: jetton_wallet',
      [[own], [own]],
      [data(STRANGER, USDC.address), data(STRANGER, USDC.address)],
    ],
  ]
  for (const [why, rule, get_wallet_address, get_wallet_data] of cases) {
    const { witness } = nodes({ stacks: { get_wallet_address, get_wallet_data } })
    t.equal(await ruleOf(unknownMessage, sellUnknown, { witness }), rule, why)
  }
  t.equal(await ruleOf(unknownMessage, sellUnknown), 'material_unproved: jetton_wallet', 'nobody to ask')

  const { asked, witness } = nodes({
    stacks: { get_wallet_address: [[own], [own]], get_wallet_data: [own2, own2] },
  })
  for (let times = 0; times < 2; times++) {
    t.equal(await ruleOf(unknownMessage, sellUnknown, { witness }), 'accepted')
  }
  t.same(
    asked,
    [`get_wallet_address ${USDC.address}`, `get_wallet_data ${unknownMessage.to}`, `code ${ROUTER}`],
    'what was agreed on is kept',
  )
})

t.test('the bought token is looked up at the router, whose wallet needs no confirmation', async (t) => {
  const wallet = walletAddress(USDC.address, ROUTER)
  const { asked, witness } = nodes({ stacks: { get_wallet_address: [[slice(wallet)], [slice(wallet)]] } })
  const order = { ...buyOrder, tokenOut: USDC }
  const message = { payload: buying({ askWallet: wallet }) }
  t.equal(await ruleOf({}, order, { witness }), 'tokens')
  t.equal(await ruleOf(message, order, { witness }), 'accepted')
  t.same(asked, [`get_wallet_address ${USDC.address}`, `code ${ROUTER}`])
})

t.test('a router on the list has to run a code of its version now, by two nodes', async (t) => {
  const bag = (written: WrittenCell) => writeBag(written)
  const other = bag(libraryCell('00'.repeat(32)))
  const cases: [why: string, rule: string, codes: readonly Buffer[]][] = [
    ['both agree', 'accepted', [CODE, CODE]],
    ['two of three agree', 'accepted', [other, CODE, CODE]],
    ['another code', 'router', [other, other]],
    ['another code, and one node lies', 'router', [other, CODE, other]],
    ['one lies', 'material_unproved: router', [other, CODE]],
    ['one answers', 'material_unproved: router', [CODE]],
    ['none answers', 'material_unproved: router', []],
    ['an empty cell', 'router', [bag(cell('')), bag(cell(''))]],
    [
      'what is written in the library, and no library',
      'router',
      Array(2).fill(bag(cell(libraryCell(ROUTER_LIBRARY).bits))),
    ],
    [
      'a library with a reference',
      'material_unproved: router',
      Array(2).fill(bag({ ...libraryCell(ROUTER_LIBRARY), references: [cell('')] })),
    ],
    [
      'a pruned branch',
      'material_unproved: router',
      Array(2).fill(bag({ ...libraryCell(ROUTER_LIBRARY), bits: uint(1n, 264) })),
    ],
    ['no bag', 'material_unproved: router', [Buffer.alloc(46), Buffer.alloc(46)]],
  ]
  for (const [why, rule, codes] of cases)
    for (const order of [buyOrder, sellOrder])
      t.equal(await ruleOf({}, order, { witness: nodes({ codes }).witness }), rule, `${why}, ${order.side}`)
  const unlisted = { payload: selling({}, { destination: STRANGER }) }
  t.equal(
    await ruleOf(unlisted, sellOrder, { witness: nodes({}).witness }),
    'router',
    'the code alone is none',
  )
  const first = witnessOf([], { codeOf: async () => STON_CODES[1] })
  t.equal(await ruleOf({}, buyOrder, { witness: first }), 'router', "the first version's code")
})

t.test("a router's code is asked for again, before an upgrade that is announced can come", async (t) => {
  let now = 0
  const codes = [CODE, CODE]
  const { asked, witness } = nodes({ codes }, clockOf({ now: () => now }))
  const other = writeBag(libraryCell('00'.repeat(32)))
  t.equal(await ruleOf({}, buyOrder, { witness }), 'accepted')
  codes.splice(0, 2, other, other)
  now = 599_999
  t.equal(await ruleOf({}, buyOrder, { witness }), 'accepted')
  now = 600_000
  t.equal(await ruleOf({}, buyOrder, { witness }), 'router')
  t.same(asked, [`code ${ROUTER}`, `code ${ROUTER}`])
})

/** An asset as DeDust writes it. */
const asset = (jetton: string | null): Buffer =>
  writeBag(cell(jetton === null ? '0000' : `0001${address(jetton).slice(3)}`))

/** A swap at DeDust: of TON at the native vault, or of a jetton at its vault. */
function atDedust(pool: string | null, vault: string | null): string {
  const swap = { ...plainDedustSwap('', vault === null ? MIN_OUT : MIN_TON, DEADLINE), pool }
  if (vault !== null)
    return selling({}, { destination: vault, payload: dedustSwap(DEDUST_JETTON_HEAD, swap) })
  return writeBag(dedustSwap(dedustNativeHead(7n, 12_500_000_000n), swap)).toString('base64')
}

t.test("DeDust's vaults and pools are those of the ordered tokens, and are there", async (t) => {
  const [volatile, stable] = dedustPools(null, USDC.address)
  const vault = dedustVault(USDC.address)
  const walletOfVault = walletAddress(USDC.address, vault)
  const pair = [asset(null), asset(USDC.address)]
  const there = {
    get_assets: [pair, pair],
    get_wallet_addr: [[slice(walletOfVault)], [slice(walletOfVault)]],
    get_wallet_data: [data(FROM, USDC.address), data(FROM, USDC.address)],
  }
  const known = nodes({ stacks: there }).witness
  const walletOf: TonWitness['walletOf'] = async (master, owner) => walletAddress(master, owner)
  const buys = { ...buyOrder, tokenOut: USDC }
  const NATIVE_VAULT = dedustVault(null)
  const bought = (pool: string) => ({ to: NATIVE_VAULT, payload: atDedust(pool, null) })
  const sold = (pool: string, to: string) => ({ ...unknownMessage, payload: atDedust(pool, to) })
  const rule = (message: Partial<TonMessage>, order: BuildOrder, witness: Partial<TonWitness> = {}) =>
    ruleOf(message, order, { witness: { ...known, walletOf, ...witness } })
  for (const pool of [volatile, stable]) {
    t.equal(await rule(bought(pool), buys), 'accepted')
    t.equal(await rule(sold(pool, vault), sellUnknown), 'accepted')
  }
  t.match(await prove(bought(volatile), buys, { witness: known }), { router: NATIVE_VAULT, recipient: FROM })

  t.equal(await rule(bought(STRANGER), buys), 'pools', 'a pool of another factory')
  t.equal(await rule(bought(dedustPools(null, USDT.address)[0]), buys), 'pools', 'a pool of another jetton')
  t.equal(await rule(bought(dedustPools(USDT.address, USDC.address)[0]), buys), 'pools', 'a pool without TON')
  t.equal(await rule({ ...bought(volatile), to: vault }, buys), 'router', "a jetton's vault")
  t.equal(await rule({ ...bought(volatile), to: STRANGER }, buys), 'router', 'a vault of another factory')
  t.equal(
    await rule(sold(volatile, dedustVault(USDT.address)), sellUnknown),
    'router',
    "another jetton's vault",
  )
  t.equal(await rule(sold(volatile, NATIVE_VAULT), sellUnknown), 'router', 'the native vault')
  t.equal(await rule(sold(volatile, STRANGER), sellUnknown), 'router', 'a vault of another factory')
  t.equal(
    await rule(sold(dedustPools(null, USDT.address)[1], vault), sellUnknown),
    'pools',
    'a pool of another jetton',
  )

  const turned = [asset(USDC.address), asset(null)]
  const answers: [why: string, rule: string, get_assets: Buffer[][]][] = [
    ['two of three agree', 'accepted', [pair, turned, pair]],
    ['one lies', 'material_unproved: pools', [pair, turned]],
    ['one answers', 'material_unproved: pools', [pair]],
    ['none answers: there is no pool', 'material_unproved: pools', []],
    ['no assets', 'material_unproved: pools', [[], []]],
    [
      'an asset of another kind',
      'material_unproved: pools',
      Array(2).fill([asset(null), writeBag(cell('0010'))]),
    ],
    [
      'an asset with more behind it',
      'material_unproved: pools',
      Array(2).fill([writeBag(cell('00000')), pair[1]]),
    ],
    ['other assets', 'pools', Array(2).fill([asset(null), asset(USDT.address)])],
  ]
  for (const [why, expected, get_assets] of answers) {
    const { assetsOf } = nodes({ stacks: { get_assets } }).witness
    t.equal(await rule(bought(volatile), buys, { assetsOf }), expected, why)
  }
  const wallets: [why: string, rule: string, get_wallet_addr: Buffer[][]][] = [
    ['one lies', 'material_unproved: router', [[slice(walletOfVault)], [slice(STRANGER)]]],
    ['it is not ready', 'material_unproved: router', [[slice(null)], [slice(null)]]],
    ['none answers: there is no vault', 'material_unproved: router', []],
    ['it takes payments from another wallet', 'router', [[slice(STRANGER)], [slice(STRANGER)]]],
  ]
  for (const [why, expected, get_wallet_addr] of wallets) {
    const { vaultWalletOf } = nodes({ stacks: { get_wallet_addr } }).witness
    t.equal(await rule(sold(volatile, vault), sellUnknown, { vaultWalletOf }), expected, why)
  }
})

t.test('a small order carries little gas, whichever side is TON', async (t) => {
  const half = 500_000_000n
  const buys = (gas: bigint, amount = half) => {
    const message = { value: String(amount + gas), payload: buying({}, { amount }) }
    return ruleOf(message, { ...buyOrder, amountIn: amount })
  }
  const sells = (gas: bigint, minOut = half) =>
    ruleOf({ value: String(gas), payload: selling({ minOut }) }, sellOrder, { minOut })
  for (const order of [buys, sells]) {
    t.equal(await order(350_000_000n), 'accepted')
    t.equal(await order(350_000_001n), 'value')
    t.equal(await order(500_000_000n, 5_000_000_000n), 'accepted')
    t.equal(await order(500_000_001n, 5_000_000_000n), 'value')
    t.equal(await order(1_000_000_000n, 100_000_000_000n), 'accepted')
    t.equal(await order(1_000_000_001n, 100_000_000_000n), 'value')
  }
})

t.test('a bag of cells is accepted as it was published', async (t) => {
  t.equal(crc32c(Buffer.from('123456789')), 0xe3069283, 'RFC 3720 B.4, check value')
  t.strictSame(parseBoc(Buffer.from('te6cckEBAQEAAgAAAEysuc0=', 'base64')), {
    data: Buffer.alloc(0),
    isTagged: false,
    isExotic: false,
    references: [],
  })
  const root = parseBoc(Buffer.from(REAL, 'base64'))!
  t.equal(root.references.length, 1)
  t.equal(Buffer.from(root.data).toString('hex', 0, 4), '0f8a7ea5')
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

t.test('a cell has at most four references, and a written cell is read back unchanged', async (t) => {
  const child = cell('1')
  for (let count = 0; count <= 4; count++) {
    const root = parseBoc(writeBag(cell('01', ...Array(count).fill(child))))
    t.equal(root?.references.length, count)
  }
  t.equal(parseBoc(writeBag(cell('01', ...Array(5).fill(child)))), null)
  for (const bits of ['', '1', '10101010', '101010101', address(FROM)])
    t.same(parseBoc(bagOfOne(bits)), parseBoc(writeBag(cell(bits))), `${bits.length} bits`)
})

t.test('a code is hashed unchanged: whole, its libraries by reference, shared cells once', async (t) => {
  const hash = (root: Cell) => Buffer.from(cellHash(root).hash).toString('hex')
  t.equal(parseBoc(CODE), null, 'no message is a library')
  t.equal(hash(parseBoc(CODE, true)!), STON_CODES[2])
  const leaf = hashCell('101', [])
  const written = cell('0101010111', cell('101'), cell('', cell('101')))
  t.same(cellHash(parseBoc(writeBag(written))!), hashCell('0101010111', [leaf, hashCell('', [leaf])]))

  const empty = parseBoc(writeBag(cell('')))!
  const chain = (length: number, references: (below: Cell) => Cell[]) => {
    let root = empty
    for (let depth = 0; depth < length; depth++) root = { ...empty, references: references(root) }
    return root
  }
  t.equal(cellHash(chain(1_024, (below) => [below, below, below, below])).depth, 1_024)
  t.throws(() => cellHash(chain(1_025, (below) => [below])), { message: 'depth' })
  const inner = { ...parseBoc(CODE, true)!, isExotic: true }
  t.ok(cellHash({ ...empty, references: [inner] }), 'a library inside a code')
  for (const [why, exotic] of Object.entries({
    'of another type': { ...inner, data: Buffer.from(inner.data).fill(1, 0, 1) },
    'that is cut short': { ...inner, data: inner.data.subarray(0, 32) },
    'that refers to a cell': { ...inner, references: [empty] },
    'that ends inside a byte': { ...inner, isTagged: true },
  }))
    t.throws(() => cellHash({ ...empty, references: [exotic] }), { message: 'exotic' }, why)
})

t.test('sizes have four bytes at most, and offsets six', async (t) => {
  const bagOf = (size: number, offsetBytes: number): Buffer => {
    const number = (value: number, bytes: number) =>
      '00'.repeat(bytes - 1) + value.toString(16).padStart(2, '0')
    const counts = [1, 1, 0].map((count) => number(count, size)).join('')
    const hex = `b5ee9c720${size}0${offsetBytes}${counts}${number(2, offsetBytes)}${number(0, size)}0000`
    return Buffer.from(hex, 'hex')
  }
  for (let size = 1; size <= 7; size++) {
    for (let offsetBytes = 1; offsetBytes <= 9; offsetBytes++) {
      const isBag = size <= 4 && offsetBytes <= 6
      t.equal(parseBoc(bagOf(size, offsetBytes)) !== null, isBag, `${size} and ${offsetBytes}`)
    }
  }
})

t.test('every field of a bag is checked, with a checksum or without', async (t) => {
  const cases: [why: string, hex: string, isBag: boolean][] = [
    ['one empty cell', 'b5ee9c72 0101 010100 02 00 0000', true],
    ['with an index', 'b5ee9c72 8101 010100 02 00 02 0000', true],
    ['two cells', 'b5ee9c72 0101 020100 05 00 010001 0000', true],
    ['sizes of two bytes', 'b5ee9c72 0202 000100010000 0002 0000 0000', true],
    ['bits that end inside a byte', 'b5ee9c72 0101 010100 03 00 000180', true],
    ['an exotic child', 'b5ee9c72 0101 020100 07 00 010001 080401ff', true],
    ['an index that leads elsewhere', 'b5ee9c72 8101 020100 05 00 0504 010001 0000', false],
    ['an index of two cells', 'b5ee9c72 8101 020100 05 00 0305 010001 0000', true],
    ['cache bits', 'b5ee9c72 a101 010100 02 00 04 0000', false],
    ['a cell that nothing refers to', 'b5ee9c72 0101 020100 04 00 0000 0000', false],
    ['a level', 'b5ee9c72 0101 010100 02 00 2000', false],
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

t.test('a swap without a recipient, or without a wallet to ask, has no terms', async (t) => {
  const V1_ROUTER = 'EQB3ncyBUTjZUA5EnFKR5_EnOMI9V1tTEAAPaiU71gc4TiUt'
  type Names = readonly [askWallet: string | null, receiver: string | null]
  const versions: Readonly<Record<string, (names: Names) => string>> = {
    second: ([askWallet, receiver]) => selling({ askWallet, receiver }),
    first: ([askWallet, receiver]) => {
      const bits = [uint(0x25938561n, 32), address(askWallet), coins(MIN_TON), address(receiver), '0']
      return selling({}, { destination: V1_ROUTER, payload: cell(bits.join('')) })
    },
  }
  const parties = { to: sellMessage.to, from: FROM }
  for (const [version, payload] of Object.entries(versions)) {
    const read = (names: Names) => readTonSwap(parseBoc(Buffer.from(payload(names), 'base64'))!, parties)
    t.match(
      read([PTON_V1, STRANGER]),
      { recipient: STRANGER, minOut: MIN_TON, bought: { wallet: PTON_V1 } },
      version,
    )
    const incomplete: readonly Names[] = [
      [PTON_V1, null],
      [null, FROM],
      [null, null],
    ]
    for (const names of incomplete)
      t.throws(() => read(names), { code: 'material_refused', fields: { rule: 'recipient' } }, version)
  }
})
