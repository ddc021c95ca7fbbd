/**
 * The table of the cross-chain provider's functions against the ABI of its
 * published source, and real calldata against the order that it states itself.
 */
import t from 'tap'
import { EVM_CHAINS } from '../../src/chains/find.ts'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { FACETS, signaturesOf } from '../../src/proof/cross-chain/lifi/facets.ts'
import { SWIFT_SELECTORS } from '../../src/proof/cross-chain/lifi/mayan.ts'
import { type LifiProof, proveLifiCall, SWAP_FUNCTIONS } from '../../src/proof/cross-chain/lifi/prove.ts'
import { CalldataReader } from '../../src/proof/evm/calldata.ts'
import { LIFI_FEE_BPS } from '../../src/proof/terms/fees.ts'
import type { CrossChainOrder } from '../../src/proof/terms/order.ts'
import type { GatewayError } from '../../src/runtime/errors.ts'
import { LIFI_SAMPLES_AT, type LifiSample, lifiOrderOf } from '../fixtures/lifi-samples.ts'
import { readVectorLines, readVectors, skipWithout } from '../fixtures/vectors.ts'

const ABI = 'calldata/lifi.abi.json'
const SAMPLES = 'calldata/samples.jsonl'

interface AbiFunction {
  readonly facet: string
  readonly name: string
  readonly status: string
  readonly selector: string
  readonly positions: Readonly<Record<'bridgeData' | 'swapData' | 'facetData', number | null>>
  readonly inputs: readonly Input[]
}

interface Input {
  readonly name: string
  readonly type: string
  readonly components?: readonly Input[]
}

/** Solidity's notation, types without names. */
const typesOf = ({ type, components }: Input): string =>
  type.replace(/^tuple/, components === undefined ? 'tuple' : `(${components.map(typesOf).join()})`)

t.test(
  'each function of the table is one of the published source, field by field',
  {
    skip: skipWithout(ABI),
  },
  async (t) => {
    const { functions } = readVectors<{ functions: readonly AbiFunction[] }>(ABI)
    const head = new Map(
      functions.filter(({ status }) => status === 'head').map((row) => [row.selector, row]),
    )
    for (const facet of FACETS) {
      const signatures = signaturesOf(facet)
      for (const kind of ['start', 'swap'] as const) {
        const theirs = head.get(facet[kind])!
        t.ok(theirs, `${facet.name} ${kind}`)
        const reader = new CalldataReader<Record<string, unknown>>([signatures[kind]])
        t.same(reader.selectors, [facet[kind]], theirs.name)
        t.match(signatures[kind], `function ${theirs.name}(`)
        const { bridgeData, swapData, facetData } = theirs.positions
        const isSwap = kind === 'swap'
        const ours = [0, isSwap ? 1 : null, facet.data === null ? null : isSwap ? 2 : 1]
        t.same(ours, [bridgeData, swapData, facetData], 'positions')
        if (facetData === null) continue
        // A field that is read by its name stands where theirs has it.
        const names = theirs.inputs[facetData]!.components!.map((field) => `${typesOf(field)} ${field.name}`)
        t.equal(flat(facet.data!), names.join(', '), 'names')
      }
    }
    for (const { selector, signature } of SWAP_FUNCTIONS) {
      t.same(new CalldataReader<Record<string, unknown>>([signature]).selectors, [selector])
      if (selector !== '0x4630a0d8') t.ok(head.has(selector), signature)
    }
    const accepted = new Set([
      ...FACETS.flatMap(({ start, swap }) => [start, swap]),
      ...SWAP_FUNCTIONS.map(({ selector }) => selector),
    ])
    const left = [...head.values()].filter(({ selector }) => !accepted.has(selector))
    t.same([...new Set(left.map(({ facet }) => facet))].sort(), [
      // An order whose refund the contract itself gets; calls without BridgeData, of which it compares nothing.
      'AcrossFacet',
      'AcrossFacetPackedV4',
      // Not deployed anywhere, or on one chain that is not in the table.
      'FraxFacet',
      'MegaETHBridgeFacet',
      'PaxosTransitFacet',
      'SquidFacet',
      'SupersetFacet',
    ])
    t.same(SWIFT_SELECTORS, ['0xa3a30834', '0x8e8d142b', '0xb866e173'])
  },
)

/** Names within a nested struct are not among the outer ones. */
function flat(data: string): string {
  const nested = /\(([^()]*)\)/g
  return data.replace(nested, (_, fields: string) => {
    const types = fields.split(', ').map((field) => field.split(' ')[0])
    return `(${types.join()})`
  })
}

t.test(
  "each chain's contract is the one of the published deployments",
  { skip: skipWithout(ABI) },
  async (t) => {
    const { diamond } = readVectors<{
      diamond: { perChain: Record<string, { chainId: number; address: string }> }
    }>(ABI)
    const theirs = new Map(Object.values(diamond.perChain).map(({ chainId, address }) => [chainId, address]))
    for (const { key, chainId, xprovContract } of EVM_CHAINS) t.equal(xprovContract, theirs.get(chainId), key)
  },
)

/** Their own fees were asked for by those who sent them. */
const FEE_BPS = 175n
const RELAY = { stated: ['recipient', 'received_token', 'minimum'] }
/** By function: what is the provider's word in it. */
const EXPECTED: Readonly<Record<string, { readonly stated: readonly string[] }>> = {
  swapAndStartBridgeTokensViaAcrossV4: { stated: [] },
  // The tokens' decimals are not told, and it counts in eight.
  swapAndStartBridgeTokensViaMayan: { stated: ['minimum'] },
  swapAndStartBridgeTokensViaGasZip: { stated: ['received_token', 'minimum'] },
  startBridgeTokensViaRelayDepository: RELAY,
  swapAndStartBridgeTokensViaRelayDepository: RELAY,
  startBridgeTokensViaEco: RELAY,
  swapAndStartBridgeTokensViaLayerSwap: RELAY,
  swapAndStartBridgeTokensViaNEARIntents: RELAY,
}

t.test('real calls prove what they themselves state', { skip: skipWithout(SAMPLES) }, async (t) => {
  const samples = readVectorLines<LifiSample>(SAMPLES).filter(({ family }) => family === 'lifi')
  t.equal(samples.length, 15)
  const dear: string[] = []
  for (const sample of samples) {
    const { data, value, to: diamond } = sample
    const order = lifiOrderOf(sample)
    const minimum = BigInt(sample.fields.minReturn ?? 1)
    const expected = EXPECTED[sample.function] ?? { stated: [] }
    const prove = (changes: Partial<CrossChainOrder> = {}, least = minimum, maxFeeBps = FEE_BPS) =>
      ruleOf(() =>
        proveLifiCall(
          { diamond, data, value: BigInt(value) },
          {
            order: { ...order, ...changes },
            minimum: least,
            now: LIFI_SAMPLES_AT,
            maxFeeBps,
            statedFees: new Map([[sample.fields.srcToken.toLowerCase(), order.amountIn]]),
          },
        ),
      )
    t.strictSame(statedIn(prove()), expected.stated, sample.function)
    const { fees } = (prove() as LifiProof).facts as {
      fees: readonly { bps: number; whose: string | null }[]
    }
    const most = fees.reduce((sum, { bps }) => sum + bps, 0)
    const bounded = prove({}, minimum, LIFI_FEE_BPS)
    if (most > Number(LIFI_FEE_BPS)) t.equal(bounded, 'fees', `${most} bps`)
    else t.strictSame(statedIn(bounded), expected.stated, `${most} bps`)
    dear.push(...(most > Number(LIFI_FEE_BPS) ? [`${sample.function} ${most}`] : []))
    const stranger =
      order.toChain.family === 'evm'
        ? '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
        : encodeBase58(Buffer.alloc(32, 9))
    const isBound = order.toChain.family === 'evm' || !expected.stated.includes('recipient')
    if (isBound) t.equal(prove({ to: stranger }), 'recipient', 'for another')
    t.match(prove({ amountIn: order.amountIn - 1n }), /^(amount|value)$/, 'of another amount')
    if (expected.stated.length === 0) t.equal(prove({}, 10n ** 40n), 'minimum', 'for more')
  }
  t.same(dear, [
    'swapTokensMultipleV3ERC20ToNative 125',
    'swapAndStartBridgeTokensViaRelayDepository 125',
    'swapAndStartBridgeTokensViaNEARIntents 164',
  ])
})

/** What was proved, or the rule that refused. */
/** @returns what it is instead, where it is no proof */
const statedIn = (found: unknown): unknown => (found as Partial<LifiProof>).stated ?? found

function ruleOf(prove: () => unknown): unknown {
  try {
    return prove()
  } catch (error) {
    return (error as GatewayError).fields?.rule ?? error
  }
}
