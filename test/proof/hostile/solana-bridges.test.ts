import fc from 'fast-check'
import t from 'tap'
import { proveCrossingSolana } from '../../../src/proof/crossing-solana.ts'
import { refuseMaterial } from '../../../src/proof/verification.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import type { Ask } from '../../../src/sandbox/swap/xprov-desk.ts'
import { tryAll } from '../../fixtures/hostile/mutation.ts'
import {
  debridgeMutations,
  encodeMaterial,
  honestCrossing,
  type SolanaMaterial,
  swiftMutations,
} from '../../fixtures/hostile/solana-bridges.ts'
import { NOW } from '../../fixtures/provider.ts'
import { crossing, WALLETS } from '../../fixtures/xprov.ts'

const market = new Market()
const { evm, solana } = WALLETS
const MINIMUM = 248_000_000n

/** 250 USDC, from a wallet on Solana to another on an EVM chain. */
function asked(toChain: string, symbol: string | null) {
  const order = crossing(market, ['solana', 'USDC', solana], [toChain, symbol, evm], 250_000_000n)
  const ask = { ...order, slippage: '0.005' } as unknown as Ask
  const prove = (material: SolanaMaterial) =>
    proveCrossingSolana(encodeMaterial(material), { order, minimum: MINIMUM, now: NOW })
  return { ask, prove, honest: honestCrossing(ask, MINIMUM, NOW), mint: order.tokenIn.address }
}

const FAMILIES = [
  { name: 'Mayan Swift', ...asked('base', 'USDC'), mutations: swiftMutations },
  { name: 'deBridge', ...asked('gnosis', 'USDC'), mutations: debridgeMutations },
]

for (const { name, ask, honest, prove, mint, mutations } of FAMILIES) {
  t.test(`${name}: every change of the table is refused, or harmless`, async (t) => {
    const { thefts, letOut, tried, refused } = await tryAll(name, honest, mutations(ask, mint), (material) =>
      requireProved(prove(material)),
    )
    t.same(thefts, [])
    t.equal(refused + letOut.length, tried)
    t.equal(letOut.length, mutations(ask, mint).filter(({ harmless }) => harmless !== undefined).length)
  })

  t.test(`${name}: whatever byte is changed, recipient and minimum stand`, async (t) => {
    const honestBytes = Buffer.from(encodeMaterial(honest), 'base64')
    const program = honest.instructions.length - 1
    const { data } = honest.instructions[program]!
    fc.assert(
      fc.property(fc.nat(data.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const changed = Buffer.from(data)
        changed[at]! ^= mask
        const instructions = honest.instructions.map((one, i) =>
          i === program ? { ...one, data: changed } : one,
        )
        try {
          const proof = prove({ ...honest, instructions })
          return (proof.stated?.length ?? 0) === 0 && BigInt(String(proof.minimum)) >= MINIMUM
        } catch {
          return true
        }
      }),
      { numRuns: 500 },
    )
    t.ok(honestBytes.length <= 1_232)
  })
}

/** What is the provider's word comes out at MIN_VERIFICATION=stated alone. */
function requireProved({ stated = [] }: ReturnType<typeof proveCrossingSolana>) {
  if (stated.includes('recipient')) throw refuseMaterial('recipient')
}
