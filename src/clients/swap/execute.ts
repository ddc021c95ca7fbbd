/**
 * A swap in one call: quote, build, verify, sign, verify what was signed, send, wait, receipt. What is under way is
 * kept before anything is sent, so a lost answer or a reload never leads to a second swap.
 */
import { decodeBase64, encodeBase64 } from '../../runtime/base64.ts'
import {
  type BuildInput,
  type BuildResult,
  type Client,
  isSwapgateError,
  mayBeSent,
  type Quote,
  type Receipt,
  type ReceiptInput,
  signatureOf,
  type TransactionStatus,
} from '../client/index.ts'
import { SYSTEM_CLOCK, sleep } from '../client/time.ts'
import {
  type Confirmed,
  type EvmSend,
  type Hex,
  type Send,
  type SignedChange,
  type SignedVerdict,
  type SwapOrder,
  type VerifySignedOptions,
  verify,
} from '../verify/index.ts'
import { SwapError } from './errors.ts'
import { hasNoStatus, isDeclined, isUnsure, missingOf, wordsOf } from './provider.ts'
import { forgetSwap, type Keep, keepPending, type Pending, readPending } from './record.ts'
import texts from './texts.json' with { type: 'json' }
import type { EvmWallet, SolanaWallet, Wallet } from './wallets.ts'

/** What the user asks for: the members of `POST /api/build` without those that follow. */
export type Order = Omit<BuildInput, 'from' | 'quote' | 'cancel'>

/** What happened, in order. Without an approval `transaction` is always `swap`. */
export type SwapProgress =
  | { readonly step: 'quoted'; readonly quote: Quote }
  | { readonly step: 'built'; readonly built: BuildResult }
  | { readonly step: 'verified'; readonly verdict: Confirmed }
  | { readonly step: 'signing'; readonly transaction: Pending['kind'] }
  | { readonly step: 'signed'; readonly changes: readonly SignedChange[] }
  | { readonly step: 'sent'; readonly transaction: Pending['kind']; readonly id: string }
  | { readonly step: 'status'; readonly status: TransactionStatus }

export interface SwapResult {
  /** The hash or signature of the swap. */
  readonly id: string
  /**
   * What the wallet changed. EVM wallets that send what they sign show it only afterwards: null after a reload, or if
   * the wallet's node does not show it.
   */
  readonly changes: readonly SignedChange[] | null
  /** What it cost and moved, from the chain's nodes. */
  readonly receipt: Receipt
}

/** Also what `verify` takes: `trust`, and the names of what the user takes on the gateway's word. */
export interface ResumeOptions extends VerifySignedOptions {
  /** Keeps what is under way: called again with the same id, the swap goes on. Absent: a reload forgets it. */
  readonly keep?: Keep | undefined
  readonly onProgress?: ((progress: SwapProgress) => void) | undefined
  /** Ends the wait; what was sent goes on. */
  readonly signal?: AbortSignal | undefined
  /** The first wait between two looks at a status, ms. */
  readonly pollMs?: number | undefined
}

export interface SwapOptions extends ResumeOptions {
  /** Shows a quote to the user, whose `minOut` then holds. @returns whether they agree */
  agree(quote: Quote): boolean | Promise<boolean>
}

/**
 * Swaps, and waits until it is in a block.
 * @throws SwapError      at the step that failed
 * @throws SwapgateError  if the gateway refuses, or `aborted`
 */
export async function executeSwap(
  client: Client,
  order: Order,
  wallet: Wallet,
  options: SwapOptions,
): Promise<SwapResult> {
  const run = new Run(client, wallet, options)
  return (await run.resume()) ?? run.swap(order, options.agree)
}

/**
 * Goes on with a swap that was kept, and signs nothing.
 * @returns null if none was sent: `executeSwap` starts it
 * @throws SwapError, SwapgateError  as `executeSwap`
 */
export const resumeSwap = (
  client: Client,
  wallet: Wallet,
  options: ResumeOptions & { readonly keep: Keep },
): Promise<SwapResult | null> => new Run(client, wallet, options).resume()

const POLL_MS = 1_000
/** A market that falls each time is not worth another question. */
const MOST_QUOTES = 5

/** What was verified, and what it was verified against. */
interface Offer {
  readonly order: SwapOrder
  readonly built: BuildResult
  readonly send: Send
}

type Kind = Pending['kind']
type Judged = Pick<SignedVerdict, 'id' | 'changes'>
type Known = Pick<Pending, 'state'> & Partial<Pending>

class Run {
  readonly #client: Client
  readonly #wallet: Wallet
  readonly #options: ResumeOptions
  readonly #emit: (progress: SwapProgress) => void

  constructor(client: Client, wallet: Wallet, options: ResumeOptions) {
    this.#client = client
    this.#wallet = wallet
    this.#options = options
    this.#emit = (progress) => options.onProgress?.(progress)
  }

  async resume(): Promise<SwapResult | null> {
    const pending = await readPending(this.#options.keep)
    if (pending === null) return null
    const { family, address } = this.#wallet
    const isSame = family === 'solana' ? pending.from === address : sameHex(pending.from, address)
    if ((pending.chain === 'solana') !== (family === 'solana') || !isSame)
      throw new SwapError('wallet', `This swap is of the wallet ${pending.from}.`, { id: pending.id })
    if (pending.state === 'landed') return this.#resultOf(pending)
    if (pending.state === 'asked') throw unsure()
    if (pending.signed !== null) await this.#send(pending, () => true)
    return this.#land(pending)
  }

  async swap(order: Order, agree: SwapOptions['agree']): Promise<SwapResult> {
    for (let quotes = 1; ; quotes++) {
      const offer = await this.#offer(order, agree, quotes < MOST_QUOTES)
      // The market fell below the quote: the user is asked again.
      if (offer === null) continue
      const { send } = offer
      const wallet = this.#wallet
      if (send.family === 'solana' && wallet.family === 'solana')
        return this.#swapSolana(offer, send.transaction, wallet)
      if (send.family === 'evm' && wallet.family === 'evm') return this.#swapEvm(offer, send, wallet)
      throw new SwapError('wallet', `A wallet of ${wallet.family} does not sign for ${order.chain}.`)
    }
  }

  /** @returns null if the quote has moved */
  async #offer(order: Order, agree: SwapOptions['agree'], mayAskAgain: boolean): Promise<Offer | null> {
    const { slippageBps: given, guards, nonce, priority: _, headroomBytes: __, ...terms } = order
    const from = this.#wallet.address
    const asked = { ...terms, from }
    const call = { signal: this.#options.signal }
    const slippageBps = given ?? (await this.#client.quote(asked, call)).suggestedSlippageBps
    const quote = await this.#client.quote({ ...asked, slippageBps }, call)
    this.#emit({ step: 'quoted', quote })
    if (!(await agree(quote))) throw new SwapError('declined', 'The user declined the quote.')
    let built: BuildResult
    try {
      built = await this.#client.build({ ...order, slippageBps, from, quote }, call)
    } catch (error) {
      if (mayAskAgain && isSwapgateError(error, 'quote_moved')) return null
      throw error
    }
    this.#emit({ step: 'built', built })
    const { minOut } = quote
    const amountIn = order.amountOut === undefined ? quote.amountIn : quote.maxIn!
    const more = { ...(guards !== undefined && { guards }), ...(nonce !== undefined && { nonce }) }
    const verified = { ...asked, ...more, amountIn, minOut }
    const verdict = await verify(verified, built, this.#trusting())
    if (!verdict.isVerified) throw new SwapError('refused', verdict.message, { rule: verdict.rule })
    this.#emit({ step: 'verified', verdict })
    return { order: verified, built, send: verdict.send }
  }

  /** An EVM wallet's own node tells what is not told otherwise. */
  #trusting(): ResumeOptions {
    const { trust } = this.#options
    const wallet = this.#wallet
    if (wallet.family !== 'evm' || trust?.decimals !== undefined) return this.#options
    const decimals = async (_: string, token: string, chainId: number | null) => {
      try {
        await wallet.useChain(`0x${chainId!.toString(16)}`)
        return await wallet.decimals(token)
      } catch {
        return null
      }
    }
    return { ...this.#options, trust: { ...trust, decimals } }
  }

  async #swapSolana(offer: Offer, transaction: string, wallet: SolanaWallet): Promise<SwapResult> {
    const bytes = await this.#ask('swap', () => wallet.sign(decodeBase64(transaction)!))
    const signed = encodeBase64(bytes)
    const { changes } = await this.#judge(offer, signed, 'swap')
    const lastValidBlockHeight = await this.#lastBlock(offer.built, changes)
    const { nonce = null } = offer.built
    const id = signatureOf(bytes)
    const sent = { state: 'sent', id, signed, lastValidBlockHeight, nonce, changes } as const
    const pending = await this.#keep(offer, 'swap', sent)
    await this.#send(pending, mayBeSent)
    return (await this.#land(pending))!
  }

  /** The last block that it can be in; null if it does not expire. A wallet's blockhash is no newer than the latest. */
  async #lastBlock(built: BuildResult, changes: readonly SignedChange[]): Promise<number | null> {
    if (changes.some(({ kind }) => kind === 'nonce')) return null
    if (!changes.some(({ kind }) => kind === 'blockhash')) return built.lastValidBlockHeight ?? null
    const asked = ['getLatestBlockhash', [{ commitment: 'processed' }]] as const
    const { value } = await this.#client.rpc<{ value: { lastValidBlockHeight: number } }>(...asked)
    return value.lastValidBlockHeight
  }

  async #swapEvm(offer: Offer, send: EvmSend, wallet: EvmWallet): Promise<SwapResult> {
    const useChain = () => this.#ask(null, () => wallet.useChain(send.calls.chainId))
    await useChain()
    const missing = await this.#missing(offer.order, send)
    // Only the last of the calls guards a swap.
    const isGuarded = offer.order.guards === true
    if (missing.length > 1 || isGuarded) {
      if (await wallet.takesCalls(send.calls.chainId)) {
        const id = await this.#askToSend(offer, 'swap', () => wallet.sendCalls(send.calls))
        if (id !== null)
          return (await this.#land(await this.#keep(offer, 'swap', { state: 'batch', id }), offer))!
        await forgetSwap(this.#options.keep)
      }
      if (isGuarded) throw new SwapError('wallet', texts.unguarded)
    }
    let result: SwapResult | null = null
    for (const transaction of missing) {
      const kind = transaction === missing.at(-1) ? 'swap' : 'approval'
      const { signer } = wallet
      let pending: Pending
      // While an approval lands, the user may go elsewhere.
      await useChain()
      if (signer === undefined) {
        const id = await this.#askToSend(offer, kind, () => wallet.send(transaction))
        if (!/^0x[0-9a-f]{64}$/i.test(id)) throw unsure()
        pending = await this.#keep(offer, kind, { state: 'sent', id })
      } else {
        const signed = await this.#ask(kind, () => signer.sign(transaction))
        const { id, changes } = await this.#judge(offer, signed, kind)
        pending = await this.#keep(offer, kind, { state: 'sent', id, signed, changes })
        await this.#send(pending, isUnsure)
      }
      result = await this.#land(pending, offer)
    }
    return result!
  }

  /** The transactions that are left: an allowance may be there. */
  async #missing({ chain }: SwapOrder, send: EvmSend): Promise<EvmSend['transactions']> {
    if (send.approval === null) return send.transactions
    const { token, spender } = send.approval
    const asked = { chain, token, spender, owner: this.#wallet.address }
    const { allowance } = await this.#client.allowance(asked, { signal: this.#options.signal })
    return missingOf(send, allowance)
  }

  /** Keeps what is under way before it is sent. */
  async #keep({ order }: Offer, kind: Kind, known: Known): Promise<Pending> {
    const none = { id: null, signed: null, lastValidBlockHeight: null, nonce: null, changes: [] }
    const pending: Pending = { ...none, chain: order.chain, from: order.from, kind, ...known }
    await keepPending(this.#options.keep, pending)
    return pending
  }

  /** Asks a wallet for what sends nothing. @param signs  null if it signs nothing */
  async #ask<T>(signs: Kind | null, ask: () => Promise<T>): Promise<T> {
    if (signs !== null) this.#emit({ step: 'signing', transaction: signs })
    try {
      return await ask()
    } catch (cause) {
      if (cause instanceof SwapError) throw cause
      await forgetSwap(this.#options.keep)
      if (isDeclined(cause)) throw new SwapError('declined', 'The user declined in the wallet.', { cause })
      throw new SwapError('wallet', `The wallet failed: ${wordsOf(cause)}`, { cause })
    }
  }

  /** Asks a wallet that sends what it signs: that it was asked is kept, as its answer may be lost. */
  async #askToSend<T>(offer: Offer, kind: Kind, ask: () => Promise<T>): Promise<T> {
    return this.#ask(kind, async () => {
      await this.#keep(offer, kind, { state: 'asked' })
      return ask().catch((cause) => {
        throw isUnsure(cause) ? unsure(cause) : cause
      })
    })
  }

  /** @throws SwapError  if it isn't what was verified */
  async #judge({ order, built }: Offer, signed: unknown, kind: Kind): Promise<Judged> {
    const verdict = await verify.signed(order, built, signed, this.#trusting())
    // Of an approval alone nothing is wrong but that the swap is missing.
    const changes = verdict.changes.filter((one) => kind === 'swap' || one.kind !== 'missing')
    const isPart = !verdict.isVerified && verdict.rule === 'signed_missing' && kind === 'approval'
    if (!verdict.isVerified && !(isPart && changes.every(({ isAllowed }) => isAllowed))) {
      const { rule, message } = verdict
      const code = rule.startsWith('signed') ? 'signed_changed' : 'refused'
      throw new SwapError(code, message, { rule, changes })
    }
    this.#emit({ step: 'signed', changes })
    return { id: verdict.id, changes }
  }

  /** Sends signed bytes, which may be sent before. @throws SwapError, SwapgateError  if they were not sent */
  async #send({ signed, id }: Pending, maySend: (error: unknown) => boolean): Promise<void> {
    const { keep, signal } = this.#options
    const wallet = this.#wallet
    try {
      if (wallet.family === 'evm') await wallet.signer!.broadcast(signed as Hex)
      else await this.#client.rpc('sendTransaction', [signed, { encoding: 'base64' }], { signal })
    } catch (cause) {
      if (maySend(cause)) return
      await forgetSwap(keep)
      if (isSwapgateError(cause)) throw cause
      throw new SwapError('wallet', `The node refused it: ${wordsOf(cause)}`, { id, cause })
    }
  }

  /** Waits for the outcome. @returns null if it was an approval */
  async #land(started: Pending, offer: Offer | null = null): Promise<SwapResult | null> {
    const { keep, pollMs = POLL_MS, signal } = this.#options
    const pending = started.state === 'batch' ? await this.#unbatched(started) : started
    const { kind, lastValidBlockHeight, nonce } = pending
    const id = pending.id!
    this.#emit({ step: 'sent', transaction: kind, id })
    const { outcome } = await this.#client.waitForTransaction(this.#transaction(pending), {
      ...(lastValidBlockHeight !== null && { lastValidBlockHeight }),
      ...(nonce !== null && { nonce }),
      onStatus: (status) => this.#emit({ step: 'status', status }),
      pollMs,
      signal,
    })
    if (outcome !== 'landed') {
      if (outcome !== 'replaced') await forgetSwap(keep)
      throw new SwapError(outcome, texts[outcome], { id })
    }
    if (kind === 'approval') {
      await forgetSwap(keep)
      return null
    }
    const changes =
      pending.signed !== null ? pending.changes : offer === null ? null : await this.#seen(offer, id)
    const landed = { ...pending, state: 'landed', signed: null, changes } as const
    await keepPending(keep, landed)
    return this.#resultOf(landed)
  }

  /** The transaction that a batch is in. */
  async #unbatched(batch: Pending): Promise<Pending> {
    const { keep, pollMs = POLL_MS, signal } = this.#options
    const wallet = this.#wallet as EvmWallet
    for (;;) {
      const looked = await wallet.callsStatus(batch.id!).catch((cause) => {
        if (hasNoStatus(cause)) throw unsure(cause, batch.id)
        return null
      })
      if (looked !== null && !looked.isPending) {
        const { hashes, failed } = looked
        const id = hashes.at(-1) ?? null
        if (failed === 'part') throw unsure(undefined, id ?? batch.id)
        if (failed === undefined && id !== null) {
          const pending = { ...batch, state: 'sent', id } as const
          await keepPending(keep, pending)
          return pending
        }
        await forgetSwap(keep)
        const outcome = failed === undefined ? 'expired' : 'reverted'
        throw new SwapError(outcome, texts[outcome], { id })
      }
      await sleep(SYSTEM_CLOCK, pollMs, [signal])
    }
  }

  /** What an EVM wallet that sends by itself has changed. */
  async #seen({ order, built }: Offer, id: string): Promise<readonly SignedChange[] | null> {
    const wallet = this.#wallet as EvmWallet
    const transaction = await wallet.transaction(id).catch(() => null)
    if (transaction === null) return null
    const { changes } = await verify.signed(order, built, transaction, this.#trusting())
    this.#emit({ step: 'signed', changes })
    const refused = changes.find(({ isAllowed }) => !isAllowed)
    if (refused !== undefined)
      throw new SwapError('signed_changed', `What the wallet sent ${refused.words}.`, {
        id,
        rule: `signed_${refused.kind}`,
        changes,
      })
    return changes
  }

  async #resultOf(landed: Pending): Promise<SwapResult> {
    const call = { signal: this.#options.signal }
    const asked = this.#transaction(landed)
    const { keep, pollMs = POLL_MS, signal } = this.#options
    const id = landed.id!
    for (;;) {
      const receipt = await this.#client.receipt(asked, call)
      const own = ('hash' in asked ? receipt.hash : receipt.signature) ?? ''
      if (!sameHex(own, id)) throw new SwapError('unsure', 'The receipt is of another transaction.', { id })
      if (receipt.status === 'failed') {
        await forgetSwap(keep)
        throw new SwapError('reverted', texts.reverted, { id })
      }
      if (receipt.status === 'confirmed' || receipt.status === 'finalized')
        return { id, changes: landed.changes, receipt }
      // A node that lags.
      await sleep(SYSTEM_CLOCK, pollMs, [signal])
    }
  }

  #transaction({ chain, id }: Pending): ReceiptInput {
    return this.#wallet.family === 'solana' ? { chain, signature: id! } : { chain, hash: id! }
  }
}

const unsure = (cause?: unknown, id: string | null = null): SwapError =>
  new SwapError('unsure', texts.unsure, { cause, id })

const sameHex = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
