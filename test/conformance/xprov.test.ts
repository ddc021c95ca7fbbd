/**
 * Every request that the adapter sends and every answer that the sandbox gives,
 * against LI.FI's own OpenAPI document; and our types against its type package.
 */
import type { ErrorCode, LiFiStep, StatusMessage } from '@lifi/types'
import t from 'tap'
import type { Step } from '../../src/proof/cross-chain/lifi/step.ts'
import { xprovTokens } from '../../src/providers/tokens/xprov-tokens.ts'
import { PREFERENCES } from '../../src/swap/cross-chain.ts'
import { loadOpenApi } from '../fixtures/openapi.ts'
import { failureOf, OPTIONS } from '../fixtures/provider.ts'
import { crossChain, startXprov, WALLETS } from '../fixtures/xprov.ts'

const { evm, solana, sui } = WALLETS

/** Compiles only while what we read is where LI.FI's own types have it. */
type Assignable<Theirs extends Ours, Ours> = Theirs
type Read = Omit<Step, 'transactionRequest' | 'estimate'>
export type StepIsTheirs = Assignable<LiFiStep, Read>
export type EstimateIsTheirs = Assignable<NonNullable<LiFiStep['estimate']>, Step['estimate']>
export type RequestIsTheirs = Assignable<
  NonNullable<LiFiStep['transactionRequest']>,
  // Theirs allows bigints and numbers too, which JSON's hex strings are not.
  Pick<NonNullable<Step['transactionRequest']>, 'to' | 'from' | 'data' | 'chainId'>
>
const STATUSES: readonly StatusMessage[] = ['NOT_FOUND', 'PENDING', 'DONE']
const CODES: readonly ErrorCode[] = [1_002, 1_003, 1_005, 1_011]

t.test('requests and answers are as the document describes them', async (t) => {
  const api = loadOpenApi(t, 'lifi.yaml')
  if (api === null) return
  const { client, market, requests, url, upstream } = await startXprov(t)
  const orders = [
    crossChain(market, ['base', 'USDC', evm], ['solana', null, solana], 250_000_000n),
    crossChain(market, ['solana', null, solana], ['sui', null, sui], 10n ** 9n),
    crossChain(market, ['sui', null, sui], ['sui', 'USDC', sui], 10n ** 9n),
  ]
  for (const order of orders) {
    for (const preference of PREFERENCES)
      await client.quote({ ...order, slippage: '0.005', preference }, OPTIONS)
    await client.quote(order, OPTIONS)
  }
  await client.decimals(orders[2]!.fromChain, orders[2]!.tokenOut.address, OPTIONS)
  for (const chain of ['base', 'sui']) await xprovTokens(upstream).ask(chain, OPTIONS)
  const hints = { fromChain: orders[0]!.fromChain, toChain: orders[0]!.toChain, bridge: 'mayan' }
  await client.status(`0x${'9d'.repeat(32)}`, hints, OPTIONS)
  await client.status(`0x${'9d'.repeat(32)}`, {}, OPTIONS)
  await failureOf(client.quote({ ...orders[0]!, amountIn: 1n }, OPTIONS))
  await failureOf(client.decimals(orders[2]!.fromChain, '0x1::nothing::NOTHING', OPTIONS))

  const seen = new Set<string>()
  for (const { method, path, query } of [...requests]) {
    t.same(api.request(method, path, { query }), [], `${method} ${path}?${query}`)
    const response = await fetch(`${url}${path}?${query}`)
    const body = (await response.json()) as Readonly<Record<string, unknown>>
    seen.add(`${path} ${response.status}`)
    t.same(violations(path, response.status, body), [], `${path} ${response.status}`)
    if (response.status >= 400)
      t.ok(
        CODES.some((code) => code === body.code),
        'an error code of the type package',
      )
    if (path === '/v1/status') t.ok(STATUSES.some((known) => known === body.status))
  }
  t.same([...seen].sort(), [
    '/v1/quote 200',
    '/v1/quote 404',
    '/v1/status 200',
    '/v1/token 200',
    '/v1/token 404',
    '/v1/tokens 200',
  ])

  function violations(path: string, status: number, body: Readonly<Record<string, unknown>>): string[] {
    // The document calls the token a list, and shows one object in its own example; the type package has an object.
    if (path === '/v1/token') return status === 200 ? api!.schema('Token', body) : []
    // It requires what an unknown hash cannot have, and says itself that NOT_FOUND is a 200.
    if (path === '/v1/status' && body.status === 'NOT_FOUND') return []
    return api!.response('GET', path, status, body)
  }
})
