/**
 * Jupiter in the sandbox: v1's quote and swap and v2's build and order in
 * their wire format, errors included. Its prices are the market's, its transactions
 * execute in the sandbox's Solana node: see jupiter-desk.ts.
 *
 * Source: jup-ag/docs, OpenAPI of the Swap API v1 and v2
 */

import { randomUUID } from 'node:crypto'
import { isBase58Of } from '../../chains/solana/base58.ts'
import { tokensAnswer } from '../market/jupiter-tokens.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { Composed } from '../solana/compose.ts'
import type { World } from '../world.ts'
import { Desk, type DeskTrade } from './jupiter-desk.ts'
import {
  amounts,
  type JupiterOrder,
  JupiterRefusal,
  lessFee,
  mintOf,
  price,
  readAsked,
  routePlan,
  tokenOf,
} from './jupiter-quote.ts'
import { isSealed, sealQuote } from './jupiter-seal.ts'

const CHAIN = 'solana'
export function jupiter(world: World): ProviderServer {
  const server = new Jupiter(world)
  return {
    name: 'jupiter',
    thief: async () => (await import('../theft/jupiter.ts')).thief,
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
      case 'GET /swap/v1/quote':
        return this.#quote(request)
      case 'POST /swap/v1/swap':
        return this.#swap(request)
      case 'POST /swap/v1/swap-instructions':
        return this.#swapInstructions(request)
      case 'GET /swap/v2/build':
        return this.#build(request)
      case 'GET /swap/v2/order':
        return this.#order(request)
      default:
        return tokensAnswer(this.#world.market, request)
    }
  }

  /** @returns JSON text: its id is an integer above 2^53 */
  #quote({ query, now }: ProviderRequest): string {
    const swapMode = query.get('swapMode') ?? 'ExactIn'
    if (swapMode !== 'ExactIn') throw new JupiterRefusal(400, 'Only ExactIn is supported', 'NOT_SUPPORTED')
    const { market } = this.#world
    const priced = price(readAsked(query, market), market, now)
    const { fill } = priced
    return sealQuote({
      ...amounts(priced),
      swapMode,
      slippageBps: priced.slippageBps,
      platformFee: null,
      priceImpactPct: (fill.priceImpactPct / 100).toFixed(8),
      routePlan: routePlan(fill),
      contextSlot: this.#world.solana.bank.slots.slot('processed'),
      timeTaken: 0.004,
    })
  }

  /** What a quote that came back asks for. */
  #returned({ body }: ProviderRequest): DeskTrade {
    const { quoteResponse, userPublicKey } = (body ?? {}) as Readonly<Record<string, unknown>>
    if (typeof userPublicKey !== 'string' || !isBase58Of(userPublicKey, 32)) {
      throw new JupiterRefusal(422, 'Failed to deserialize the JSON body: userPublicKey: Invalid')
    }
    if (!isSealed(quoteResponse))
      throw new JupiterRefusal(500, 'Dynamic swap is missing dynamic swap details')
    const { inputMint, outputMint, inAmount, outAmount, slippageBps } = quoteResponse
    const [tokenIn, tokenOut] = [inputMint, outputMint].map((mint) => tokenOf(mint, this.#world.market))
    if (!tokenIn || !tokenOut)
      throw new JupiterRefusal(400, 'The token is not tradable', 'TOKEN_NOT_TRADABLE')
    return {
      wallet: userPublicKey,
      tokenIn,
      tokenOut,
      amountIn: BigInt(inAmount),
      amountOut: BigInt(outAmount),
      slippageBps,
    }
  }

  #swapInstructions(request: ProviderRequest): unknown {
    const { limit, price, setup, swap, cleanup, tables } = this.#desk.instructions(
      this.#returned(request),
      true,
    )
    return {
      otherInstructions: [],
      computeBudgetInstructions: [limit, price].map(toWire),
      setupInstructions: setup.map(toWire),
      swapInstruction: toWire(swap),
      cleanupInstruction: cleanup === null ? null : toWire(cleanup),
      addressLookupTableAddresses: Object.keys(tables),
      dynamicSlippageReport: null,
      simulationError: null,
    }
  }

  #swap(request: ProviderRequest): unknown {
    const built = this.#desk.build(this.#returned(request))
    const { microLamports } = built
    return {
      swapTransaction: built.transaction,
      lastValidBlockHeight: built.lastValidBlockHeight,
      prioritizationFeeLamports: built.prioritizationFeeLamports,
      computeUnitLimit: built.computeUnitLimit,
      prioritizationType: { computeBudget: { microLamports, estimatedMicroLamports: microLamports } },
      dynamicSlippageReport: null,
      simulationError:
        built.failure === null ? null : { errorCode: 'TRANSACTION_ERROR', error: built.failure },
    }
  }

  #order({ query, now }: ProviderRequest): unknown {
    const taker = query.get('taker')
    if (taker !== null && !isBase58Of(taker, 32)) throw new JupiterRefusal(400, 'Invalid taker')
    const priced = lessFee(price(this.#readOrder(query), this.#world.market, now))
    const { tokenIn, tokenOut, amountIn, slippageBps, fill, feeBps, fee } = priced
    const built =
      taker === null
        ? null
        : this.#desk.build({
            wallet: taker,
            tokenIn,
            tokenOut,
            amountIn,
            amountOut: fill.amountOut,
            slippageBps,
            feeBps,
          })
    const isUnfunded = built !== null && built.failure !== null
    return {
      mode: 'manual',
      ...amounts(priced),
      inUsdValue: Number(fill.amountInUsd),
      outUsdValue: Number(fill.amountOutUsd),
      priceImpact: -fill.priceImpactPct,
      swapMode: 'ExactIn',
      slippageBps,
      priceImpactPct: (fill.priceImpactPct / 100).toFixed(8),
      routePlan: routePlan(fill),
      feeMint: mintOf(tokenOut),
      feeBps,
      platformFee: { amount: fee.toString(), feeBps, feeMint: mintOf(tokenOut) },
      signatureFeeLamports: 5_000,
      signatureFeePayer: taker,
      prioritizationFeeLamports: built?.prioritizationFeeLamports ?? 0,
      prioritizationFeePayer: taker,
      rentFeeLamports: 0,
      rentFeePayer: taker,
      swapType: 'aggregator',
      router: 'metis',
      transaction: built === null ? null : isUnfunded ? '' : built.transaction,
      ...(built !== null && { lastValidBlockHeight: built.lastValidBlockHeight.toString() }),
      gasless: false,
      requestId: randomUUID(),
      totalTime: 4,
      taker,
      ...(isUnfunded && {
        errorCode: 1,
        errorMessage: 'Insufficient funds',
        error: 'Insufficient funds',
      }),
    }
  }

  #build({ query, now }: ProviderRequest): unknown {
    const taker = query.get('taker')
    if (taker === null || !isBase58Of(taker, 32)) throw new JupiterRefusal(400, 'Invalid taker')
    const priced = price(this.#readOrder(query), this.#world.market, now)
    const { tokenIn, tokenOut, amountIn, slippageBps, fill } = priced
    const built = this.#desk.instructions(
      { wallet: taker, tokenIn, tokenOut, amountIn, amountOut: fill.amountOut, slippageBps },
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

  /** Reads an order. Where v1 has a clean refusal of a mint, v2 fails. */
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
