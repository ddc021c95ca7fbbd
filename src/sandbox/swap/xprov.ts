/**
 * The cross-chain provider in the sandbox: LI.FI's quote, status and token in
 * their wire format, errors included. A quoted swap arrives after a while by the
 * market's clock, without being sent.
 *
 * Source: docs.li.fi · LI.FI OpenAPI 1.0.0
 */
import { randomUUID } from 'node:crypto'
import { sha256 } from '@noble/hashes/sha2.js'
import { parseAddress } from '../../chains/address.ts'
import { CHAINS } from '../../chains/chains.ts'
import type { Family } from '../../chains/definition.ts'
import { findEvmChain, findXprovChain, type XprovChain } from '../../chains/find.ts'
import { WRAPPED_SOL_MINT } from '../../chains/solana/programs.ts'
import { usdcOf } from '../../chains/stablecoins.ts'
import { LifiRegistry } from '../evm/lifi-registry.ts'
import type { MarketToken } from '../market/tokens.ts'
import type { ProviderReply, ProviderRequest, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'
import { lifiCalldata } from './xprov-calldata.ts'
import { type CrossChainOrder, FAST_FEE_PPM, XprovDesk } from './xprov-desk.ts'
import { suiTransaction } from './xprov-material.ts'
import { openBridges, solanaTransaction } from './xprov-solana.ts'

const NATIVE: Readonly<Record<Exclude<Family, 'ton'>, string>> = {
  evm: '0x0000000000000000000000000000000000000000',
  solana: '11111111111111111111111111111111',
  sui: `0x${'2'.padStart(64, '0')}::sui::SUI`,
}

const XPROV_CHAINS: readonly XprovChain[] = CHAINS.flatMap(({ key }) => findXprovChain(key) ?? [])

const WRAPPED_SOL = { symbol: 'WSOL', name: 'Wrapped SOL', isNative: false } as const

/** The number of quotes whose arrival is remembered. */
const REMEMBERED = 1_000
/** How long after the quote, ms, a cross-chain swap is seen on the source chain, on its way, and arrived. */
const SEEN_MS = 2_000
const LEFT_MS = 5_000
const ARRIVED_MS = 15_000
/** By the faster route, which costs more. */
const ARRIVED_FAST_MS = 8_000

const HASH = /^(0x[0-9a-fA-F]{64}|[1-9A-HJ-NP-Za-km-z]{32,88})$/

interface SentSwap {
  readonly ask: CrossChainOrder
  readonly at: number
  readonly arrivedMs: number
  readonly toAmount: bigint
}

/** Thrown to end a request early. */
class XprovRefusal extends Error {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>

  constructor(status: number, code: number, message: string, errors?: unknown) {
    super(message)
    this.status = status
    this.body = { message, code, ...(errors !== undefined && { errors }) }
  }
}

/** Constant rate limit headers: the sandbox does not count calls. */
const UNLIMITED = { 'ratelimit-limit': '100', 'ratelimit-remaining': '99', 'ratelimit-reset': '60' }
const USED_UP = { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '5' }

export function xprov(world: World): ProviderServer {
  const server = new Server(world)
  return {
    name: 'xprov',
    faults: [{ fault: 'renamed' }],
    thief: async () => (await import('../theft.ts')).xprov,
    rateLimited: () => ({
      status: 429,
      body: { message: 'Rate limit exceeded, retry in 2 hours', code: 1005 },
      headers: USED_UP,
    }),
    handle: (request) => server.handle(request),
  }
}

class Server {
  readonly #world: World
  readonly #desk: XprovDesk
  readonly #registry: LifiRegistry
  /** The quoted cross-chain swaps, by transaction id, the oldest first. */
  readonly #sent = new Map<string, SentSwap>()

  constructor(world: World) {
    this.#world = world
    this.#registry = world.registry ?? new LifiRegistry()
    this.#desk = new XprovDesk(world.market)
    openBridges(world.solana.bank, world.market.tokens('solana'))
  }

  handle(request: ProviderRequest): ProviderReply {
    try {
      return { status: 200, body: this.#answer(request), headers: UNLIMITED }
    } catch (error) {
      if (!(error instanceof XprovRefusal)) throw error
      return { status: error.status, body: error.body, headers: UNLIMITED }
    }
  }

  #answer(request: ProviderRequest): unknown {
    switch (`${request.method} ${request.path}`) {
      case 'GET /v1/quote':
        return this.#quote(request)
      case 'POST /v1/advanced/routes':
        return this.#routes(request)
      case 'GET /v1/chains':
        return { chains: XPROV_CHAINS.map(describeChain) }
      case 'GET /v1/tools':
        return tools(bridgesOf(request))
      case 'GET /v1/status':
        return this.#status(request)
      case 'GET /v1/token': {
        const chain = readChain(request.query, 'chain')
        return this.#listed(chain, this.#token(request.query, 'token', chain), request.now)
      }
      case 'GET /v1/tokens':
        return { tokens: this.#tokens(request) }
      default:
        throw new XprovRefusal(404, 1003, 'Not Found')
    }
  }

  /** By the requested chain ids; all of the EVM's if none are named. */
  #tokens({ query, now }: ProviderRequest): Readonly<Record<string, unknown>> {
    const asked = query.get('chains')?.split(',')
    const chains =
      asked?.map((text) => findXprovChain(text) ?? refuse('chains')) ??
      XPROV_CHAINS.filter(({ family }) => family === 'evm')
    const tokensOf = (chain: XprovChain) => this.#world.market.tokens(chain.key)
    return Object.fromEntries(
      chains.map((chain) => [
        chain.xprovChainId,
        tokensOf(chain).map((token) => this.#listed(chain, token, now)),
      ]),
    )
  }

  /** One route, with the single step that a quote has; its transaction is requested later. */
  #routes({ body, now }: ProviderRequest): unknown {
    const asked = (body ?? {}) as Readonly<Record<string, unknown>>
    const query = new URLSearchParams({ slippage: '0.005' })
    for (const [ours, theirs] of ROUTE_FIELDS) {
      if (asked[theirs] !== undefined) query.set(ours, String(asked[theirs]))
    }
    const { transactionRequest: _, ...step } = this.#quote({ query, now, fault: null })
    const { action, estimate } = step
    const { fromChainId, toChainId, fromToken, toToken, fromAmount, fromAddress, toAddress } = action
    const { fromAmountUSD, toAmount, toAmountMin, toAmountUSD } = estimate
    const ends = { fromChainId, toChainId, fromToken, toToken, fromAddress, toAddress }
    const amounts = { fromAmount, fromAmountUSD, toAmount, toAmountMin, toAmountUSD }
    return { routes: [{ id: step.id, ...ends, ...amounts, steps: [step], tags: ['CHEAPEST'] }] }
  }

  #quote({ query, now, fault }: Pick<ProviderRequest, 'query' | 'now' | 'fault'>) {
    const ask = this.#read(query)
    const known = [...bridgesOf({ fault }), 'all', 'none', 'default', '[]']
    const allowed = query.getAll('allowBridges').flatMap((names) => names.split(','))
    if (!allowed.every((name) => known.includes(name))) throw invalid('allowBridges')
    const isFast = query.get('order') === 'FASTEST'
    const arrivedMs = isFast ? ARRIVED_FAST_MS : ARRIVED_MS
    const priced = this.#desk.price(ask, now, isFast ? FAST_FEE_PPM : undefined)
    if ('refused' in priced) {
      throw new XprovRefusal(404, 1002, 'No available quotes for the requested transfer', priced.refused)
    }
    const { toAmount, toAmountMin, feeCosts, nativeFee } = priced
    const id = randomUUID()
    const transactionId = `0x${Buffer.from(sha256(Buffer.from(id))).toString('hex')}`
    this.#remember(transactionId, { ask, at: now, arrivedMs, toAmount })
    const fromToken = { ...this.#reviewed(ask.fromChain, ask.tokenIn, now), tags: ['major_asset'] }
    const toToken = this.#reviewed(ask.toChain, ask.tokenOut, now)
    const tool = ask.fromChain === ask.toChain ? 'sandboxswap' : 'sandboxbridge'
    const toolDetails = { key: tool, name: tool, logoURI: 'https://example.org/logo.svg' }
    const action = {
      fromChainId: ask.fromChain.xprovChainId,
      toChainId: ask.toChain.xprovChainId,
      fromToken,
      toToken,
      fromAmount: ask.amountIn.toString(),
      slippage: Number(ask.slippage),
      fromAddress: ask.from,
      toAddress: ask.to,
    }
    const estimate = {
      tool,
      fromAmount: action.fromAmount,
      toAmount: toAmount.toString(),
      toAmountMin: toAmountMin.toString(),
      fromAmountUSD: priced.fromAmountUsd,
      toAmountUSD: priced.toAmountUsd,
      approvalAddress: contractOf(ask.fromChain),
      executionDuration: arrivedMs / 1_000,
      feeCosts: feeCosts.map(({ amount, ...fee }) => ({
        ...fee,
        token: this.#reviewed(ask.fromChain, fee.token, now),
        amount: amount.toString(),
      })),
      gasCosts: [],
      ...(ask.tokenIn.isNative && { skipApproval: true }),
    }
    return {
      id: `${id}:0`,
      type: 'lifi',
      tool,
      toolDetails,
      action,
      estimate,
      includedSteps: [
        { id, type: tool === 'sandboxswap' ? 'swap' : 'cross', tool, toolDetails, action, estimate },
      ],
      integrator: query.get('integrator') ?? 'lifi-api',
      stepSimulation: { status: 'success', gasSource: 'simulation' },
      transactionId,
      transactionRequest: this.#material(ask, transactionId, toAmountMin, nativeFee, now),
    }
  }

  #material(
    ask: CrossChainOrder,
    transactionId: string,
    minOut: bigint,
    nativeFee: bigint,
    now: number,
  ): unknown {
    const { fromChain, from, amountIn, tokenIn } = ask
    switch (fromChain.family) {
      case 'evm':
        return {
          from,
          to: contractOf(fromChain),
          chainId: fromChain.xprovChainId,
          data: lifiCalldata(
            ask,
            transactionId,
            minOut,
            now,
            this.#registry.find(fromChain.key, 'FeeForwarder')!,
          ),
          value: `0x${((tokenIn.isNative ? amountIn : 0n) + nativeFee).toString(16)}`,
          gasPrice: '0x3b9aca00',
          gasLimit: '0x7a120',
        }
      case 'solana': {
        const { blockhash } = this.#world.solana.bank.slots.latestBlockhash('confirmed')
        return { data: solanaTransaction(ask, transactionId, minOut, now, blockhash) }
      }
      default:
        return { data: suiTransaction(ask, { minOut, minMiddle: this.#minMiddle(ask, now), now }) }
    }
  }

  /** The least that a swap to USDC on the source chain leaves; zero if there is none. */
  #minMiddle({ fromChain, tokenIn, amountIn, slippage }: CrossChainOrder, now: number): bigint {
    const { market } = this.#world
    const usdc = market.find(fromChain.key, usdcOf(fromChain) ?? '')
    if (usdc === null || usdc.address === tokenIn.address) return 0n
    const bought = market.at(now).swap(tokenIn, usdc, amountIn)?.amountOut ?? 0n
    return (bought * BigInt(Math.floor((1 - Number(slippage)) * 1e6))) / 1_000_000n
  }

  #status({ query, now }: ProviderRequest): unknown {
    const txHash = query.get('txHash') ?? ''
    if (!HASH.test(txHash)) throw new XprovRefusal(400, 1011, 'txHash must be a valid transaction hash')
    for (const name of ['fromChain', 'toChain']) if (query.has(name)) readChain(query, name)
    const sent = this.#sent.get(txHash)
    const age = sent === undefined ? 0 : now - sent.at
    if (sent === undefined || age < SEEN_MS) {
      return { status: 'NOT_FOUND', substatusMessage: 'The transaction was not found.' }
    }
    const { ask, arrivedMs, toAmount } = sent
    const side = (chain: XprovChain, amount: bigint, token: MarketToken) => ({
      txHash,
      txLink: `${chain.explorer}/tx/${txHash}`,
      chainId: chain.xprovChainId,
      amount: amount.toString(),
      token: this.#describe(chain, token, now),
    })
    const hasArrived = age >= arrivedMs
    const waiting = age < LEFT_MS ? 'WAIT_SOURCE_CONFIRMATIONS' : 'WAIT_DESTINATION_TRANSACTION'
    return {
      transactionId: txHash,
      status: hasArrived ? 'DONE' : 'PENDING',
      substatus: hasArrived ? 'COMPLETED' : waiting,
      substatusMessage: hasArrived ? 'The transfer is complete.' : 'The transfer is on its way.',
      tool: ask.fromChain === ask.toChain ? 'sandboxswap' : 'sandboxbridge',
      sending: side(ask.fromChain, ask.amountIn, ask.tokenIn),
      receiving: hasArrived
        ? side(ask.toChain, toAmount, ask.tokenOut)
        : { chainId: ask.toChain.xprovChainId },
      fromAddress: ask.from,
      toAddress: ask.to,
      metadata: { integrator: 'swapgate' },
    }
  }

  #read(query: URLSearchParams): CrossChainOrder {
    const fromChain = readChain(query, 'fromChain')
    const toChain = readChain(query, 'toChain')
    const amount = query.get('fromAmount') ?? ''
    if (!/^[1-9]\d{0,77}$/.test(amount)) throw invalid('fromAmount')
    const slippage = query.get('slippage') ?? '0.005'
    if (!/^(0|0?\.\d{1,18})$/.test(slippage)) throw invalid('slippage')
    if (!/^(FASTEST|CHEAPEST)$/.test(query.get('order') ?? 'CHEAPEST')) throw invalid('order')
    return {
      fromChain,
      toChain,
      tokenIn: this.#token(query, 'fromToken', fromChain),
      tokenOut: this.#token(query, 'toToken', toChain),
      amountIn: BigInt(amount),
      from: readAddress(query.get('fromAddress'), 'fromAddress', fromChain),
      to: readAddress(query.get('toAddress') ?? query.get('fromAddress'), 'toAddress', toChain),
      slippage,
    }
  }

  #token(query: URLSearchParams, name: string, chain: XprovChain): MarketToken {
    const text = query.get(name) ?? ''
    const token = this.#world.market.find(chain.key, text)
    if (token === null)
      throw new XprovRefusal(404, 1003, `Could not find token on chain ${chain.xprovChainId}`)
    // To Jupiter, whose addresses the market uses, the mint is SOL; here it is a separate token.
    return text === WRAPPED_SOL_MINT ? { ...token, ...WRAPPED_SOL } : token
  }

  /** As in the token list; a quote says less about its tokens. */
  #listed(chain: XprovChain, token: MarketToken, now: number) {
    const { trait } = token
    const verificationStatus = trait === null ? 'verified' : trait === 'spam' ? 'flagged' : 'unverified'
    return { ...this.#describe(chain, token, now), verificationStatus }
  }

  /** As quotes have it. */
  #reviewed(chain: XprovChain, token: MarketToken, now: number) {
    const found = [{ provider: 'hypernative', result: 'verified', providerResult: 'accept' }]
    const status = { verificationStatus: 'verified', verificationStatusBreakdown: found }
    return { ...this.#describe(chain, token, now), ...status }
  }

  #describe(chain: XprovChain, token: MarketToken, now: number) {
    const { symbol, name, decimals, isNative, trait } = token
    return {
      address: isNative ? NATIVE[chain.family as keyof typeof NATIVE] : token.address,
      chainId: chain.xprovChainId,
      symbol,
      decimals,
      name,
      ...(trait === null && { coinKey: symbol }),
      priceUSD: this.#world.market.at(now).usd(token),
    }
  }

  #remember(transactionId: string, sent: SentSwap): void {
    this.#sent.set(transactionId, sent)
    if (this.#sent.size <= REMEMBERED) return
    const [oldest] = this.#sent.keys()
    this.#sent.delete(oldest!)
  }
}

/** The query of a quote, and the body's names for the same. */
const ROUTE_FIELDS = [
  ['fromChain', 'fromChainId'],
  ['toChain', 'toChainId'],
  ['fromToken', 'fromTokenAddress'],
  ['toToken', 'toTokenAddress'],
  ['fromAmount', 'fromAmount'],
  ['fromAddress', 'fromAddress'],
  ['toAddress', 'toAddress'],
] as const

const KINDS = { evm: 'EVM', solana: 'SVM', sui: 'MVM', ton: 'TVM' } as const

function describeChain({ key, family, name, native, xprovChainId }: XprovChain) {
  const logoURI = 'https://example.org/logo.svg'
  return { id: xprovChainId, key, chainType: KINDS[family], name, coin: native, mainnet: true, logoURI }
}

/**
 * The bridges, by the provider's names: a request that names another is refused as a whole. Material comes
 * from xprov-calldata.ts, whichever bridges are allowed.
 */
const BRIDGES: readonly string[] = [
  'across',
  'arbitrum',
  'celercircle',
  'gnosis',
  'layerswap',
  'mayan',
  'mayanMCTP',
  'near',
  'polymer',
  'polymerStandard',
  'relaydepository',
  'stargateV2',
  'stargateV2Bus',
]

/** With the fault `renamed`, Across has another name. */
const bridgesOf = ({ fault }: Pick<ProviderRequest, 'fault'>): readonly string[] =>
  fault === 'renamed' ? BRIDGES.map((name) => (name === 'across' ? 'acrossV5' : name)) : BRIDGES

function tools(bridges: readonly string[]) {
  const ids = XPROV_CHAINS.map(({ xprovChainId }) => xprovChainId)
  const supportedChains = ids.flatMap((fromChainId) => ids.map((toChainId) => ({ fromChainId, toChainId })))
  const logoURI = 'https://example.org/logo.svg'
  return {
    bridges: bridges.map((key) => ({ key, name: key, logoURI, supportedChains })),
    exchanges: [{ key: 'sandboxswap', name: 'sandboxswap', logoURI, supportedChains: ids.map(String) }],
  }
}

const contractOf = (chain: XprovChain): string => findEvmChain(chain.key)?.xprovContract ?? ''

function readChain(query: URLSearchParams, name: string): XprovChain {
  const chain = findXprovChain(query.get(name) ?? '')
  if (chain === null) throw invalid(name)
  return chain
}

function readAddress(text: string | null, name: string, chain: XprovChain): string {
  const address = parseAddress(chain, text ?? '')
  if (address === null) throw invalid(name)
  return address
}

function refuse(name: string): never {
  throw invalid(name)
}

const invalid = (name: string): XprovRefusal => new XprovRefusal(400, 1011, `/${name} must be a valid value`)
