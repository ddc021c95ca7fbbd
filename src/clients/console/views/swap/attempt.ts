/**
 * One swap from its build to its receipt. The state lives outside the views, so it
 * survives switching between them.
 */
import {
  type BuildResult,
  type Chain,
  type CrossChainQuote,
  type Exchange,
  isSwapgateError,
  type Quote,
  type Receipt,
  type SwapgateError,
  type TransactionStatus,
  type XquoteInput,
} from '../../../client/index.ts'
import type {
  Confirmed,
  CrossChainOrder,
  MaterialToSign,
  SwapOrder as OrderToVerify,
  Refused,
} from '../../../verify/types.ts'
import { Kept } from '../../data/kept.ts'
import { client } from '../../data/service.ts'
import {
  type ConnectedWallet,
  type EvmWallet,
  type SolanaWallet,
  WalletError,
  wordsOf,
} from '../../wallets/wallet.ts'
import { approveCall } from './approval.ts'
import { type CrossingOrder, crossingAsked, crossingBuilt, type Delivery, deliveryOf } from './crossing.ts'
import { inputOf, type Priority, type SwapCoin, type SwapOrder } from './order.ts'

const POLL_MS = 1_500
/** The polling interval between a block and finality. */
const FINAL_POLL_MS = 5_000
/** The polling interval of a bridge, as its provider asks for. */
const DELIVERY_POLL_MS = 10_000

const FAILED = 'The swap failed on chain. Nothing was swapped; the network fee was charged.'

export interface AttemptStep {
  readonly title: string
  readonly state: 'signing' | 'sent' | 'done' | 'failed'
  /** Hash or signature; null before the step is sent. */
  readonly id: string | null
  /** When it was sent, ms of the wall clock; when it began before that. */
  readonly at: number
  readonly explorer: string | null
}

export interface Attempt {
  readonly phase: 'building' | 'refused' | 'review' | 'running' | 'done' | 'failed'
  readonly order: SwapOrder
  /** Null on chains other than Solana. */
  readonly priority: Priority | null
  readonly quote: Quote
  readonly wallet: ConnectedWallet
  readonly native: SwapCoin
  /** The coin on the other side of the token; the native one, mostly. */
  readonly other: SwapCoin
  readonly token: SwapCoin
  readonly built: BuildResult | null
  /** Of a swap to another chain: what was asked, and its answer, which is built already; null of any other. */
  readonly crossing: Crossing | null
  /** Null until the bridge is asked. */
  readonly delivery: Delivery | null
  /** What this page found in the material itself, by the order as its form has it. */
  readonly verdict: Confirmed | Refused | null
  /** The build request. */
  readonly exchange: Exchange | null
  /** When the build's answer arrived, ms of the wall clock. */
  readonly builtAt: number | null
  readonly error: SwapgateError | null
  readonly steps: readonly AttemptStep[]
  readonly status: TransactionStatus | null
  readonly receipt: Receipt | null
  /** A message: a temporary problem while the swap goes on, or why it ended. */
  readonly problem: string | null
}

export interface Crossing {
  readonly input: XquoteInput
  readonly answer: CrossChainQuote
  readonly exchange: Exchange | null
}

/** The current one, of whichever view began it. */
export const attempts = new Kept<Attempt | null>(null)

/** Changes this attempt, unless it is no longer the current one. */
function change<A extends Attempt>(attempt: A, to: Partial<Attempt>): A {
  const changed = { ...attempt, ...to }
  if (attempts.value === attempt) attempts.set(changed)
  return changed
}

/** Leaves the attempt. A sent transaction continues, but is no longer followed. */
export const dismiss = (): void => attempts.set(null)

type AttemptInput = Pick<
  Attempt,
  'order' | 'priority' | 'quote' | 'crossing' | 'wallet' | 'native' | 'other' | 'token'
>

/** Builds the quote, then shows its verification or its refusal. */
export async function build(given: AttemptInput): Promise<void> {
  const attempt: Attempt = {
    ...given,
    phase: 'building',
    built: null,
    verdict: null,
    exchange: null,
    builtAt: null,
    error: null,
    steps: [],
    delivery: null,
    status: null,
    receipt: null,
    problem: null,
  }
  attempts.set(attempt)
  let exchange: Exchange | null = null
  try {
    const built = await builtOf(given, (one) => (exchange = one))
    const verdict = await verdictOf(given, built)
    const phase = verdict.isVerified ? 'review' : 'refused'
    change(attempt, { phase, built, verdict, exchange, builtAt: Date.now() })
  } catch (error) {
    if (!isSwapgateError(error)) throw error
    change(attempt, { phase: 'refused', error, exchange })
  }
}

async function builtOf(
  { order, priority, quote, crossing, wallet }: AttemptInput,
  onExchange: (exchange: Exchange) => void,
): Promise<BuildResult> {
  if (crossing !== null) {
    if (crossing.exchange !== null) onExchange(crossing.exchange)
    return crossingBuilt(crossing.answer, order as CrossingOrder)
  }
  const paid = priority === null ? {} : { priority }
  const input = { ...inputOf(order, null), ...paid, from: wallet.address, quote }
  return client.build(input, { onExchange })
}

/** The page does not take the gateway's word: it reads the transaction by its own code, loaded at the first build. */
async function verdictOf(given: AttemptInput, built: BuildResult): Promise<Confirmed | Refused> {
  const { verify } = await import('#verify')
  return verify(askedOf(given), given.crossing?.answer ?? built)
}

/** What the user asked for and accepted. */
export function askedOf({ order, quote, crossing, wallet }: AttemptInput): OrderToVerify | CrossChainOrder {
  if (crossing !== null) return crossingAsked(crossing.input, crossing.answer)
  const { slippageBps: _, ...asked } = order
  const { amountIn, minOut } = quote
  return { ...asked, amountIn, from: wallet.address, minOut: minOut ?? '0' }
}

/** Signs, sends and follows the swap that the user confirmed. @param chains  all chains of the service */
export async function run(reviewed: Attempt, chains: readonly Chain[]): Promise<void> {
  const chain = chains.find(({ key }) => key === reviewed.order.chain)
  const progress = new Progress(change(reviewed, { phase: 'running', problem: null }))
  try {
    const { wallet } = reviewed
    if (wallet.family === 'solana') await runSolana(progress, wallet)
    else await runEvm(progress, wallet, chain!)
    if (reviewed.crossing !== null) await progress.deliver(reviewed.crossing)
  } catch (error) {
    progress.fail(isSwapgateError(error) ? `${error.message} (${error.code})` : wordsOf(error))
  }
}

async function runSolana(progress: Progress, wallet: SolanaWallet): Promise<void> {
  const { built } = progress.attempt
  const { transaction } = materialOf(progress.attempt, 'solana')
  progress.begin('Swap')
  const signed = await wallet.sign(bytesOf(transaction))
  const signature = await client.rpc<string>('sendTransaction', [textOf(signed), { encoding: 'base64' }])
  await progress.follow({ signature }, async () => {
    const height = await client.rpc<number>('getBlockHeight', [{ commitment: 'confirmed' }])
    return height > built!.lastValidBlockHeight! ? 'The transaction expired. Nothing was swapped.' : null
  })
}

async function runEvm(progress: Progress, wallet: EvmWallet, chain: Chain): Promise<void> {
  const { approval, to, data, value } = materialOf(progress.attempt, 'evm')
  if (approval !== null) {
    const { token, spender, amount, reset } = approval
    const asked = { chain: chain.key, token, owner: wallet.address, spender }
    const { allowance } = await client.allowance(asked)
    if (allowance === null || BigInt(allowance) < BigInt(amount)) {
      if (reset && allowance !== '0') {
        progress.begin('Approval reset to zero')
        await progress.follow({ hash: await wallet.send(chain, approveCall(token, spender, 0n)) })
      }
      progress.begin('Approval')
      await progress.follow({ hash: await wallet.send(chain, approveCall(token, spender, BigInt(amount))) })
    }
  }
  progress.begin('Swap')
  await progress.follow({ hash: await wallet.send(chain, { to, data, valueWei: value }) })
}

/** What was verified, and nothing else of the answer. @throws WalletError  where nothing was */
function materialOf<Family extends MaterialToSign['family']>(
  { verdict }: Attempt,
  family: Family,
): MaterialToSign & { readonly family: Family } {
  if (verdict?.isVerified !== true || verdict.material.family !== family) {
    throw new WalletError('The transaction was not verified.')
  }
  return verdict.material as MaterialToSign & { readonly family: Family }
}

/** Tracks the steps of an attempt. */
class Progress {
  attempt: Attempt

  constructor(attempt: Attempt) {
    this.attempt = attempt
  }

  #change(to: Partial<Attempt>): void {
    this.attempt = change(this.attempt, to)
  }

  #step(to: Partial<AttemptStep>, more: Partial<Attempt> = {}): void {
    const { steps } = this.attempt
    this.#change({ ...more, steps: [...steps.slice(0, -1), { ...steps.at(-1)!, ...to }] })
  }

  begin(title: string): void {
    const step: AttemptStep = { title, state: 'signing', id: null, at: Date.now(), explorer: null }
    this.#change({ steps: [...this.attempt.steps, step] })
  }

  /** Asks the bridge's provider until it has arrived, or has not for good. */
  async deliver({ input, answer }: Crossing): Promise<void> {
    const sent = this.attempt.steps.at(-1)!.id!
    const { fromChain, toChain } = input
    const asked = {
      txHash: answer.transactionId ?? sent,
      fromChain,
      toChain,
      bridge: answer.tool ?? undefined,
    }
    while (attempts.value === this.attempt) {
      try {
        const delivery = deliveryOf(await client.xstatus(asked))
        const isOver = delivery.state !== 'waiting'
        this.#change({ delivery, problem: null, ...(isOver && { phase: 'done' }) })
        if (isOver) return
      } catch (error) {
        if (!isSwapgateError(error)) throw error
        this.#change({ problem: `${error.message} Retrying. (${error.code})` })
      }
      await pause(DELIVERY_POLL_MS)
    }
  }

  fail(problem: string): void {
    this.#step({ state: 'failed' }, { phase: 'failed', problem })
  }

  /**
   * Polls a transaction until it is in a block; the swap itself, until it is final.
   * @param expired  says why it can no longer land, or null; called while no node knows it
   * @throws WalletError  if it failed, or the attempt was left
   */
  async follow(
    id: { readonly hash: string } | { readonly signature: string },
    expired: () => Promise<string | null> = async () => null,
  ): Promise<void> {
    const isSwap = this.attempt.steps.at(-1)!.title === 'Swap'
    this.#step({ state: 'sent', at: Date.now(), id: 'hash' in id ? id.hash : id.signature })
    const asked = { chain: this.attempt.order.chain, ...id }
    while (attempts.value === this.attempt) {
      try {
        const status = await client.transactionStatus(asked)
        this.#step({ explorer: status.explorer }, { problem: null, ...(isSwap && { status }) })
        if (status.status === 'failed') throw new WalletError(FAILED)
        if (status.status === 'unknown') {
          const why = status.replaced === true ? 'Another transaction replaced it.' : await expired()
          if (why !== null) throw new WalletError(why)
        }
        if (status.status === 'confirmed' || status.status === 'finalized') {
          if (!isSwap) return this.#step({ state: 'done' })
          if (this.attempt.receipt === null) {
            const receipt = await client.receipt(asked)
            if (this.attempt.crossing !== null) return this.#step({ state: 'done' }, { receipt })
            this.#step({ state: 'done' }, { receipt, phase: 'done' })
          }
          if (status.isFinal) return
        }
      } catch (error) {
        if (!isSwapgateError(error)) throw error
        this.#change({ problem: `${error.message} Retrying. (${error.code})` })
      }
      await pause(this.attempt.phase === 'done' ? FINAL_POLL_MS : POLL_MS)
    }
    throw new WalletError('The swap was left.')
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
const textOf = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
