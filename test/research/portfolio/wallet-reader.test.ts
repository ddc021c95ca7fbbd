import t from 'tap'
import { findChain } from '../../../src/chains/find.ts'
import type { AskedToken, Holding, Holdings } from '../../../src/providers/holdings/holdings.ts'
import type { KnownToken } from '../../../src/providers/tokens/token-source.ts'
import type { ListedToken } from '../../../src/research/list/token-set.ts'
import { WalletReader } from '../../../src/research/portfolio/wallet-reader.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'

const listed = (address: string, more: Partial<ListedToken> = {}): ListedToken => ({
  chain: 'base',
  address,
  symbol: `L${address}`,
  name: null,
  decimals: null,
  price: 1,
  priceTs: 1,
  liq: 1,
  vol24: null,
  checkedTs: null,
  isListed: true,
  ...more,
})

const known = (address: string, isVouched: boolean): KnownToken => ({
  chain: 'base',
  address,
  symbol: `K${address}`,
  name: `Known ${address}`,
  decimals: 18,
  isVouched,
})

const holding = (address: string, more: Partial<Holding> = {}): Holding => ({
  token: { chain: 'base', address, isNative: false },
  amount: 1n,
  decimals: 18,
  symbol: null,
  name: null,
  wrapped: null,
  notes: [],
  ...more,
})

const WALLETS = [{ chain: findChain('base')!, owner: 'owner' }]
const clock = clockOf({ now: () => 1 })

/** A wallet with these holdings, and what its nodes were asked for. */
function walletOf(
  set: readonly ListedToken[],
  universe: readonly KnownToken[],
  holdings: readonly Holding[] | GatewayError,
) {
  const asked: AskedToken[] = []
  const ready: unknown[] = []
  const wallets = new WalletReader({
    tokens: {
      ready: async (ms) => void ready.push(ms),
      tokens: () => set,
    },
    clock,
    universe: {
      ready: async (chains, ms) => void ready.push(chains, ms),
      tokens: () => universe,
      find: (_chain, address) => universe.find((token) => token.address === address) ?? null,
    },
    holdings: () => ({
      async ask(_owner, tokens) {
        asked.push(...tokens)
        if (holdings instanceof GatewayError) throw holdings
        return { at: { block: 1, slot: null }, holdings, missing: 0 }
      },
    }),
  })
  const read = async (): Promise<Holdings> => {
    const [reading] = await wallets.readAll(WALLETS, () => callOf(1_000))
    return reading!.held as Holdings
  }
  return { wallets, read, asked, ready }
}

t.test('if no chain could be read, there is no answer', async (t) => {
  const { read } = walletOf([], [], new GatewayError('upstream_failed', 'Not today.'))
  await t.rejects(read(), { code: 'upstream_unavailable' })
})

t.test('the likeliest holdings are read first, unvouched ones last', async (t) => {
  const { wallets, read, asked, ready } = walletOf(
    [
      listed('found'),
      listed('both'),
      listed('major', { decimals: 6 }),
      listed('own', { isChosen: true }),
      listed('unchosen', { decimals: 6, isChosen: false }),
    ],
    [known('a', false), known('b', true), known('both', true), known('major', true), known('found', false)],
    [],
  )
  await read()
  t.same(
    asked.map(({ address, isVouched }) => [address, isVouched]),
    [
      ['major', true],
      ['own', true],
      ['b', true],
      ['both', true],
      ['found', false],
      ['unchosen', false],
      ['a', false],
    ],
  )
  t.match(asked[0], { decimals: 6, symbol: 'Lmajor' })
  t.match(asked[2], { symbol: 'Kb', name: 'Known b', listedDecimals: 18 })
  t.notOk('decimals' in asked[2]!, 'the chain has to say')
  await wallets.ready(WALLETS, 7)
  t.same(ready, [7, ['base'], 7])
})

t.test(
  'what is held and has no name gets the one that is known, unless another token is meant',
  async (t) => {
    const held = [
      holding('a'),
      holding('b', { decimals: 6 }),
      holding('c'),
      holding('d', { symbol: 'OWN' }),
      holding('e', { decimals: null, name: 'Own' }),
    ]
    const { read } = walletOf(
      [],
      'abde'.split('').map((address) => known(address, false)),
      held,
    )
    const { holdings } = await read()
    t.same(
      holdings.map(({ symbol, name }) => [symbol, name]),
      [
        ['Ka', 'Known a'],
        [null, null],
        [null, null],
        ['OWN', null],
        ['Ke', 'Own'],
      ],
    )
  },
)
