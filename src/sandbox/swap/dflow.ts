/**
 * DFlow in the sandbox: `GET /order` in its wire format, errors included. Its prices are the market's, its
 * transactions execute in the sandbox's Solana node: see dflow-program.ts.
 *
 *   [limit][price][create accounts][wrap SOL][swap][unwrap what is left]
 *
 * Source: DFlow's OpenAPI document, GET /order · its answers of 2026-08, in public tests of integrators
 */

import { isBase58Of } from '../../chains/solana/base58.ts'
import { compileTransaction } from '../../chains/solana/message.ts'
import { DFLOW_PROGRAM } from '../../chains/solana/programs.ts'
import { MAX_TRANSACTION_BYTES } from '../../chains/solana/sizes.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import { setComputeUnitLimit } from '../solana/ledger/instructions.ts'
import type { World } from '../world.ts'
import { DESK_ADDRESS, swap } from './dflow-program.ts'
import { Desk } from './jupiter-desk.ts'
import { amounts, JupiterRefusal, mintOf, type PricedOrder, price, readAsked } from './jupiter-quote.ts'
import programs from './programs.json' with { type: 'json' }

const CHAIN = 'solana'
const COMPUTE_UNITS = 200_000
/** Micro-lamports per unit. */
const UNIT_PRICE = 10_000

/** DFlow's codes for what the prices refuse. */
const CODES: Readonly<Record<string, readonly [code: string, msg: string]>> = {
  TOKEN_NOT_TRADABLE: ['route_not_found', 'Route not found'],
  COULD_NOT_FIND_ANY_ROUTE: ['route_not_found', 'Route not found'],
  CIRCULAR_ARBITRAGE_IS_DISABLED: ['same_input_and_output_mint', 'Input and output mints are the same'],
  CANNOT_COMPUTE_OTHER_AMOUNT_THRESHOLD: ['zero_out_amount', 'Output amount is zero'],
  ROUTE_PLAN_DOES_NOT_CONSUME_ALL_THE_AMOUNT: ['price_impact_too_high', 'Price impact is too high'],
}

export function dflow(world: World): ProviderServer {
  const desk = Desk.at(world.solana.bank, world.market.tokens(CHAIN))
  desk.open(DFLOW_PROGRAM, programs.dflow, DESK_ADDRESS)
  return {
    name: 'dflow',
    thief: async () => (await import('../theft.ts')).dflow,
    rateLimited: () => ({
      status: 429,
      body: '',
      headers: { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' },
    }),
    handle: (request) => answer(world, desk, request),
  }
}

function answer(world: World, desk: Desk, { method, path, query, now }: ProviderRequest): ProviderReply {
  if (method !== 'GET' || path !== '/order') return { status: 404, body: '' }
  world.solana.bank.catchUp()
  const wallet = query.get('userPublicKey')
  if (wallet !== null && !isBase58Of(wallet, 32))
    return refusal('invalid_user_public_key', 'Invalid user public key')
  if (query.get('allowSyncExec') === 'false') return refusal('route_not_found', 'Route not found')
  try {
    const priced = price(readAsked(query, world.market), world.market, now)
    if (wallet === null) return { status: 200, body: quoted(world, priced) }
    const built = transactionOf(desk, wallet, priced, query.get('wrapAndUnwrapSol') !== 'false')
    const most = MAX_TRANSACTION_BYTES - Number(query.get('reserveTransactionSize') ?? 0)
    if (built.bytes.length > most) return refusal('route_not_found', 'Route not found')
    return {
      status: 200,
      body: {
        ...quoted(world, priced),
        transaction: built.bytes.toString('base64'),
        lastValidBlockHeight: built.lastValidBlockHeight,
        prioritizationFeeLamports: (UNIT_PRICE * COMPUTE_UNITS) / 1_000_000,
        computeUnitLimit: COMPUTE_UNITS,
        prioritizationType: {
          computeBudget: { microLamports: UNIT_PRICE, estimatedMicroLamports: UNIT_PRICE },
        },
      },
    }
  } catch (error) {
    if (!(error instanceof JupiterRefusal)) throw error
    const [code, msg] = CODES[String(error.body.errorCode)] ?? ['invalid_input_mint', error.message]
    return refusal(code, msg)
  }
}

const refusal = (code: string, msg: string): ProviderReply => ({ status: 400, body: { msg, code } })

function quoted({ solana }: World, priced: PricedOrder) {
  const { slippageBps, fill } = priced
  const stated = amounts(priced)
  return {
    ...stated,
    minOutAmount: stated.otherAmountThreshold,
    slippageBps,
    platformFee: null,
    priceImpactPct: String(fill.priceImpactPct / 100),
    routePlan: fill.hops.map((hop) => ({
      venue: hop.venue,
      marketKey: hop.pool,
      inputMint: mintOf(hop.tokenIn),
      outputMint: mintOf(hop.tokenOut),
      inAmount: hop.amountIn.toString(),
      outAmount: hop.amountOut.toString(),
      inputMintDecimals: hop.tokenIn.decimals,
      outputMintDecimals: hop.tokenOut.decimals,
    })),
    contextSlot: solana.bank.slots.slot('confirmed'),
    executionMode: 'sync',
  }
}

function transactionOf(desk: Desk, wallet: string, priced: PricedOrder, wraps: boolean) {
  const { tokenIn, tokenOut, amountIn, slippageBps, fill } = priced
  const trade = { wallet, tokenIn, tokenOut, amountIn, amountOut: fill.amountOut, slippageBps }
  const built = desk.instructions(trade, wraps)
  const bytes = compileTransaction({
    payer: wallet,
    instructions: [
      setComputeUnitLimit(COMPUTE_UNITS),
      built.price,
      ...built.setup,
      swap(trade),
      ...(built.cleanup === null ? [] : [built.cleanup]),
    ],
    tables: built.tables,
    pinned: new Set(),
    blockhash: built.blockhash,
  })
  return { bytes: bytes!, lastValidBlockHeight: built.lastValidBlockHeight }
}
