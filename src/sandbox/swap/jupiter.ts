/**
 * Jupiter in the sandbox: its build API in its wire format, errors included. Its
 * prices are the market's, its instructions execute in the sandbox's Solana node:
 * see jupiter-desk.ts.
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v2
 */

import { randomUUID } from 'node:crypto'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { tokensAnswer } from '../market/jupiter-tokens.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { Composed } from '../solana/ledger/compose.ts'
import type { World } from '../world.ts'
import { Desk } from './jupiter-desk.ts'
import { amounts, type JupiterOrder, JupiterRefusal, price, readAsked, routePlan } from './jupiter-quote.ts'

const CHAIN = 'solana'
export function jupiter(world: World): ProviderServer {
  const server = new Jupiter(world)
  return {
    name: 'jupiter',
    thief: async () => (await import('../theft.ts')).jupiter,
    rateLimited: () => server.rateLimited(),
    handle: (request) => server.handle(request),
  }
}

class Jupiter {
  readonly #world: World
  readonly #desk: Desk

  constructor(world: World) {
    this.#world = world
    this.#desk = Desk.at(world.solana.bank, world.market.tokens(CHAIN))
  }

  handle(request: ProviderRequest): ProviderReply {
    this.#world.solana.bank.catchUp()
    const headers = { 'x-api-gateway-request-id': randomUUID() }
    try {
      return { status: 200, body: this.#answer(request), headers }
    } catch (error) {
      if (!(error instanceof JupiterRefusal)) throw error
      return { status: error.status, body: error.body, headers }
    }
  }

  rateLimited(): ProviderReply {
    const resetAt = Math.ceil(this.#world.now() / 1_000) + 1
    return {
      status: 429,
      body: { code: 429, message: '[API Gateway] Too many requests' },
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resetAt.toString() },
    }
  }

  #answer(request: ProviderRequest): unknown {
    switch (`${request.method} ${request.path}`) {
      case 'GET /swap/v2/build':
        return this.#build(request)
      default:
        return tokensAnswer(this.#world.market, request)
    }
  }

  #build({ query, now }: ProviderRequest): unknown {
    const taker = query.get('taker')
    if (taker === null || !isBase58Of(taker, 32)) throw new JupiterRefusal(400, 'Invalid taker')
    const destination = query.get('destinationTokenAccount')
    if (destination !== null && !isBase58Of(destination, 32))
      throw new JupiterRefusal(400, 'Invalid destinationTokenAccount')
    const priced = price(this.#readOrder(query), this.#world.market, now)
    const { tokenIn, tokenOut, amountIn, slippageBps, fill } = priced
    const built = this.#desk.instructions(
      { wallet: taker, tokenIn, tokenOut, amountIn, amountOut: fill.amountOut, slippageBps, destination },
      query.get('wrapAndUnwrapSol') !== 'false',
    )
    return {
      ...amounts(priced),
      swapMode: 'ExactIn',
      slippageBps,
      priceImpactPct: (fill.priceImpactPct / 100).toFixed(8),
      routePlan: routePlan(fill),
      computeBudgetInstructions: [toWire(built.price)],
      setupInstructions: built.setup.map(toWire),
      swapInstruction: toWire(built.swap),
      cleanupInstruction: built.cleanup === null ? null : toWire(built.cleanup),
      otherInstructions: [],
      tipInstruction: null,
      addressesByLookupTableAddress: built.tables,
      blockhashWithMetadata: {
        blockhash: [...built.blockhash],
        lastValidBlockHeight: built.lastValidBlockHeight,
        fetchedAt: { secs_since_epoch: Math.floor(now / 1_000), nanos_since_epoch: 0 },
      },
    }
  }

  /** Reads an order. For a mint that is not traded, the answer is a failure without a code. */
  #readOrder(query: URLSearchParams): JupiterOrder {
    try {
      return readAsked(query, this.#world.market)
    } catch (error) {
      const isUntradable = error instanceof JupiterRefusal && error.body.errorCode === 'TOKEN_NOT_TRADABLE'
      throw isUntradable ? new JupiterRefusal(500, 'Something unexpected occurred') : error
    }
  }
}

const toWire = ({ program, accounts, data }: Composed): unknown => ({
  programId: program,
  accounts: accounts.map(({ address, isSigner, isWritable }) => ({ pubkey: address, isWritable, isSigner })),
  data: Buffer.from(data).toString('base64'),
})
