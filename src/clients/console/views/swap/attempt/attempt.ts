/**
 * One swap from its build to its receipt. The state lives outside the views, so it
 * survives switching between them.
 */
import { decodeBase64, encodeBase64 } from '../../../../../runtime/base64.ts'
import {
  type Chain,
  type Exchange,
  isSwapgateError,
  mayBeSent,
  signatureOf,
} from '../../../../client/index.ts'
import { missingOf } from '../../../../swap/provider.ts'
import type * as verify from '../../../../verify/types.ts'
import { Kept } from '../../../data/kept.ts'
import { client } from '../../../data/service.ts'
import { failureOf as simulationFailureOf } from '../../../data/simulation.ts'
import {
  type EvmWallet,
  type SolanaWallet,
  UnsureError,
  WalletError,
  wordsOf,
} from '../../../wallets/wallet.ts'
import { type Built, inputOf, leastAsked } from '../order.ts'
import { crossingAsked, crossingBuilt, deliveryOf } from './crossing.ts'
import { keepRunning, readRunning } from './running.ts'
import type { Attempt, AttemptStep, Crossing, EndState } from './types.ts'
import words from './words.json' with { type: 'json' }

const POLL_MS = 1_500
/** The polling interval between a block and finality. */
const FINAL_POLL_MS = 5_000
/** The polling interval of a bridge, as its provider requests. */
const DELIVERY_POLL_MS = 10_000

/** After this long without a node that knows it, a transaction that does not expire is left as unknown. */
const UNKNOWN_MS = 300_000

/** The current one, of whichever view began it. */
export const attempts = new Kept<Attempt | null>(null)

/**
 * Changes this attempt, unless it is no longer the current one. The review changes what is accepted: the build's price
 * or minimum, and what only the gateway claims.
 */
export function change<A extends Attempt>(attempt: A, to: Partial<Attempt>): A {
  const changed = { ...attempt, ...to }
  if (attempts.value === attempt) attempts.set(changed)
  return changed
}

/** Leaves the attempt. A sent transaction continues, but is no longer followed. */
export const dismiss = (): void => attempts.set(null)

type AttemptInput = Pick<
  Attempt,
  'order' | 'priority' | 'quote' | 'quotedAt' | 'crossing' | 'wallet' | 'native' | 'other' | 'token' | 'risks'
>

/** Builds the quote, then shows its verification or its refusal. */
export async function build(given: AttemptInput): Promise<void> {
  const attempt: Attempt = {
    ...given,
    phase: 'building',
    built: null,
    lastBlock: null,
    verdict: null,
    exchange: null,
    builtAt: null,
    error: null,
    steps: [],
    changes: [],
    delivery: null,
    status: null,
    receipt: null,
    simulationFailure: null,
    isMoveAccepted: false,
    areClaimsAccepted: false,
    problem: null,
  }
  attempts.set(attempt)
  let exchange: Exchange | null = null
  try {
    const built = await builtOf(given, (one) => (exchange = one))
    const verdict = await verdictOf(given, built)
    const phase = verdict.isVerified ? 'review' : 'refused'
    const simulationFailure = await failureOf(given, verdict)
    const lastBlock = built.lastValidBlockHeight ?? null
    change(attempt, { phase, built, lastBlock, verdict, exchange, simulationFailure, builtAt: Date.now() })
  } catch (error) {
    if (!isSwapgateError(error)) throw error
    change(attempt, { phase: 'refused', error, exchange })
  }
}

async function builtOf(
  { order, priority, quote, crossing, wallet }: AttemptInput,
  onExchange: (exchange: Exchange) => void,
): Promise<Built> {
  if (crossing !== null) {
    if (crossing.exchange !== null) onExchange(crossing.exchange)
    return crossingBuilt(crossing.answer)
  }
  const paid = priority === null ? {} : { priority }
  const input = { ...inputOf(order, null), ...paid, from: wallet.address, quote }
  return client.build(input, { onExchange })
}

/**
 * The page does not trust the gateway: it reads the transaction with its own code, loaded at the first build.
 * Unproved claims are in the verdict's `stated`, which the review asks to accept.
 */
async function verdictOf(given: AttemptInput, built: Built): Promise<verify.Confirmed | verify.Refused> {
  const { verify } = await import('#verify')
  const [order, answer] = [askedOf(given), given.crossing?.answer ?? built]
  const trust = trustOf(given)
  const verdict = await verify(order, answer, { trust })
  if (verdict.isVerified || verdict.stated === undefined) return verdict
  return verify(order, answer, { trust, accept: verdict.stated })
}

/** The token list, and the nodes that the gateway asks, are only the gateway's claims. */
const trustOf = ({ wallet }: AttemptInput): verify.Trust => ({
  decimals: async (chain, token, chainId) =>
    wallet.family !== 'evm' || chainId === null ? null : wallet.decimals(chain, token, chainId),
})

/** Judges what the wallet signed. @param signed  base64, or a transaction as an EVM node has it */
async function judgeSigned(attempt: Attempt, signed: unknown): Promise<verify.SignedVerdict> {
  const { verify } = await import('#verify')
  const { verdict: shown, crossing, built } = attempt
  const accept = shown?.isVerified ? shown.stated : []
  const options = { trust: trustOf(attempt), accept }
  return verify.signed(askedOf(attempt), crossing?.answer ?? built, signed, options)
}

/**
 * Runs the verified transaction: at a Solana node, or at an EVM wallet's node, which runs it again before it
 * is signed. A swap that needs an approval can only be run after it.
 */
async function failureOf(
  { order, wallet }: AttemptInput,
  verdict: verify.Confirmed | verify.Refused,
): Promise<string | null> {
  if (!verdict.isVerified) return null
  const { send } = verdict
  if (send.family === 'evm' && wallet.family === 'evm')
    return send.approval === null ? wallet.failureOf(order.chain, send.transactions.at(-1)!) : null
  if (send.family !== 'solana') return null
  return simulationFailureOf(send.transaction)
}

/** What the user requested and accepted. */
export function askedOf({
  order,
  quote,
  crossing,
  wallet,
}: AttemptInput): verify.SwapOrder | verify.CrossChainOrder {
  if (crossing !== null) return crossingAsked(crossing.input, crossing.answer, order.slippageBps)
  const { slippageBps, ...asked } = order
  const minOut = leastAsked({ ...quote, slippageBps })
  return { ...asked, amountIn: quote.amountIn, from: wallet.address, minOut }
}

/** Signs, sends and follows the swap that the user confirmed. @param chains  all chains of the service */
export async function run(reviewed: Attempt, chains: readonly Chain[]): Promise<void> {
  const chain = chains.find(({ key }) => key === reviewed.order.chain)
  const progress = new Progress(change(reviewed, { phase: 'running', problem: null }))
  const { wallet } = reviewed
  await complete(progress, () =>
    wallet.family === 'solana' ? runSolana(progress, wallet) : runEvm(progress, wallet, chain!),
  )
}

/** Follows the swap that was sent before the page was loaded again, as if it had not been. */
async function resume(running: Attempt): Promise<void> {
  attempts.set(running)
  const progress = new Progress(running)
  const id = running.steps.at(-1)!.id!
  await complete(progress, () =>
    progress.follow(running.wallet.family === 'solana' ? { signature: id } : { hash: id }),
  )
}

/** @param send  resolves once the swap is final on its chain */
async function complete(progress: Progress, send: () => Promise<void>): Promise<void> {
  const { crossing } = progress.attempt
  try {
    await send()
    if (crossing !== null) await progress.deliver(crossing)
  } catch (error) {
    progress.end(error)
  }
}

async function runSolana(progress: Progress, wallet: SolanaWallet): Promise<void> {
  const { transaction } = verifiedOf(progress.attempt, 'solana')
  progress.begin('Swap')
  const signed = await wallet.sign(decodeBase64(transaction)!)
  const text = encodeBase64(signed)
  const verdict = await judgeSigned(progress.attempt, text)
  if (!verdict.isVerified)
    throw new WalletError(`It was not sent, because your wallet changed it. ${verdict.message}`)
  progress.notes(verdict.changes)
  progress.sends(signatureOf(signed))
  try {
    await client.rpc('sendTransaction', [text, { encoding: 'base64' }])
  } catch (error) {
    if (!mayBeSent(error)) throw error
    progress.step({ state: 'checking' })
  }
  await progress.follow({ signature: signatureOf(signed) })
}

/** By how many transactions follow. */
const TITLES = ['Swap', 'Approval', 'Approval reset to zero']

async function runEvm(progress: Progress, wallet: EvmWallet, chain: Chain): Promise<void> {
  const send = verifiedOf(progress.attempt, 'evm')
  let missing = send.transactions
  if (send.approval !== null) {
    const { token, spender } = send.approval
    const { allowance } = await client.allowance({ chain: chain.key, token, owner: wallet.address, spender })
    missing = missingOf(send, allowance)
  }
  if (missing.length > 1 && wallet.batch !== undefined) {
    progress.begin('Swap', words.said.once)
    const id = await wallet.batch.sendCalls(chain, send.calls)
    if (id !== null) return runBatch(progress, wallet, id)
    progress.drop(words.said.oneByOne)
  }
  for (const [nth, transaction] of missing.entries()) {
    progress.begin(TITLES[missing.length - 1 - nth]!)
    const sent = await wallet.send(chain, transaction, (hash) => progress.sends(hash))
    progress.sends(sent.hash)
    if (sent.isAnswerLost) progress.step({ state: 'checking' })
    else if (transaction === missing.at(-1)) await noteSeen(progress, wallet, sent.hash)
    await progress.follow({ hash: sent.hash })
  }
}

/** Follows calls that the wallet sends as one. */
async function runBatch(progress: Progress, wallet: EvmWallet, id: string): Promise<void> {
  // Its id is not known yet.
  progress.step({ state: 'sent', at: Date.now() })
  while (attempts.value === progress.attempt) {
    const { isPending, hashes, failed } = await wallet.batch!.callsStatus(id)
    const hash = hashes.at(-1)
    if (failed === 'all') throw new Ended('reverted', words.said.reverted)
    if (failed === 'part') throw new Ended('unknown', words.said.unknown)
    if (!isPending && hash === undefined) throw new Ended('expired', words.said.givenUp)
    if (!isPending) {
      progress.sends(hash!)
      await noteSeen(progress, wallet, hash!)
      return progress.follow({ hash: hash! })
    }
    await pause(POLL_MS)
  }
  throw new WalletError(words.said.left)
}

/** Shows what a wallet changed that sends what it signs, by the transaction that its node has. */
async function noteSeen(progress: Progress, wallet: EvmWallet, hash: string): Promise<void> {
  const seen = await wallet.transaction?.(hash).catch(() => null)
  if (seen != null) progress.notes((await judgeSigned(progress.attempt, seen)).changes)
}

/** The verified part of the answer, and nothing else. @throws WalletError  if nothing was verified */
function verifiedOf<Family extends verify.Send['family']>(
  { verdict }: Attempt,
  family: Family,
): verify.Send & { readonly family: Family } {
  if (verdict?.isVerified !== true || verdict.send.family !== family) {
    throw new WalletError('The transaction was not verified.')
  }
  return verdict.send as verify.Send & { readonly family: Family }
}

/** A step is over without success. */
class Ended extends WalletError {
  readonly state: EndState

  constructor(state: EndState, message: string) {
    super(message)
    this.state = state
  }
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

  /** Changes the last step. */
  step(to: Partial<AttemptStep>, more: Partial<Attempt> = {}): void {
    const { steps } = this.attempt
    this.#change({ ...more, steps: [...steps.slice(0, -1), { ...steps.at(-1)!, ...to }] })
  }

  begin(title: string, problem: string | null = this.attempt.problem): void {
    const step: AttemptStep = { title, state: 'signing', id: null, at: Date.now(), explorer: null }
    this.#change({ steps: [...this.attempt.steps, step], problem })
  }

  /** The step is made in another way. */
  drop(problem: string): void {
    this.#change({ steps: this.attempt.steps.slice(0, -1), problem })
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

  /** Shows what the wallet changed. With another blockhash or a nonce, nothing here shows when it expires. */
  notes(changes: readonly verify.SignedChange[]): void {
    const isRestamped = changes.some(({ kind }) => kind === 'blockhash' || kind === 'nonce')
    this.#change({ changes, ...(isRestamped && { lastBlock: null }) })
  }

  /** Shows the id of what is signed, which is known before it is sent. */
  sends(id: string): void {
    if (this.attempt.steps.at(-1)!.id !== id) this.step({ state: 'sent', at: Date.now(), id })
  }

  end(error: unknown): void {
    const state = error instanceof Ended ? error.state : error instanceof UnsureError ? 'unknown' : 'failed'
    const problem = isSwapgateError(error) ? `${error.message} (${error.code})` : wordsOf(error)
    this.step({ state }, { phase: 'failed', problem })
  }

  /**
   * Polls a transaction until it is in a block; the swap itself, until it is final.
   * @throws Ended  if it reverted, expired, or its fate stays unknown
   * @throws WalletError  if the attempt was left
   */
  async follow(id: { readonly hash: string } | { readonly signature: string }): Promise<void> {
    const { lastBlock } = this.attempt
    const { title, at } = this.attempt.steps.at(-1)!
    const isSwap = title === 'Swap'
    const asked = { chain: this.attempt.order.chain, ...id }
    let isPast = false
    while (attempts.value === this.attempt) {
      try {
        const status = await client.transactionStatus(asked)
        this.step({ explorer: status.explorer }, { problem: null, ...(isSwap && { status }) })
        if (status.status === 'failed') throw new Ended('reverted', words.said.reverted)
        if (status.status === 'unknown') {
          if (status.replaced === true) throw new Ended('unknown', words.said.replaced)
          // The height was read before the status, so that what lands between the two is seen.
          if (isPast) throw new Ended('expired', words.said.expired)
          if (lastBlock !== null) {
            const height = await client.rpc<number>('getBlockHeight', [{ commitment: 'finalized' }])
            isPast = height > lastBlock
          } else if (Date.now() - at > UNKNOWN_MS) throw new Ended('unknown', words.said.unknown)
        } else if (this.attempt.steps.at(-1)!.state === 'checking') this.step({ state: 'sent' })
        if (status.status === 'confirmed' || status.status === 'finalized') {
          if (!isSwap) return this.step({ state: 'done' })
          if (this.attempt.receipt === null) {
            const receipt = await client.receipt(asked)
            if (this.attempt.crossing !== null) return this.step({ state: 'done' }, { receipt })
            this.step({ state: 'done' }, { receipt, phase: 'done' })
          }
          if (status.isFinal) return
        }
      } catch (error) {
        if (!isSwapgateError(error)) throw error
        this.#change({ problem: `${error.message} Retrying. (${error.code})` })
      }
      await pause(this.attempt.phase === 'done' ? FINAL_POLL_MS : POLL_MS)
    }
    throw new WalletError(words.said.left)
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

// Kept per tab: a reload does not forget what was sent.
const running = readRunning()
attempts.watch(() => keepRunning(attempts.value))
// An older version kept no changes.
if (running !== null) void resume({ ...running, changes: running.changes ?? [] })
