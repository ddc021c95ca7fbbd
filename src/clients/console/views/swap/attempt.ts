/**
 * One swap from its build to its receipt. It lives beside the views, so that
 * whoever looks at another one meanwhile finds it as far as it has come.
 */
import { useEffect, useState } from 'preact/hooks'
import {
  type BuildResult,
  type Chain,
  type Exchange,
  isSwapgateError,
  type Quote,
  type Receipt,
  type SwapgateError,
  type TransactionStatus,
} from '../../../client/index.ts'
import { client } from '../../data/service.ts'
import { type EvmWallet, type SolanaWallet, type Wallet, WalletError, wordsOf } from '../../wallets/wallet.ts'
import { approvalOf, approveCall } from './approval.ts'
import { type Coin, inputOf, type Order } from './order.ts'

const POLL_MS = 1_500
/** From a block to one that is for good. */
const FINAL_POLL_MS = 5_000

const FAILED = 'It failed in its block: nothing was swapped, but its fee is paid.'

export interface Step {
  readonly title: string
  readonly state: 'signing' | 'sent' | 'done' | 'failed'
  /** Hash or signature; null before it was sent. */
  readonly id: string | null
  readonly explorer: string | null
}

export interface Attempt {
  readonly phase: 'building' | 'refused' | 'review' | 'running' | 'done' | 'failed'
  readonly order: Order
  readonly quote: Quote
  readonly wallet: Wallet
  readonly native: Coin
  readonly token: Coin
  readonly built: BuildResult | null
  /** The request of the build. */
  readonly exchange: Exchange | null
  /** When its answer came, ms of the wall clock. */
  readonly builtAt: number | null
  readonly error: SwapgateError | null
  readonly steps: readonly Step[]
  readonly status: TransactionStatus | null
  readonly receipt: Receipt | null
  /** In words; what is the matter while it still goes on, or why it ended. */
  readonly problem: string | null
}

let current: Attempt | null = null
const listeners = new Set<() => void>()

function set(attempt: Attempt | null): void {
  current = attempt
  for (const listener of listeners) listener()
}

/** Changes this attempt, unless another one, or none, has taken its place. */
function change<A extends Attempt>(attempt: A, to: Partial<Attempt>): A {
  const changed = { ...attempt, ...to }
  if (current === attempt) set(changed)
  return changed
}

export function useAttempt(): Attempt | null {
  const [attempt, draw] = useState(current)
  useEffect(() => {
    const redraw = (): void => draw(current)
    listeners.add(redraw)
    redraw()
    return () => void listeners.delete(redraw)
  }, [])
  return attempt
}

/** Leaves it. What was sent goes on without being followed. */
export const dismiss = (): void => set(null)

type Given = Pick<Attempt, 'order' | 'quote' | 'wallet' | 'native' | 'token'>

/** Has the quote built, and shows what was verified, or what was refused. */
export async function build(given: Given): Promise<void> {
  const attempt: Attempt = {
    ...given,
    phase: 'building',
    built: null,
    exchange: null,
    builtAt: null,
    error: null,
    steps: [],
    status: null,
    receipt: null,
    problem: null,
  }
  set(attempt)
  let exchange: Exchange | null = null
  try {
    const input = { ...inputOf(given.order, null), from: given.wallet.address, quote: given.quote }
    const built = await client.build(input, { onExchange: (one) => (exchange = one) })
    change(attempt, { phase: 'review', built, exchange, builtAt: Date.now() })
  } catch (error) {
    if (!isSwapgateError(error)) throw error
    change(attempt, { phase: 'refused', error, exchange })
  }
}

/** What the user agreed to: signs, sends and follows it. @param chains  by key */
export async function run(reviewed: Attempt, chains: readonly Chain[]): Promise<void> {
  const chain = chains.find(({ key }) => key === reviewed.order.chain)
  const progress = new Progress(change(reviewed, { phase: 'running', problem: null }))
  try {
    const { wallet } = reviewed
    if (wallet.family === 'solana') await runSolana(progress, wallet)
    else await runEvm(progress, wallet, chain!)
  } catch (error) {
    progress.fail(isSwapgateError(error) ? `${error.message} (${error.code})` : wordsOf(error))
  }
}

async function runSolana(progress: Progress, wallet: SolanaWallet): Promise<void> {
  const { built } = progress.attempt
  progress.begin('Swap')
  const signed = await wallet.sign(bytesOf(built!.solanaTransaction!))
  const signature = await client.rpc<string>('sendTransaction', [textOf(signed), { encoding: 'base64' }])
  await progress.follow({ signature }, async () => {
    const height = await client.rpc<number>('getBlockHeight', [{ commitment: 'confirmed' }])
    return height > built!.lastValidBlockHeight!
      ? 'It did not land in time, and never will: nothing was swapped. Ask for a new quote.'
      : null
  })
}

async function runEvm(progress: Progress, wallet: EvmWallet, chain: Chain): Promise<void> {
  const { built } = progress.attempt
  const approval = approvalOf(built!)
  if (approval !== null) {
    const { token, spender, amount, reset } = approval
    const asked = { chain: chain.key, token, owner: wallet.address, spender }
    const { allowance } = await client.allowance(asked)
    if (allowance === null || BigInt(allowance) < BigInt(amount)) {
      if (reset && allowance !== '0') {
        progress.begin('Approval back to zero')
        await progress.follow({ hash: await wallet.send(chain, approveCall(token, spender, 0n)) })
      }
      progress.begin('Approval')
      await progress.follow({ hash: await wallet.send(chain, approveCall(token, spender, BigInt(amount))) })
    }
  }
  progress.begin('Swap')
  const { to, data, value } = built!
  await progress.follow({
    hash: await wallet.send(chain, { to: to!, data: data!, valueWei: BigInt(value ?? '0') }),
  })
}

/** The steps of an attempt, as they go on. */
class Progress {
  attempt: Attempt

  constructor(attempt: Attempt) {
    this.attempt = attempt
  }

  #change(to: Partial<Attempt>): void {
    this.attempt = change(this.attempt, to)
  }

  #step(to: Partial<Step>, more: Partial<Attempt> = {}): void {
    const { steps } = this.attempt
    this.#change({ ...more, steps: [...steps.slice(0, -1), { ...steps.at(-1)!, ...to }] })
  }

  begin(title: string): void {
    const step: Step = { title, state: 'signing', id: null, explorer: null }
    this.#change({ steps: [...this.attempt.steps, step] })
  }

  fail(problem: string): void {
    this.#step({ state: 'failed' }, { phase: 'failed', problem })
  }

  /**
   * Asks until it is in a block, and of the swap on until that is for good.
   * @param expired  why it can land no more, asked while no node knows it
   * @throws WalletError  where it failed, or nobody waits for it any more
   */
  async follow(
    id: { readonly hash: string } | { readonly signature: string },
    expired: () => Promise<string | null> = async () => null,
  ): Promise<void> {
    const isSwap = this.attempt.steps.at(-1)!.title === 'Swap'
    this.#step({ state: 'sent', id: 'hash' in id ? id.hash : id.signature })
    const asked = { chain: this.attempt.order.chain, ...id }
    while (current === this.attempt) {
      try {
        const status = await client.transactionStatus(asked)
        this.#step({ explorer: status.explorer }, { problem: null, ...(isSwap && { status }) })
        if (status.status === 'failed') throw new WalletError(FAILED)
        if (status.status === 'unknown') {
          const why = status.replaced === true ? 'Another transaction took its place.' : await expired()
          if (why !== null) throw new WalletError(why)
        }
        if (status.status === 'confirmed' || status.status === 'finalized') {
          if (!isSwap) return this.#step({ state: 'done' })
          if (this.attempt.receipt === null) {
            const receipt = await client.receipt(asked)
            this.#step({ state: 'done' }, { receipt, phase: 'done' })
          }
          if (status.isFinal) return
        }
      } catch (error) {
        if (!isSwapgateError(error)) throw error
        this.#change({ problem: `${error.message} It is asked again. (${error.code})` })
      }
      await pause(this.attempt.phase === 'done' ? FINAL_POLL_MS : POLL_MS)
    }
    throw new WalletError('It was left.')
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
const textOf = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
