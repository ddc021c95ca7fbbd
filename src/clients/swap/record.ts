/** What is kept of a swap that is under way. */
import type { SignedChange } from '../verify/types.ts'
import { SwapError } from './errors.ts'

/** As `localStorage`; it may answer with promises. */
export interface Store {
  getItem(key: string): string | null | Promise<string | null>
  setItem(key: string, value: string): unknown
  removeItem(key: string): unknown
}

/** Where a swap is kept, and under which name: an id swaps once. */
export interface Keep {
  readonly store: Store
  readonly id: string
}

/** The transaction that is under way. */
export interface Pending {
  readonly chain: string
  /** The wallet. */
  readonly from: string
  readonly kind: 'approval' | 'swap'
  /** `asked`: the wallet was asked to send, and has not answered. `batch`: `id` is that of a batch of calls. */
  readonly state: 'asked' | 'batch' | 'sent' | 'landed'
  /** Hash, signature or batch; null while it is not known. */
  readonly id: string | null
  /** To send the same again: base64, or 0x hex; null if the wallet keeps it. */
  readonly signed: string | null
  /** Null if it does not expire. */
  readonly lastValidBlockHeight: number | null
  /** With which it was built, in place of a blockhash. */
  readonly nonce: { readonly account: string; readonly value: string } | null
  /** Null where nobody judged them. */
  readonly changes: readonly SignedChange[] | null
}

const keyOf = ({ id }: Keep): string => `swapgate.swap.${id}`

async function withStore<T>(use: () => T | Promise<T>, id: string | null = null): Promise<T> {
  try {
    return await use()
  } catch (cause) {
    throw new SwapError('store', 'The store of the swap failed.', { id, cause })
  }
}

/** @returns null if nothing is kept @throws SwapError  `store` */
export const readPending = (keep: Keep | undefined): Promise<Pending | null> =>
  withStore(async () => {
    const kept: unknown = JSON.parse((await keep?.store.getItem(keyOf(keep))) ?? 'null')
    if (kept !== null && !isPending(kept)) throw new TypeError('It is no record of a swap.')
    return kept
  })

function isPending(kept: unknown): kept is Pending {
  const one = Object(kept) as Partial<Pending>
  const { id, state, signed, lastValidBlockHeight: last, nonce, changes } = one
  return (
    [one.chain, one.from].every((text) => typeof text === 'string') &&
    (one.kind === 'approval' || one.kind === 'swap') &&
    ['asked', 'batch', 'sent', 'landed'].includes(state!) &&
    (typeof id === 'string' || (id === null && state === 'asked')) &&
    (signed === null || typeof signed === 'string') &&
    (last === null || typeof last === 'number') &&
    (nonce == null || (typeof nonce.account === 'string' && typeof nonce.value === 'string')) &&
    (changes === null || Array.isArray(changes))
  )
}

/** @throws SwapError  `store` */
export const keepPending = (keep: Keep | undefined, pending: Pending): Promise<unknown> =>
  withStore(() => keep?.store.setItem(keyOf(keep), JSON.stringify(pending)), pending.id)

/** Forgets a swap, so that its id may swap again. @throws SwapError  `store` */
export const forgetSwap = (keep: Keep | undefined): Promise<unknown> =>
  withStore(() => keep?.store.removeItem(keyOf(keep)))
