/** The tokens that are watched: in this browser's storage, and nowhere else. */
import { useState } from 'preact/hooks'

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

/** Storage may be blocked, or hold another page's data; then nothing is watched. */
function stored(): readonly string[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]')
    return Array.isArray(read) ? read.filter((id) => typeof id === 'string').slice(-MAX) : []
  } catch {
    return []
  }
}

export function useWatched(): Watched {
  const [ids, set] = useState(stored)
  return {
    has: (id) => ids.includes(id),
    size: ids.length,
    toggle: (id) => {
      const next = ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].slice(-MAX)
      set(next)
      try {
        localStorage.setItem(KEY, JSON.stringify(next))
      } catch {
        // Storage is blocked: watched as long as the view is shown.
      }
    },
  }
}
