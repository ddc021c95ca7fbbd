import t from 'tap'
import { findChain } from '../../src/chains/find.ts'
import type { QuoteQuery } from '../../src/runtime/resources/order.ts'
import type { Decimals } from '../../src/swap/decimals.ts'
import { parseRequest, toOrder } from '../../src/swap/order.ts'
import { callOf } from '../fixtures/call.ts'

const CALL = callOf(900)

const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const AERO = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const QUERY: QuoteQuery = { chain: 'base', side: 'buy', token: USDC, amount: '1.5', slippageBps: 300 }
const BASE = findChain('base')!

t.test('addresses become canonical, and the wallet may be absent', async (t) => {
  const terms = { side: 'buy', token: USDC, against: null, amount: '1.5', slippageBps: 300, from: null }
  const request = { chain: BASE, ...terms }
  t.same(parseRequest(QUERY), request)
  const lower = { ...QUERY, token: USDC.toLowerCase(), from: WALLET.toLowerCase() }
  t.same(parseRequest(lower), { ...request, from: WALLET })
  for (const against of ['native', NATIVE, NATIVE.toLowerCase()]) {
    t.same(parseRequest({ ...QUERY, against }), request, 'the native coin is what stands there anyway')
  }
  t.same(parseRequest({ ...QUERY, against: AERO.toLowerCase() }), { ...request, against: AERO })
})

t.test('what cannot be traded is refused by its field', async (t) => {
  const cases: [changes: Partial<QuoteQuery>, code: string, field: string][] = [
    [{ chain: 'atlantis' }, 'unsupported_chain', 'chain'],
    [{ token: 'native' }, 'invalid_parameter', 'token'],
    [{ token: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' }, 'invalid_parameter', 'token'],
    [{ token: USDC.slice(0, -1) }, 'invalid_parameter', 'token'],
    [{ token: USDC.replace('f', 'F') }, 'invalid_parameter', 'token'],
    [{ from: 'nobody' }, 'invalid_parameter', 'from'],
    [{ from: '' }, 'invalid_parameter', 'from'],
    [{ against: USDC.toLowerCase() }, 'invalid_parameter', 'against'],
    [{ against: '' }, 'invalid_parameter', 'against'],
    [{ against: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v' }, 'invalid_parameter', 'against'],
  ]
  for (const [changes, code, field] of cases) {
    t.throws(
      () => parseRequest({ ...QUERY, ...changes }),
      { code, status: 400, fields: { field } },
      JSON.stringify(changes),
    )
  }
})

t.test('an order counts its amount in the token that goes in', async (t) => {
  const asked: unknown[][] = []
  const decimals = {
    addTo: async (...args: unknown[]) => {
      asked.push(args)
      return { ...(args[1] as object), decimals: 6 }
    },
  } as unknown as Decimals
  const token = { address: USDC, isNative: false, decimals: 6 }
  const bought = await toOrder(parseRequest(QUERY), decimals, CALL)
  t.match(bought, {
    side: 'buy',
    tokenIn: { isNative: true, decimals: 18 },
    tokenOut: token,
    slippageBps: 300,
    from: null,
  })
  t.match(bought, { amountIn: 1_500_000_000_000_000_000n })
  const sold = await toOrder(parseRequest({ ...QUERY, side: 'sell', from: WALLET }), decimals, CALL)
  t.match(sold, { side: 'sell', tokenIn: token, tokenOut: { isNative: true, decimals: 18 }, from: WALLET })
  t.match(sold, { amountIn: 1_500_000n })
  t.same(asked[0], [BASE, { address: USDC, isNative: false }, CALL])
  const against = { address: AERO, isNative: false, decimals: 6 }
  const spent = await toOrder(parseRequest({ ...QUERY, against: AERO }), decimals, CALL)
  t.match(spent, { side: 'buy', tokenIn: against, tokenOut: token, amountIn: 1_500_000n })
  const got = await toOrder(parseRequest({ ...QUERY, side: 'sell', against: AERO }), decimals, CALL)
  t.match(got, { side: 'sell', tokenIn: token, tokenOut: against })
  t.same(
    asked.slice(-2).map(([, one]) => (one as { address: string }).address),
    [USDC, AERO],
    'both are asked for',
  )
  const precise = parseRequest({ ...QUERY, side: 'sell', amount: '0.0000001' })
  await t.rejects(toOrder(precise, decimals, CALL), { code: 'amount_precision' })
})
