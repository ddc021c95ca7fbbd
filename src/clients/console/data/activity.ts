/** The swaps of this browser, newest first: in its storage, and nowhere else. */
import { Kept, store, storedList } from './kept.ts'

export interface Swapped {
  /** Hash or signature. */
  readonly id: string
  readonly chain: string
  /** When it was sent, ms of the wall clock. */
  readonly at: number
  /** Amounts with their symbols. */
  readonly paid: string
  readonly got: string
  /** Of an attempt's last step. */
  readonly state: string
  /** The trade's file; null before the swap is done. */
  readonly trade: string | null
}

const KEY = 'swapgate.activity'
/** More are not kept: a trade's file has some 20 KB, and browsers give a page 5 MB. */
const MAX = 50

export const activity = new Kept(storedList(KEY) as readonly Swapped[])

/** Adds a swap, or what is new of it. */
export function note(swapped: Swapped): void {
  const others = activity.value.filter(({ id }) => id !== swapped.id)
  activity.set([swapped, ...others].toSorted((a, b) => b.at - a.at).slice(0, MAX))
  store(KEY, activity.value)
}
