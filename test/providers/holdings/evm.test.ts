/** What a wallet holds on an EVM chain, on a real EVM and at nodes that fail. */

import t, { type Test } from 'tap'
import { type Address, encodeFunctionData, encodeFunctionResult, type Hex, multicall3Abi } from 'viem'
import { CHAINS } from '../../../src/chains/chains.ts'
import { MULTICALL3 } from '../../../src/chains/contracts.ts'
import { checksummed } from '../../../src/chains/evm-address.ts'
import { findEvmChain } from '../../../src/chains/find.ts'
import { CancellationScope } from '../../../src/flow/cancellation.ts'
import { EvmHoldings } from '../../../src/providers/holdings/evm.ts'
import type { AskedToken, Holding } from '../../../src/providers/holdings/holdings.ts'
import { decodeAggregate3, encodeAggregate3 } from '../../../src/providers/holdings/multicall.ts'
import { knownTokens } from '../../../src/research/universe/known-tokens.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { Dials } from '../../../src/sandbox/dials.ts'
import { evm } from '../../../src/sandbox/evm/node.ts'
import type { HttpReply } from '../../../src/sandbox/listen.ts'
import { Market } from '../../../src/sandbox/market/market.ts'
import { type ProviderRequest, startProviderServer } from '../../../src/sandbox/provider-server.ts'
import { EvmRpc } from '../../../src/upstream/nodes/evm/rpc.ts'
import { account, artifact, deploy, startAnvil, withoutAnvil } from '../../fixtures/anvil.ts'
import { callOf } from '../../fixtures/call.ts'
import { clockOf } from '../../fixtures/clock.ts'
import fc from '../../fixtures/fast-check.ts'
import { hostileUpstream, stalls } from '../../fixtures/hostile-upstream.ts'
import { deployMulticall3 } from '../../fixtures/multicall3.ts'
import { failureOf, NOW, startProvider } from '../../fixtures/provider.ts'

const BASE = findEvmChain('base')!
const CORE = '@uniswap/v2-core/build'
const PERIPHERY = '@uniswap/v2-periphery/build'
const ETHER = 10n ** 18n
const WALLET = account(1)
const OPTIONS = callOf(600_000)
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'

/** Holdings through nodes, each eth_call of which is counted. */
function holdingsAt(t: Test, url: string, chainKey = 'base', now?: () => number) {
  const nodes = new EvmRpc({ chainKey, urls: [url] })
  t.teardown(() => nodes.close())
  const counted = { calls: 0 }
  const rpc = {
    call: (...call: Parameters<EvmRpc['call']>) => {
      counted.calls++
      return nodes.call(...call)
    },
  }
  const chain = findEvmChain(chainKey)!
  return { counted, holdings: new EvmHoldings({ chain, rpc, ...(now && { clock: clockOf({ now }) }) }) }
}

const find = (holdings: readonly Holding[], address: string) =>
  holdings.find(({ token }) => token.address === address)

const word = (value: bigint): string => value.toString(16).padStart(64, '0')
const words = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0')

/** PUSH32 word, PUSH0, MSTORE, PUSH1 32, PUSH0, RETURN */
const returns = (hex: string): string => `7f${hex}5f5260205ff3`
/** PUSH3 length, PUSH0, RETURN: as many zeros */
const returnsZeros = (length: number): string => `62${length.toString(16).padStart(6, '0')}5ff3`
/** PUSH0, PUSH0, REVERT */
const REVERTS = '5f5ffd'
/** INVALID, which takes all gas that there is */
const BURNS = 'fe'

/**
 * The runtime code of a contract with these functions; it reverts for others.
 *
 *   PUSH0 CALLDATALOAD PUSH1 224 SHR                 selector
 *   DUP1 PUSH4 selector EQ PUSH2 place JUMPI         for each function
 *   PUSH0 PUSH0 REVERT
 *   JUMPDEST body                                    for each function
 */
function contract(bodies: Readonly<Record<string, string>>): Hex {
  const selectors = { balanceOf: '70a08231', decimals: '313ce567', symbol: '95d89b41', name: '06fdde03' }
  const functions = Object.entries(bodies).map(([name, body]) => ({
    selector: selectors[name as keyof typeof selectors],
    code: `5b${body}`,
  }))
  let place = 5 + 11 * functions.length + 3
  let table = ''
  for (const { selector, code } of functions) {
    table += `8063${selector}1461${place.toString(16).padStart(4, '0')}57`
    place += code.length / 2
  }
  return `0x5f3560e01c${table}${REVERTS}${functions.map(({ code }) => code).join('')}`
}

t.test('on a real EVM', { skip: withoutAnvil }, async (t) => {
  const { url, client } = await startAnvil(t, BASE.chainId!)
  await deployMulticall3(client)
  const owner = WALLET.address
  let last = 0xa000
  const place = async (bodies: Readonly<Record<string, string>>): Promise<Address> => {
    const address: Address = `0x${(++last).toString(16).padStart(40, '0')}`
    await client.setCode({ address, bytecode: contract(bodies) })
    return address
  }
  const ones = { balanceOf: returns(word(1n)), decimals: returns(word(6n)) }

  await t.test('balances are exact to the base unit, whatever a token says of itself', async (t) => {
    const astronomical = await deploy(client, artifact(`${CORE}/ERC20`), [10n ** 77n])
    const all = await deploy(client, artifact(`${CORE}/ERC20`), [2n ** 256n - 1n])
    const taxed = await deploy(client, artifact(`${PERIPHERY}/DeflatingERC20`), [100n * ETHER])
    const weth = await deploy(client, artifact(`${PERIPHERY}/WETH9`), [])
    const none = await deploy(client, artifact(`${CORE}/ERC20`), [5n])
    await astronomical.write('transfer', [owner, 10n ** 77n])
    await all.write('transfer', [owner, 2n ** 256n - 1n])
    await taxed.write('transfer', [owner, 100n * ETHER])
    await weth.write('deposit', [], 1_500_000_000_000_000_001n, WALLET)
    const old = await place({ ...ones, symbol: returns(words('MKR')), name: returns(words('Maker')) })
    const turned = await place({ ...ones, symbol: returns(words('\u202eCDSU\u0007')) })
    const broken = await place({ ...ones, symbol: returns('ff'.repeat(32)), name: returnsZeros(100_000) })
    const shy = await place({ ...ones, decimals: REVERTS })
    const absurd = await place({ ...ones, decimals: returns(word(37n)) })
    const fine = await place({ ...ones, decimals: returns(word(36n)) })
    const silent = await place({ ...ones, decimals: returnsZeros(31) })
    const refusing = await place({ ...ones, balanceOf: REVERTS })
    const codeless = '0x000000000000000000000000000000000000c0de'

    const addresses = [
      astronomical.address,
      all.address,
      taxed.address,
      weth.address,
      ...[none.address, old, turned, broken, shy, absurd, fine, silent, refusing, codeless],
    ]
    const { holdings, counted } = holdingsAt(t, url)
    const asked: AskedToken[] = [...addresses, NATIVE, codeless].map((address) => ({ address }))
    const answer = await holdings.ask(owner, asked, OPTIONS)

    t.same(answer.at, { block: Number(await client.getBlockNumber()), slot: null })
    t.equal(answer.missing, 1, 'only the one that refused to tell')
    const expected: [address: string, amount: bigint, decimals: number | null, symbol: string | null][] = [
      [NATIVE, await client.getBalance({ address: owner }), 18, 'ETH'],
      [astronomical.address, 10n ** 77n, 18, 'UNI-V2'],
      [all.address, 2n ** 256n - 1n, 18, 'UNI-V2'],
      [taxed.address, (await taxed.read('balanceOf', owner)) as bigint, 18, 'DTT'],
      [weth.address, 1_500_000_000_000_000_001n, 18, 'WETH'],
      [old, 1n, 6, 'MKR'],
      [turned, 1n, 6, 'CDSU'],
      [broken, 1n, 6, null],
      [shy, 1n, null, null],
      [absurd, 1n, null, null],
      [fine, 1n, 36, null],
      [silent, 1n, null, null],
    ]
    t.same(
      answer.holdings.map(({ token, amount, decimals, symbol }) => [token.address, amount, decimals, symbol]),
      expected,
    )
    t.same(
      answer.holdings
        .filter(({ token }) => token.isNative)
        .map(({ name, wrapped, notes }) => [name, wrapped, notes]),
      [['Base', null, []]],
    )
    t.equal(find(answer.holdings, old)!.name, 'Maker')
    t.equal(find(answer.holdings, weth.address)!.name, 'Wrapped Ether')
    t.equal(find(answer.holdings, broken)!.name, null)

    counted.calls = 0
    t.same((await holdings.ask(owner, asked, OPTIONS)).holdings, answer.holdings)
    t.equal(counted.calls, 2, 'names are kept: the balances, and once more the one that reverted')
  })

  await t.test('what the caller knows of a token is not asked, and goes first', async (t) => {
    const token = await place({ ...ones, symbol: returns(words('FAKE')), name: returns(words('Fake')) })
    const { holdings, counted } = holdingsAt(t, url)
    const ask = async (known: Partial<AskedToken>) => {
      const answer = await holdings.ask(owner, [{ address: token, ...known }], OPTIONS)
      const { decimals, symbol, name } = find(answer.holdings, token)!
      return { decimals, symbol, name }
    }
    const known = { decimals: 8, symbol: 'TRUE', name: 'True' }
    t.same(await ask(known), known)
    t.equal(counted.calls, 1)
    t.same(await ask({ ...known, decimals: null }), { ...known, decimals: 6 })
    t.same(await ask({ symbol: 'S' }), { decimals: 6, symbol: 'S', name: 'Fake' })
    t.equal(counted.calls, 4)
  })

  await t.test('tokens that eat all gas or return megabytes cost nobody but themselves', async (t) => {
    const good: Address[] = []
    for (let i = 0; i < 20; i++) good.push(await place(ones))
    const bad = [
      await place({ ...ones, balanceOf: BURNS }),
      await place({ ...ones, balanceOf: BURNS }),
      await place({ ...ones, balanceOf: BURNS }),
      await place({ ...ones, balanceOf: BURNS }),
    ]
    const bomb = await place({ ...ones, balanceOf: returnsZeros(600_000) })
    const mixed = good.flatMap((address, i) => (i % 5 === 2 ? [bad[(i - 2) / 5]!, address] : [address]))
    const asked = [...mixed, bomb].map((address) => ({ address, decimals: 6, symbol: 'A', name: 'A' }))
    const { holdings, counted } = holdingsAt(t, url)
    const answer = await holdings.ask(owner, asked, OPTIONS)
    t.same(
      answer.holdings.slice(1).map(({ token, amount }) => [token.address, amount]),
      good.map((address) => [address, 1n]),
    )
    t.equal(answer.missing, bad.length + 1)
    t.ok(counted.calls > 5 && counted.calls < 40, `${counted.calls} calls`)

    const first = counted.calls
    t.equal((await holdings.ask(owner, asked, OPTIONS)).missing, bad.length + 1)
    t.equal(counted.calls - first, 1 + bad.length + 1, 'once they are known, they are read alone')
  })

  await t.test(
    'a contract that shows the native balance is no holding, one with an equal balance is',
    async (t) => {
      // PUSH1 4 CALLDATALOAD BALANCE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
      const mirror = await place({ ...ones, balanceOf: '600435315f5260205ff3' })
      const native = await client.getBalance({ address: owner })
      const equal = await place({ ...ones, balanceOf: returns(word(native)) })
      const asked = [mirror, equal].map((address) => ({
        address,
        decimals: 18,
        symbol: 'ETH',
        name: 'Ether',
      }))
      const held = async ({ holdings }: ReturnType<typeof holdingsAt>) => {
        const { missing, holdings: all } = await holdings.ask(owner, asked, OPTIONS)
        return [missing, ...all.map(({ token }) => token.address.toLowerCase())]
      }
      const coin = NATIVE.toLowerCase()
      const wrapped: Address = '0x4200000000000000000000000000000000000006'
      await client.setBalance({ address: wrapped, value: 0n })
      t.same(
        await held(holdingsAt(t, url)),
        [0, coin, mirror, equal],
        'where no coin is wrapped, nothing is known',
      )
      await client.setBalance({ address: wrapped, value: 71_234_567_890_123_456_789_012n })
      const at = holdingsAt(t, url)
      t.same(await held(at), [0, coin, equal])
      const { calls } = at.counted
      t.same(await held(at), [0, coin, equal])
      t.equal(at.counted.calls - calls, 1, 'it is remembered')

      const nodes = new EvmRpc({ chainKey: 'base', urls: [url] })
      t.teardown(() => nodes.close())
      let answers = 1
      const call: EvmRpc['call'] = (...args) => (answers-- > 0 ? nodes.call(...args) : Promise.resolve(null))
      const unsure = { ...at, holdings: new EvmHoldings({ chain: BASE, rpc: { call } }) }
      t.same(await held(unsure), [2, coin], 'what cannot be told is counted as missing, not twice')
    },
  )

  await t.test(
    'hostile tokens that nobody vouches for cost those that are vouched for not one call',
    async (t) => {
      const good: Address[] = []
      for (let i = 0; i < 60; i++) good.push(await place(ones))
      const bad = [await place({ ...ones, balanceOf: BURNS }), await place({ ...ones, balanceOf: BURNS })]
      const known = { decimals: 6, symbol: 'A', name: 'A' }
      const asked = [
        ...bad.map((address) => ({ address, ...known, isVouched: false })),
        ...good.map((address) => ({ address, ...known })),
      ]
      const { holdings } = holdingsAt(t, url)
      let calls = 0
      const firstTwo = new EvmHoldings({
        chain: BASE,
        rpc: {
          call: (...call) => {
            // There is time for one chunk only.
            if (++calls > 1) return Promise.resolve(null)
            return new EvmRpc({ chainKey: 'base', urls: [url] }).call(...call)
          },
        },
      })
      const answer = await firstTwo.ask(owner, asked, OPTIONS)
      t.equal(answer.holdings.length, 1 + good.length)
      t.equal(answer.missing, bad.length)
      t.equal((await holdings.ask(owner, asked, OPTIONS)).holdings.length, 1 + good.length)
    },
  )
})

t.test(
  "the aliases of the native coin in a chain's definition are not asked, as the sandbox's own show",
  async (t) => {
    const node = await sandboxNode(t)
    const aliases = CHAINS.flatMap((chain) =>
      chain.family === 'evm'
        ? (chain.nativeAliases ?? []).map((address) => [chain.key, address] as const)
        : [],
    )
    t.ok(aliases.length >= 5)
    for (const [chainKey, address] of aliases) {
      t.equal(address, checksummed(address.toLowerCase()), `${chainKey} ${address} is canonical`)
      const { holdings } = holdingsAt(t, `${node.url}/${chainKey}`, chainKey)
      const asked = [{ address, decimals: 18, symbol: 'N', name: 'N' }]
      const answer = await holdings.ask(WALLET.address, asked, OPTIONS)
      t.same(
        answer.holdings.map(({ token }) => token.isNative),
        [true],
        chainKey,
      )
      const { result } = (await (
        await fetch(`${node.url}/${chainKey}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            jsonrpc: '2.0',
            id: 1,
            method: 'eth_call',
            params: [{ to: address, data: `0x70a08231${word(BigInt(WALLET.address))}` }, 'latest'],
          }),
        })
      ).json()) as { readonly result: string }
      t.equal(BigInt(result), answer.holdings[0]!.amount, `${chainKey}: it would be counted twice`)
      t.equal(knownTokens(chainKey).find(address), null)
    }
  },
)

/** The sandbox's node, where `refuse` may answer a request in its place. */
async function sandboxNode(t: Test, refuse: (request: ProviderRequest) => HttpReply | null = () => null) {
  const node = await startProvider(t, ({ market }: { market: Market }) => {
    const provider = evm(market)
    return { ...provider, handle: (request) => refuse(request) ?? provider.handle(request) }
  })
  const tokens = (chainKey: string) => node.market.tokens(chainKey)
  return { ...node, tokens }
}

/** The sandbox's nodes at another time of theirs. @returns their URL */
async function startProviderAt(t: Test, now: number): Promise<string> {
  const { url, close } = await startProviderServer(evm(new Market()), new Dials(), () => now)
  t.teardown(close)
  return url
}

/** How many calls an aggregate3 makes, the three in front of each included. */
const countOf = ({ body }: ProviderRequest): number =>
  Number(`0x${(body as { params: [{ data: string }] }).params[0].data.slice(74, 138)}`)

t.test("every chain of the sandbox reports a wallet's holdings, and their block", async (t) => {
  const node = await sandboxNode(t)
  for (const { key } of CHAINS.filter((chain) => chain.family === 'evm')) {
    const tokens = node.tokens(key)
    const { holdings, counted } = holdingsAt(t, `${node.url}/${key}`, key)
    const answer = await holdings.ask(WALLET.address, tokens, OPTIONS)
    t.equal(answer.missing, 0, key)
    t.equal(answer.at.block, NOW / 2_000, key)
    t.equal(counted.calls, 1, key)
    const expected = tokens.map(({ chain, address, decimals, symbol, isNative }) => ({
      token: { chain, address, isNative },
      amount: (isNative ? 10n : 1_000n) * 10n ** BigInt(decimals),
      decimals,
      symbol,
    }))
    t.same(
      answer.holdings.map(({ token, amount, decimals, symbol }) => ({ token, amount, decimals, symbol })),
      expected,
      key,
    )
  }
})

t.test('a chunk that is too much for a node is halved until it fits', async (t) => {
  const tokens = new Market().tokens('base')
  const tooMuch: [title: string, reply: HttpReply][] = [
    ['413', { status: 413, body: { error: 'Request Entity Too Large' } }],
    ['a server error', { status: 500, body: { error: 'Internal Server Error' } }],
    ['a node without gas', rpcError(-32000, 'out of gas')],
    ['a revert', rpcError(3, 'execution reverted')],
    ['a time limit', rpcError(-32000, 'execution aborted (timeout = 5s)')],
    ['a reply beyond the bound', { status: 200, body: JSON.stringify('0'.repeat(2_000_000)) }],
  ]
  for (const [title, reply] of tooMuch) {
    const sizes: number[] = []
    const node = await sandboxNode(t, (request) => {
      sizes.push(countOf(request))
      return countOf(request) <= 7 ? null : withId(reply, request)
    })
    const { holdings } = holdingsAt(t, `${node.url}/base`)
    const answer = await holdings.ask(WALLET.address, tokens, OPTIONS)
    t.equal(answer.holdings.length, tokens.length, title)
    t.equal(answer.missing, 0, title)
    t.same(sizes[0], tokens.length + 3, title)
    t.ok(sizes[1]! < sizes[0]!, title)
  }
})

t.test('a chunk that takes a node too long is halved within the time that there is', async (t) => {
  const sizes: number[] = []
  const node = await startProvider(t, ({ market }: { market: Market }) => {
    const provider = evm(market)
    return {
      ...provider,
      handle(request) {
        sizes.push(countOf(request))
        return countOf(request) <= 7 ? provider.handle(request) : new Promise<HttpReply>(() => {})
      },
    }
  })
  const tokens = node.market.tokens('base').slice(0, 8)
  const { holdings } = holdingsAt(t, `${node.url}/base`)
  const answer = await holdings.ask(WALLET.address, tokens, callOf(1_200))
  t.equal(answer.missing, 0)
  t.equal(answer.holdings.length, tokens.length)
  t.same(sizes.slice(0, 3), [8 + 3, 4 + 3, 4 + 3])
})

t.test('a node that limits calls in a 200 is not asked again in halves', async (t) => {
  for (const code of [-32005, 429]) {
    const node = await sandboxNode(t, (request) => withId(rpcError(code, 'limit exceeded'), request))
    const { holdings } = holdingsAt(t, `${node.url}/base`)
    const failure = await failureOf(holdings.ask(WALLET.address, node.tokens('base'), OPTIONS))
    t.match(failure, { code: 'upstream_rate_limited', scope: 'provider' })
    t.equal(node.requests.length, 1)
  }
})

t.test('a node that never answers well is given up soon, and says why', async (t) => {
  const cases: [title: string, reply: HttpReply | null, code: string, maxCalls: number][] = [
    ['no contract', { status: 200, body: { result: '0x' } }, 'upstream_unusable', 1],
    ['another contract', { status: 200, body: { result: `0x${word(1n)}` } }, 'upstream_unusable', 1],
    ['one that always reverts', rpcError(3, 'execution reverted'), 'upstream_unusable', 24],
    ['its own errors', rpcError(-32603, 'missing trie node'), 'upstream_failed', 24],
    ['a rate limit', { status: 429, body: {} }, 'upstream_rate_limited', 1],
    ['a refusal', { status: 403, body: {} }, 'upstream_refused', 1],
    ['server errors', { status: 500, body: {} }, 'upstream_failed', 24],
    ['garbage', { status: 200, body: '{"garbage":' }, 'upstream_unusable', 24],
  ]
  for (const [title, reply, code, maxCalls] of cases) {
    const node = await sandboxNode(t, (request) => reply && withId(reply, request))
    const { holdings } = holdingsAt(t, `${node.url}/base`)
    const failure = await failureOf(holdings.ask(WALLET.address, node.tokens('base'), OPTIONS))
    t.match(failure, { name: 'GatewayError', code, status: 502, scope: 'provider' }, title)
    t.ok(node.requests.length <= maxCalls, `${title}: ${node.requests.length} calls`)
  }
})

t.test("a node of another chain is not asked for that chain's holdings", async (t) => {
  const node = await sandboxNode(t)
  const { holdings } = holdingsAt(t, `${node.url}/ethereum`, 'base')
  t.match(await failureOf(holdings.ask(WALLET.address, [], OPTIONS)), { code: 'upstream_unusable' })
})

t.test(
  'a node of another chain, or without Multicall3, is unwell: the next one is asked, and first from then on',
  async (t) => {
    const node = await sandboxNode(t)
    const tokens = node.tokens('base')
    const bare = await sandboxNode(t, (request) => withId({ status: 200, body: { result: '0x' } }, request))
    const strangers: [title: string, url: string][] = [
      ['another chain', `${node.url}/ethereum`],
      ['no Multicall3', bare.url],
    ]
    for (const [title, stranger] of strangers) {
      const nodes = new EvmRpc({ chainKey: 'base', urls: [stranger, `${node.url}/base`] })
      t.teardown(() => nodes.close())
      const holdings = new EvmHoldings({ chain: BASE, rpc: nodes, clock: clockOf({ date: () => NOW }) })
      const before = node.requests.length + bare.requests.length
      for (const calls of [2, 3]) {
        const answer = await holdings.ask(WALLET.address, tokens, OPTIONS)
        t.match(answer, { missing: 0, isBehind: false, at: { block: NOW / 2_000 } }, title)
        t.equal(answer.holdings.length, tokens.length, title)
        t.equal(node.requests.length + bare.requests.length - before, calls, title)
      }
      t.equal(nodes.state()[0]!.state, 'degraded', title)
    }
  },
)

t.test(
  'a node whose head is hours old is asked after others, and is told of where there is none',
  async (t) => {
    const node = await sandboxNode(t)
    const tokens = node.tokens('base')
    const hour = 3_600_000
    const ask = async (urls: readonly string[], date: number) => {
      const nodes = new EvmRpc({ chainKey: 'base', urls })
      t.teardown(() => nodes.close())
      const holdings = new EvmHoldings({ chain: BASE, rpc: nodes, clock: clockOf({ date: () => date }) })
      return holdings.ask(WALLET.address, tokens, OPTIONS)
    }
    const old = await ask([`${node.url}/base`], NOW + 3 * hour)
    t.match(old, { isBehind: true, missing: 0 })
    t.equal(old.holdings.length, tokens.length)
    t.match(await ask([`${node.url}/base`], NOW + 600_000), { isBehind: false })
    const fresh = await startProviderAt(t, NOW + 3 * hour)
    const answer = await ask([`${node.url}/base`, `${fresh}/base`], NOW + 3 * hour)
    t.match(answer, { isBehind: false, at: { block: (NOW + 3 * hour) / 2_000 } })
  },
)

t.test(
  'chunks are of 80 reads, of 40 on Monad, and of their own where nobody vouches for a token',
  async (t) => {
    const sizes: number[] = []
    const node = await sandboxNode(t, (request) => {
      sizes.push(countOf(request) - 3)
      return null
    })
    const asked = (count: number, isVouched: boolean): AskedToken[] =>
      Array.from({ length: count }, (_, i) => ({
        address: `0x${word(BigInt(i + (isVouched ? 1_000 : 2_000))).slice(24)}`,
        isVouched,
      }))
    for (const [chainKey, expected] of [
      ['base', [80, 80, 40, 80, 20]],
      ['monad', [40, 40, 40, 40, 40, 40, 40, 20]],
    ] as const) {
      sizes.length = 0
      const { holdings } = holdingsAt(t, `${node.url}/${chainKey}`, chainKey)
      // The native coin is a read too.
      const answer = await holdings.ask(WALLET.address, [...asked(100, false), ...asked(199, true)], OPTIONS)
      t.same(sizes, expected, chainKey)
      t.equal(answer.missing, 0)
    }
  },
)

t.test(
  "a chunk that had no turn, for the client's other calls, is asked again while there is time",
  async (t) => {
    const node = await sandboxNode(t)
    const nodes = new EvmRpc({ chainKey: 'base', urls: [`${node.url}/base`] })
    t.teardown(() => nodes.close())
    const ask = async (waitMs: number, isThrottled: boolean) => {
      let now = 1
      let calls = 0
      const call: EvmRpc['call'] = async (to, data, carried, judge) => {
        if (++calls > 2) return nodes.call(to, data, carried, judge)
        now += waitMs
        if (isThrottled) carried.scope.markThrottled()
        throw new GatewayError('upstream_rate_limited', 'Too many calls are under way already.')
      }
      const clock = clockOf({ now: () => now, date: () => NOW })
      const holdings = new EvmHoldings({ chain: BASE, rpc: { call }, clock })
      const answer = holdings.ask(WALLET.address, [], callOf(4_000, null, 'build', clock))
      return answer.then(
        ({ missing }) => missing,
        ({ code }) => code,
      )
    }
    t.equal(await ask(1_000, true), 0)
    t.equal(await ask(2_500, true), 'upstream_rate_limited', 'until the time is over')
    t.equal(await ask(0, true), 'upstream_rate_limited', 'not where it did not wait')
    t.equal(await ask(1_000, false), 'upstream_rate_limited', "not where it is the node's own limit")
  },
)

t.test(
  'decimals that a list claims are asked of the chain, and a list that is wrong is not believed',
  async (t) => {
    const node = await sandboxNode(t)
    const [, , usdc] = node.tokens('base')
    const ask = async (listedDecimals: number) => {
      const { holdings, counted } = holdingsAt(t, `${node.url}/base`)
      const asked = { address: usdc!.address, symbol: 'LISTED', name: 'Listed', listedDecimals }
      const answer = await holdings.ask(WALLET.address, [asked], OPTIONS)
      const { decimals, symbol, name } = find(answer.holdings, usdc!.address)!
      return { decimals, symbol, name, calls: counted.calls }
    }
    t.same(await ask(6), { decimals: 6, symbol: 'LISTED', name: 'Listed', calls: 2 })
    t.same(await ask(18), { decimals: 6, symbol: 'USDC', name: 'USD Coin', calls: 2 })
  },
)

t.test('holdings that were read before a node failed are shown, with what is missing', async (t) => {
  const node: Awaited<ReturnType<typeof sandboxNode>> = await sandboxNode(t, () =>
    node.requests.length > 1 ? { status: 429, body: {} } : null,
  )
  const { address } = node.tokens('base')[2]!
  const strangers = Array.from({ length: 120 }, (_, i) => ({ address: `0x${word(BigInt(i + 1)).slice(24)}` }))
  const { holdings } = holdingsAt(t, `${node.url}/base`)
  const answer = await holdings.ask(WALLET.address, [{ address }, ...strangers], OPTIONS)
  t.same(
    answer.holdings.map((holding) => [holding.token.address, holding.decimals]),
    [
      [NATIVE, 18],
      [address, null],
    ],
  )
  t.equal(answer.missing, 122 - 80 + 1, 'the second chunk, and the decimals of the token')
  t.equal(answer.isCoinMissing, false)
})

t.test('time that runs out is a timeout, and a caller that goes away ends it', async (t) => {
  const node = await hostileUpstream(t, stalls)
  const { holdings, counted } = holdingsAt(t, node.url)
  const ask = (scope: CancellationScope | null, deadlineMs: number) =>
    failureOf(holdings.ask(WALLET.address, [{ address: MULTICALL3 }], callOf(deadlineMs, scope)))
  t.match(await ask(null, 60), { code: 'upstream_timeout' })
  const asked = counted.calls
  t.match(await ask(null, 0), { code: 'upstream_timeout', scope: 'provider', fields: { provider: 'base' } })
  t.equal(counted.calls, asked, 'there is no time to ask')
  const scope = new CancellationScope()
  const failure = ask(scope, 60_000)
  setImmediate(() => scope.cancel())
  t.match(await failure, { code: 'upstream_unavailable' })
  const before = counted.calls
  t.match(await ask(scope, 60_000), { code: 'upstream_unavailable' })
  t.equal(counted.calls, before + 1)
})

t.test('names are kept for an hour', async (t) => {
  const node = await sandboxNode(t)
  const clock = { now: 0 }
  const { holdings, counted } = holdingsAt(t, `${node.url}/base`, 'base', () => clock.now)
  const { address } = node.tokens('base')[2]!
  const calls: number[] = []
  for (const now of [1, 3_600_000, 3_600_002]) {
    clock.now = now
    counted.calls = 0
    await holdings.ask(WALLET.address, [{ address }], OPTIONS)
    calls.push(counted.calls)
  }
  t.same(calls, [2, 1, 2])
})

t.test('aggregate3 is written as others write it, and read back whatever comes', async (t) => {
  const hexOf = fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes).toString('hex'))
  const target = fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((b) => `0x${Buffer.from(b).toString('hex')}`)
  const calls = fc.array(fc.record({ target, data: hexOf }), { maxLength: 8 })
  fc.assert(
    fc.property(calls, (some) => {
      const args = [
        some.map(({ target, data }) => ({
          target: target as Hex,
          allowFailure: true,
          callData: `0x${data}` as Hex,
        })),
      ] as const
      t.equal(
        encodeAggregate3(some),
        encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args }),
      )
    }),
    { numRuns: 50 },
  )
  const results = fc.array(fc.record({ success: fc.boolean(), data: hexOf }), { maxLength: 8 })
  const answerOf = (some: readonly { success: boolean; data: string }[]) =>
    encodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      result: some.map(({ success, data }) => ({ success, returnData: `0x${data}` as Hex })),
    })
  fc.assert(
    fc.property(results, fc.nat(), fc.nat(255), (some, place, byte) => {
      const answer = answerOf(some)
      t.same(
        decodeAggregate3(answer, some.length)?.map((one) => one?.toString('hex') ?? null),
        some.map(({ success, data }) => (success ? data : null)),
      )
      t.equal(decodeAggregate3(answer, some.length + 1), null)
      // Cut short or changed in any byte, it is read within its bounds or not at all.
      const bytes = Buffer.from(answer.slice(2), 'hex')
      const at = place % bytes.length
      decodeAggregate3(`0x${bytes.toString('hex', 0, at)}`, some.length)
      bytes[at] = byte
      const read = decodeAggregate3(`0x${bytes.toString('hex')}`, some.length)
      t.ok(read === null || read.length === some.length)
    }),
    { numRuns: 200 },
  )
  const one = answerOf([{ success: true, data: 'ff'.repeat(32) }]).slice(2)
  const wordsOf = one.match(/.{64}/g)!
  for (const [at, name] of ['list', 'count', 'tuple', 'success', 'bytes', 'length'].entries()) {
    for (const value of [2n ** 256n - 1n, 2n ** 53n, 2n ** 32n, 1_000n]) {
      const changed = wordsOf.with(at, word(value)).join('')
      t.equal(decodeAggregate3(`0x${changed}`, 1), null, `${name} ${value}`)
    }
    t.equal(decodeAggregate3(`0x${wordsOf.slice(0, at).join('')}`, 1), null, `cut before ${name}`)
  }
})

function rpcError(code: number, message: string): HttpReply {
  return { status: 200, body: { error: { code, message } } }
}

/** The reply as an answer to the request: an object gets its id. */
function withId(reply: HttpReply, { body }: ProviderRequest): HttpReply {
  if (typeof reply.body !== 'object') return reply
  const { id } = body as { id: number }
  return { ...reply, body: { jsonrpc: '2.0', id, ...reply.body } }
}
