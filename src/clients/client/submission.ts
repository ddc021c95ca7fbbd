/**
 * Submissions to Solana. A transaction's signature is in its bytes before it is sent, so a lost answer loses
 * nothing: the client asks for its status by the signature, until a block holds it or its last valid block is
 * past.
 */
import { isSwapgateError, SwapgateError } from './errors.ts'
import type { Operations, TransactionStatus, TransactionStatusInput } from './generated/operations.ts'
import type { CallOptions } from './options.ts'
import type { Rpc } from './rpc.ts'
import { sleep } from './time.ts'
import type { Transport } from './transport.ts'

const POLL_MS = 1_000
/** Waits between polls grow up to this many times `pollMs`. */
const SLOWEST_POLL = 5
/** After so many polls of a second or more, final blocks are past the build. */
const LATE_POLLS = 30

export interface SubmitOptions extends CallOptions {
  /** `lastValidBlockHeight` of the build: the last block that the transaction can be in. */
  readonly lastValidBlockHeight: number
  /** The wait before the second look at the status; it grows to five times that. Default 1,000. */
  readonly pollMs?: number | undefined
}

export interface Submitted {
  readonly signature: string
  /** `landed`: it ran. `reverted`: it is in a block, and failed. `expired`: it is in no block, and never will be. */
  readonly outcome: 'landed' | 'reverted' | 'expired'
  /** The last one that was read. */
  readonly status: TransactionStatus
}

export interface WaitOptions extends CallOptions, Pick<SubmitOptions, 'pollMs'> {
  /** The last block that it can be in. Absent: it does not expire, but by its `nonce`. */
  readonly lastValidBlockHeight?: number | undefined
  /** `nonce` of the build: once the account holds another value, nothing else with this one lands. */
  readonly nonce?: { readonly account: string; readonly value: string } | undefined
  /** Called with each status that was read. */
  readonly onStatus?: ((status: TransactionStatus) => void) | undefined
}

/** How a transaction ended. `replaced`: another one of the same wallet took its place. */
export interface Ended {
  readonly outcome: Submitted['outcome'] | 'replaced'
  /** The last one that was read. */
  readonly status: TransactionStatus
}

export interface Submissions {
  /**
   * Waits until the outcome of a transaction is certain.
   * @throws SwapgateError  `aborted`; failures of the gateway are temporary
   */
  waitForTransaction(transaction: TransactionStatusInput, options?: WaitOptions): Promise<Ended>
  /**
   * Submits a signed transaction, and waits until its outcome is certain. If the answer is lost, the
   * transaction may be on its way: the client then asks for its status by the signature, and sends nothing
   * again.
   * @param transaction  signed, in base64
   * @throws SwapgateError  if the gateway or a node refused it, so nothing was sent; or `aborted`
   */
  submit(transaction: string, options: SubmitOptions): Promise<Submitted>
}

type Asks = Rpc & Pick<Operations, 'transactionStatus'>

export function createSubmissions(transport: Transport, client: Asks): Submissions {
  const submissions: Submissions = {
    async submit(transaction, options) {
      const signature = signatureOf(transaction)
      const refused = await client
        .rpc('sendTransaction', [transaction, { encoding: 'base64' }], options)
        .then(
          () => null,
          (error: unknown) => error,
        )
      // Sent again, what has used its nonce is refused like what came too late for it.
      const isKnown = async () =>
        hasExpired(refused) &&
        (await client.transactionStatus({ chain: 'solana', signature }, options).then(
          ({ status }) => status !== 'unknown',
          () => true,
        ))
      if (refused !== null && !mayBeSent(refused) && !(await isKnown())) throw refused
      const ended = await submissions.waitForTransaction({ chain: 'solana', signature }, options)
      return { ...(ended as Submitted), signature }
    },
    async waitForTransaction(
      transaction,
      { lastValidBlockHeight, nonce, pollMs = POLL_MS, onStatus, ...options } = {},
    ) {
      let isPast = false
      let wasHeld = false
      for (let poll = 1; ; poll++) {
        try {
          const status = await client.transactionStatus(transaction, options)
          onStatus?.(status)
          const outcome = outcomeOf(status, isPast)
          if (outcome !== null) return { outcome, status }
          if (lastValidBlockHeight !== undefined) {
            // The height of final blocks, so that even a lagging node has seen them.
            const height = await client.rpc<number>('getBlockHeight', [{ commitment: 'finalized' }], options)
            isPast = height > lastValidBlockHeight
          }
          if (nonce !== undefined) {
            const isHeld = (await nonceAt(client, nonce.account, options)) === nonce.value
            // Final blocks come late: at first they may show the value before this one.
            isPast = !isHeld && (wasHeld || poll > LATE_POLLS)
            wasHeld ||= isHeld
          }
        } catch (error) {
          if (!isSwapgateError(error) || error.code === 'aborted') throw error
          // The request itself is wrong, which no time heals.
          if (error.status === 400 || error.status === 404) throw error
        }
        const signals = [transport.options.signal, options.signal]
        await sleep(transport.clock, Math.min(poll, SLOWEST_POLL) * pollMs, signals)
      }
    },
  }
  return submissions
}

const NONCE_AT = 40

/** @returns the value of a nonce account in final blocks; null if there is none */
async function nonceAt(client: Asks, account: string, options: CallOptions): Promise<string | null> {
  const read = { encoding: 'base64', commitment: 'finalized' }
  const { value } = await client.rpc<{ value: { data: readonly [string, string] } | null }>(
    'getAccountInfo',
    [account, read],
    options,
  )
  return value === null ? null : base58(bytesOf(value.data[0]).subarray(NONCE_AT, NONCE_AT + 32))
}

/** Whether a node refused it because its blockhash or nonce is past. */
const hasExpired = (error: unknown): boolean =>
  isSwapgateError(error) && Object(error.rpc?.data).expired === true

/** @param isPast  its last valid block was past before the status was read */
function outcomeOf({ status, replaced }: TransactionStatus, isPast: boolean): Ended['outcome'] | null {
  if (status === 'confirmed' || status === 'finalized') return 'landed'
  if (status === 'failed') return 'reverted'
  if (status !== 'unknown') return null
  return replaced === true ? 'replaced' : isPast ? 'expired' : null
}

/** Codes of a 502 in which an upstream may have taken the transaction nevertheless. */
const UNSURE = /^(upstream_|signature_mismatch$|internal_error$)/

/**
 * Whether a transaction may be on its way although its submission failed: the answer was lost, or a node
 * already has the transaction. False if the gateway or a node refused it.
 */
export function mayBeSent(error: unknown): boolean {
  if (!(error instanceof SwapgateError)) return false
  const { code, rpc, scope } = error
  if (code === 'rpc_error')
    return /already been processed|AlreadyProcessed/.test(
      `${rpc!.message} ${JSON.stringify(rpc!.data ?? '')}`,
    )
  if (code === 'network' || code === 'timeout' || code === 'aborted' || code === 'unexpected_response')
    return true
  return scope !== 'limit' && UNSURE.test(code)
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const SIGNATURE_BYTES = 64
/** The first byte of a transaction of version 1, whose signatures come last. */
const V1 = 0x81

/**
 * The signature that a transaction is known by, before or after it is sent.
 * @param transaction  signed; base64, or its bytes
 */
export function signatureOf(transaction: string | Uint8Array): string {
  const bytes = typeof transaction === 'string' ? bytesOf(transaction) : transaction
  const at = bytes[0] === V1 ? bytes.length - SIGNATURE_BYTES * bytes[1]! : 1
  return base58(bytes.subarray(at, at + SIGNATURE_BYTES))
}

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))

function base58(bytes: Uint8Array): string {
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  let text = ''
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text
  const zeros = bytes.findIndex((byte) => byte !== 0)
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text
}
