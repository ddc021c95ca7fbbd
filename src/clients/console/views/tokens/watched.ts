/** The tokens that are watched: in this browser's storage, and nowhere else. */
import { useState } from 'preact/hooks'
import { store, storedList } from '../../data/kept.ts'

const KEY = 'swapgate.watched'
/** More are not kept. */
const MAX = 200

export interface Watched {
  readonly has: (id: string) => boolean
  readonly size: number
  readonly toggle: (id: string) => void
}

/** A token's name in the list of watched ones. */
export const idOf = ({ chain, address }: { readonly chain: string; readonly address: string }): string =>
  `${chain}:${address}`

export function useWatched(): Watched {
  const [ids, set] = useState(() =>
    storedList(KEY)
      .filter((id) => typeof id === 'string')
      .slice(-MAX),
  )
  return {
    has: (id) => ids.includes(id),
    size: ids.length,
    toggle: (id) => {
      const next = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].slice(-MAX)
      set(next)
      store(KEY, next)
    },
  }
}
