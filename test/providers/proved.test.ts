import t from 'tap'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import type { Material } from '../../src/proof/terms/material.ts'
import {
  type Agreed,
  CONFIRM_MS,
  complete,
  type Proof,
  refuseMaterial,
  verified,
} from '../../src/proof/terms/verification.ts'
import { type ProveOptions, proved } from '../../src/providers/proved.ts'
import type { Offer, SwapProvider } from '../../src/providers/provider.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { loggerTo } from '../../src/runtime/log.ts'
import { callOf } from '../fixtures/call.ts'
import { clockOf } from '../fixtures/clock.ts'
import { evmOrder, FROM } from '../fixtures/evm-orders.ts'
import { OPTIONS } from '../fixtures/provider.ts'
import { serialize, transferV0 } from '../fixtures/transactions.ts'

const ORDER = evmOrder('base', 'ETH', 'USDC', 10n ** 30n)
const OFFER: Offer = { expectedOut: 2n, minOut: 1n, priceImpactPct: null, details: {}, raw: '{}' }
const MATERIAL: Material = { kind: 'evm', to: FROM, data: '0x1234', value: '7', approval: null }

const PROVIDER: SwapProvider = {
  label: 'one',
  freshMs: 1_000,
  chains: new Set(['base']),
  quote: async () => OFFER,
  build: async () => MATERIAL,
  prove: () => ({ checks: ['sender'] }),
}

const optionsOf = (log: ProveOptions['log']): ProveOptions => ({
  ...(log !== undefined && { log }),
  simulate: async () => null,
  blockhash: () => Promise.reject(new Error('not asked')),
  minimum: 'simulated',
})

t.test('material that passes is handed out with its proof, and nothing is logged', async (t) => {
  const lines: object[] = []
  const log = loggerTo({ write: (line) => void lines.push(JSON.parse(line)) }, 'info')
  const provider = proved(PROVIDER, optionsOf(log))
  t.same(await provider.buildProved(ORDER, OFFER, OPTIONS), {
    material: MATERIAL,
    verification: { level: 'proved', checks: ['sender'], stated: [], simulation: null },
  })
  t.same(lines, [])
})

t.test('of material that is refused the caller learns the rule, and the log all of it', async (t) => {
  const lines: object[] = []
  const log = loggerTo({ write: (line) => void lines.push(JSON.parse(line)) }, 'info')
  const refuse = () => {
    throw refuseMaterial('value')
  }
  const provider = proved({ ...PROVIDER, prove: refuse }, optionsOf(log))
  const error = { code: 'material_refused', status: 502, fields: { rule: 'value' } }
  await t.rejects(provider.buildProved(ORDER, OFFER, OPTIONS), { name: 'GatewayError', ...error })
  t.equal(lines.length, 1)
  t.match(lines[0], {
    level: 40,
    msg: 'material refused',
    provider: 'one',
    rule: 'value',
    asked: { chain: 'base', amountIn: String(10n ** 30n), from: FROM },
    material: MATERIAL,
  })
})

t.test('other failures are not refusals of material', async (t) => {
  const lines: string[] = []
  const log = loggerTo({ write: (line) => void lines.push(line) }, 'info')
  const build = () => Promise.reject(new TypeError('a bug'))
  await t.rejects(proved({ ...PROVIDER, build }, optionsOf(log)).buildProved(ORDER, OFFER, OPTIONS), {
    message: 'a bug',
  })
  t.same(lines, [])
})

t.test('an offer without a minimum, or with one above the expected output, is refused', async (t) => {
  const cases: [expectedOut: bigint, minOut: bigint, code: string | null][] = [
    [2n, 1n, null],
    [2n, 2n, null],
    [1n, 0n, 'amount_too_small'],
    [0n, 0n, 'upstream_unusable'],
    [1n, 2n, 'upstream_unusable'],
    [1n, -1n, 'upstream_unusable'],
  ]
  for (const [expectedOut, minOut, code] of cases) {
    const offer = { ...OFFER, expectedOut, minOut }
    const quoted = proved({ ...PROVIDER, quote: async () => offer }, optionsOf(undefined)).quote(
      ORDER,
      OPTIONS,
    )
    if (code === null) t.equal(await quoted, offer)
    else await t.rejects(quoted, { name: 'GatewayError', code }, `${minOut} of ${expectedOut}`)
  }
})

t.test('a minimum above 125 % of what the quote expects is not believed', async (t) => {
  const offer = { ...OFFER, expectedOut: 1_000n, minOut: 950n }
  const built = (minOut: bigint) =>
    proved(
      { ...PROVIDER, prove: () => ({ checks: [], minOut: String(minOut) }) },
      optionsOf(undefined),
    ).buildProved(ORDER, offer, OPTIONS)
  for (const minOut of [950n, 1_001n, 1_250n]) {
    t.match((await built(minOut)).verification, { minOut: String(minOut) })
  }
  for (const minOut of [1_251n, 2n ** 64n - 1n, 2n ** 256n - 1n]) {
    await t.rejects(built(minOut), { code: 'material_refused', fields: { rule: 'minimum' } }, String(minOut))
  }
})

t.test(
  'what is to be confirmed is executed where it can be, and otherwise taken from the bytes',
  async (t) => {
    const confirm = {
      spends: { token: null, atMost: 7n },
      receives: null,
      atMostNativeFees: 0n,
      atMostGas: 0n,
    }
    const proof: Proof = { checks: ['sender'], confirm }
    const shown = { by: 'eth_simulateV1', at: 5, changes: [{ token: 'native', amount: '-7' }] }
    const asked: Agreed[] = []
    const confirmed = await complete(proof, 'proved', async (agreed) => {
      asked.push(agreed)
      return shown
    })
    t.same(confirmed, { level: 'proved', checks: ['sender', 'simulation'], stated: [], simulation: shown })
    t.same(asked, [confirm])

    const fromBytes = { level: 'proved', checks: ['sender'], stated: [], simulation: null }
    t.same(await complete(proof, 'proved', async () => null), fromBytes, 'nobody can execute it')
    const silent = new GatewayError('upstream_timeout', 'No answer.')
    t.same(await complete(proof, 'proved', () => Promise.reject(silent)), fromBytes, 'a node that is silent')
    const refused = refuseMaterial('simulation')
    await t.rejects(
      complete(proof, 'stated', () => Promise.reject(refused)),
      refused,
      'it does something else',
    )
    const stated = { ...proof, stated: ['recipient'] }
    await t.rejects(
      complete(stated, 'simulated', async () => shown),
      { code: 'material_unproved' },
      'it raises no level',
    )

    const { confirm: agreed, ...rest } = proof
    const must = { ...rest, agreed: agreed! }
    await t.rejects(
      complete(must, 'simulated', async () => null),
      { code: 'material_unproved' },
    )
    await t.rejects(
      complete(must, 'simulated', () => Promise.reject(silent)),
      silent,
    )
    t.match(await complete(must, 'simulated', async () => shown), { level: 'simulated' })
  },
)

t.test('what fails and reaches more than the order is about is not taken from the bytes', async (t) => {
  const confirm: Agreed = {
    spends: { token: null, atMost: 7n },
    receives: null,
    atMostNativeFees: 0n,
    atMostGas: 0n,
  }
  const exposed = async () => 'exposed' as const
  const proof: Proof = { checks: ['sender'], confirm }
  const unproved = { code: 'material_unproved', fields: { rule: 'outcome' } }
  await t.rejects(complete(proof, 'simulated', exposed), unproved)
  const stated = { level: 'stated', checks: ['sender'], stated: ['outcome'], simulation: null }
  t.same(await complete(proof, 'stated', exposed), stated)
})

t.test('an execution that the bytes do not need has a deadline of its own', async (t) => {
  const waited: number[] = []
  const run = async (_agreed: Agreed, atMostMs: number) => {
    waited.push(atMostMs)
    return null
  }
  const agreed: Agreed = {
    spends: { token: null, atMost: 7n },
    receives: null,
    atMostNativeFees: 0n,
    atMostGas: 0n,
  }
  await complete({ checks: [], confirm: agreed }, 'stated', run)
  await complete({ checks: [], agreed }, 'stated', run)
  t.same(waited, [CONFIRM_MS, Number.POSITIVE_INFINITY])
})

t.test('a minimum that only the provider states is none, whatever was seen to arrive', async (t) => {
  const shown = { by: 'simulateTransaction', at: 5, changes: [] }
  const spends = { token: null, atMost: 7n }
  const crossChain: Agreed = { spends, receives: null, atMostNativeFees: 0n, atMostGas: 0n }
  const swap: Agreed = { ...crossChain, receives: { token: 'usdc', atLeast: 1n } }
  const proof = { checks: ['sender'], stated: ['minimum'] }
  t.equal(verified(proof, null).level, 'stated', 'of bytes alone')
  t.equal(verified({ ...proof, confirm: swap }, shown).level, 'stated', 'of what need not be executed')
  t.equal(verified({ ...proof, agreed: crossChain }, shown).level, 'stated', 'where it arrives elsewhere')
  t.equal(verified({ ...proof, agreed: swap }, null).level, 'stated', 'where nobody executed it')
  t.equal(verified({ ...proof, agreed: swap }, shown).level, 'stated', 'it was enough only then')
  t.equal(verified({ checks: ['minimum'], agreed: swap }, shown).level, 'simulated')
})

t.test('the blockhash of a Solana transaction is set from our own node, and only that', async (t) => {
  const built = Buffer.from(serialize(transferV0()))
  built.fill(0, 1, 65)
  const material: Material = {
    kind: 'solana',
    transaction: built.toString('base64'),
    lastValidBlockHeight: 1,
    extra: { requestId: 'r' },
  }
  const own = { blockhash: new Uint8Array(32).fill(7), lastValidBlockHeight: 425_000_000 }
  const solana = { ...PROVIDER, build: async () => material }
  const options = { ...optionsOf(undefined), blockhash: async () => own }
  const { material: handedOut } = await proved(solana, options).buildProved(ORDER, OFFER, OPTIONS)
  const wire = new WireTransaction()
  t.equal(wire.parse(built), null)
  built.set(own.blockhash, wire.blockhashAt)
  t.same(handedOut, {
    kind: 'solana',
    transaction: built.toString('base64'),
    lastValidBlockHeight: 425_000_000,
    extra: { requestId: 'r' },
  })

  const silent = new GatewayError('upstream_timeout', 'No answer.')
  const without = { ...options, blockhash: () => Promise.reject(silent) }
  await t.rejects(
    proved(solana, without).buildProved(ORDER, OFFER, OPTIONS),
    silent,
    'no word of the provider',
  )
  const prove = () => {
    throw refuseMaterial('route')
  }
  const refusing = proved({ ...solana, prove }, without)
  await t.rejects(
    refusing.buildProved(ORDER, OFFER, OPTIONS),
    { code: 'material_refused' },
    'what is refused is refused, whether or not a node answers',
  )
})

t.test('a build and what executes it share one deadline', async (t) => {
  let now = 0
  const left: number[] = []
  const build = async () => {
    now += 700
    return MATERIAL
  }
  const agreed: Agreed = {
    spends: { token: null, atMost: 1n },
    receives: null,
    atMostNativeFees: 0n,
    atMostGas: 0n,
  }
  const options: ProveOptions = {
    ...optionsOf(undefined),
    minimum: 'stated',
    async simulate(_chain, _material, _wallet, _agreed, { leftMs }) {
      left.push(leftMs)
      return null
    },
  }
  const provider = proved({ ...PROVIDER, build, prove: () => ({ checks: [], agreed }) }, options)
  await provider.buildProved(ORDER, OFFER, callOf(1_000, null, 'build', clockOf({ now: () => now })))
  t.same(left, [300])
})

t.test("a prover's fact never overwrites the level or the simulation", async (t) => {
  const proof = {
    checks: ['to'],
    stated: ['recipient'],
    level: 'proved',
    simulation: { by: 'nobody' },
    router: 'x',
  }
  t.strictSame(verified(proof, null), {
    router: 'x',
    level: 'stated',
    checks: ['to'],
    stated: ['recipient'],
    simulation: null,
  })
})

t.test('material of an EVM chain is proved and handed out in one spelling', async (t) => {
  const approval = { token: FROM.toLowerCase(), spender: `0X${FROM.slice(2).toUpperCase()}`, amount: '5' }
  const spelled: Material = {
    kind: 'evm',
    to: `0X${FROM.slice(2).toLowerCase()}`,
    data: '0x1234',
    value: '0007',
    from: FROM.toUpperCase(),
    approval,
  }
  let seen: Material | null = null
  const prove = (_order: unknown, _offer: unknown, material: Material): Proof => {
    seen = material
    return { checks: ['sender'] }
  }
  const provider = proved({ ...PROVIDER, build: async () => spelled, prove }, optionsOf(undefined))
  const { material } = await provider.buildProved(ORDER, OFFER, OPTIONS)
  t.strictSame(material, {
    ...MATERIAL,
    from: FROM,
    approval: { ...approval, token: FROM, spender: FROM },
  })
  t.equal(seen, material, 'what is handed out is what was proved')
  const unreadable: Material = { ...MATERIAL, to: '0xzz', value: '0x7' }
  const left = proved({ ...PROVIDER, build: async () => unreadable, prove }, optionsOf(undefined))
  t.same((await left.buildProved(ORDER, OFFER, OPTIONS)).material, unreadable, 'the proof is to refuse it')
})
