import t from 'tap'
import { SwapOptions } from '../../src/research/swap-options/shapes.ts'
import { Check } from '../fixtures/check.ts'
import { listen } from '../fixtures/gateway.ts'
import { EVM_WALLET, getCrossChain, getQuote, query, turn, USDC } from '../fixtures/swaps.ts'

const PATHS = ['/api/swap-options', '/api/desktop/swap-options'] as const

async function read(url: string, path: string): Promise<SwapOptions> {
  const response = await fetch(url + path)
  t.equal(response.status, 200)
  const body: unknown = await response.json()
  t.ok(Check(SwapOptions, body))
  return body as SwapOptions
}

/** A node's state is that of the moment. */
const stateless = (options: object): unknown =>
  JSON.parse(JSON.stringify(options, (name, value) => (name === 'state' ? undefined : value)))

t.test('both forms differ in their presets only, and clients cache them', async (t) => {
  const { url } = await listen(t)
  const [narrow, desktop] = await Promise.all(PATHS.map((path) => read(url, path)))
  const { slippageBps, amounts, asOf: _, ...rest } = narrow!
  const { slippageBps: wide, amounts: more, asOf: __, ...same } = desktop!
  t.same(stateless(rest), stateless(same))
  t.same({ ...slippageBps, presets: [] }, { ...wide, presets: [] })
  t.same([slippageBps.presets.length, wide.presets.length], [3, 5])
  t.same([amounts.usd.presets.length, more.usd.presets.length], [3, 5])
  for (const path of PATHS) {
    const first = await fetch(url + path)
    const headers = { 'if-none-match': first.headers.get('etag')! }
    await first.arrayBuffer()
    t.equal((await fetch(url + path, { headers })).status, 304)
    const packed = await fetch(url + path, { headers: { 'accept-encoding': 'br' } })
    t.equal(packed.headers.get('content-encoding'), 'br')
    t.ok(Check(SwapOptions, await packed.json()))
    t.equal((await fetch(`${url}${path}?utm_source=x`)).status, 200)
  }
})

t.test('what it offers is taken, and what it does not is refused', async (t) => {
  const { url } = await listen(t, { LIMITS: 'swap=off' })
  const { chains, sides, slippageBps, crossChain } = await read(url, PATHS[0])
  const order = { chain: 'base', token: USDC.base, amount: '1' }
  for (const side of sides) t.equal((await getQuote(url, { ...order, side })).status, 200)
  const { min, max } = slippageBps
  const statusAt = async (bps: number) =>
    (await getQuote(url, { ...order, side: 'buy', slippageBps: bps })).status
  t.same(
    [await statusAt(min - 1), await statusAt(min), await statusAt(max), await statusAt(max + 1)],
    [400, 200, 200, 400],
  )
  for (const { key, swaps, majors } of chains) {
    const stablecoin = majors.find(({ kind }) => kind === 'stablecoin')
    if (stablecoin === undefined) continue
    const asked = { chain: key, side: 'sell', token: stablecoin.address, amount: '10' }
    const body = (await (await getQuote(url, asked)).json()) as { code?: string }
    t.equal(body.code === 'unsupported_chain', !swaps, key)
  }
  for (const from of crossChain!.from) {
    const asked = { fromChain: from, toChain: 'ton', amount: '1', from: EVM_WALLET }
    const refused = (await (await getCrossChain(url, asked)).json()) as { field?: string }
    t.equal(refused.field, 'toChain', `${from} can be left, and TON not reached`)
  }
})

t.test('with a token on the other side, it has the chains of that token', async (t) => {
  const { url } = await listen(t)
  const all = await read(url, PATHS[0])
  const { address } = all.chains
    .find(({ key }) => key === 'base')!
    .majors.find(({ kind }) => kind === 'stablecoin')!
  for (const path of PATHS) {
    const form = await read(url, `${path}?against=${address.toLowerCase()}`)
    t.equal(form.against.default, address, 'in its canonical spelling')
    t.ok(form.chains.length > 5)
    for (const { key, chainId } of form.chains) t.type(chainId, 'number', key)
    const sui = await read(url, `${path}?against=0x5::x::X`)
    t.same(
      sui.chains,
      all.chains.filter(({ key }) => key === 'sui'),
    )
    t.match(sui.against.default, /^0x0{63}5::x::X$/)
    const native = await fetch(`${url}${path}?against=native`)
    t.ok(native.headers.get('etag'), 'the form as it is without')
    await native.arrayBuffer()
    for (const against of ['x', '', '0x12', 'a'.repeat(257)]) {
      const refused = await fetch(`${url}${path}?against=${against}`)
      t.equal(refused.status, 400)
      t.match(await refused.json(), { code: 'invalid_parameter', field: 'against' })
    }
  }
})

t.test('a failing provider is shown, in another representation', async (t) => {
  const gateway = await listen(t, { LIMITS: 'swap=off' })
  const { url } = gateway
  const stateOf = async (label: string) => {
    const { chains } = await read(url, PATHS[0])
    const { providers } = chains.find(({ key }) => key === 'base')!
    return providers.find((provider) => provider.label === label)!.state
  }
  t.equal(await stateOf('velora'), 'untried')
  const asked = (amount: string) => ({ chain: 'base', side: 'buy', token: USDC.base, amount })
  await (await fetch(`${url}/api/v2quote?${query(asked('1'))}`)).arrayBuffer()
  t.equal(await stateOf('velora'), 'ok')
  t.equal(await stateOf('uniswap-v2'), 'ok', 'as the node that it asks')
  const before = (await fetch(url + PATHS[0])).headers.get('etag')
  await turn(gateway, 'velora', '500')
  await (await fetch(`${url}/api/v2quote?${query(asked('2'))}`)).arrayBuffer()
  t.equal(await stateOf('velora'), 'degraded')
  t.not((await fetch(url + PATHS[0])).headers.get('etag'), before)
})
