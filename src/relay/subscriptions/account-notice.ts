/**
 * The notifications of an account's changes, in the form that a
 * subscriber requested.
 *
 * Source: agave account-decoder/src/lib.rs (encode_ui_account), rpc/src/rpc_pubsub.rs
 */
import { encodeBase58 } from '../../chains/solana/base58.ts'
import type { AccountSubscribeOptions } from '../methods/params.ts'
import { type AccountState, MAX_DATA_BYTES } from '../reads/accounts.ts'

/** MAX_BASE58_BYTES */
const MAX_BASE58_BYTES = 128
const NO_BASE58 = 'error: data too large for bs58 encoding'
const NO_DATA = 'error: data too large'

export class AccountNotice {
  readonly tooLong =
    `Subscription refused: the account has more than ${MAX_DATA_BYTES.toLocaleString('en')} bytes of data. Ask for a dataSlice within them.`
  readonly #subscription: number
  readonly #options: AccountSubscribeOptions | null | undefined

  constructor(subscription: number, options: AccountSubscribeOptions | null | undefined) {
    this.#subscription = subscription
    this.#options = options
  }

  /** @returns a notification as JSON text */
  textOf(slot: number, state: AccountState | null): string {
    const result = `{"context":{"slot":${slot}},"value":${state === null ? 'null' : this.#valueOf(state)}}`
    return `{"jsonrpc":"2.0","method":"accountNotification","params":{"result":${result},"subscription":${this.#subscription}}}`
  }

  /** The numbers keep their digits: a rent epoch is 2^64 - 1. */
  #valueOf(state: AccountState): string {
    const { lamports, owner, executable, rentEpoch, space } = state
    const end = space === null ? '' : `,"space":${space}`
    return `{"data":${this.#dataOf(state)},"executable":${executable},"lamports":${lamports},"owner":"${owner}","rentEpoch":${rentEpoch}${end}}`
  }

  #dataOf({ data, isCut }: AccountState): string {
    const slice = this.#options?.dataSlice ?? null
    const encoding = this.#options?.encoding ?? 'binary'
    // It has grown since it was subscribed to.
    if (isCut && isOutOfReach(this.#options)) return pair(NO_DATA, encoding)
    const shown = slice === null ? data : data.subarray(slice.offset, slice.offset + slice.length)
    if (encoding === 'base64') return pair(shown.toString('base64'), encoding)
    return pair(shown.length > MAX_BASE58_BYTES ? NO_BASE58 : encodeBase58(shown), encoding)
  }
}

/** Whether a subscriber wants bytes beyond those that are read from a longer account. */
export function isOutOfReach(options: AccountSubscribeOptions | null | undefined): boolean {
  const slice = options?.dataSlice ?? null
  return slice === null || slice.offset + slice.length > MAX_DATA_BYTES
}

/** The legacy encoding `binary` is base58 alone. */
const pair = (text: string, encoding: string): string =>
  encoding === 'binary' ? `"${text}"` : `["${text}","${encoding}"]`
