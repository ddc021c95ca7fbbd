/**
 * Where the page is: `#/tokens?chain=base` is the view `tokens` with a parameter.
 * Behind the view's name there may be more segments: `#/token/base/0x...`.
 */
import { useEffect, useState } from 'preact/hooks'

export interface Place {
  readonly view: string
  /** Segments behind the view's name, decoded. */
  readonly path: readonly string[]
  readonly parameters: URLSearchParams
}

/** @param hash  with its `#`, as the browser has it; what cannot be read is the view '' */
export function parseHash(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  try {
    const [view = '', ...rest] = path.split('/').map(decodeURIComponent)
    return { view, path: rest, parameters: new URLSearchParams(query) }
  } catch {
    return { view: '?', path: [], parameters: new URLSearchParams() }
  }
}

/** The link to a view. @param parameters  those that are null or empty are left out */
export function hrefOf(
  view: string,
  path: readonly string[] = [],
  parameters: Readonly<Record<string, string | null>> = {},
): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}${query}`
}

export function usePlace(): Place {
  const [hash, set] = useState(location.hash)
  useEffect(() => {
    const follow = (): void => set(location.hash)
    addEventListener('hashchange', follow)
    // It may have changed between the first drawing and now.
    follow()
    return () => removeEventListener('hashchange', follow)
  }, [])
  return parseHash(hash)
}

/**
 * Parameters of the view in its URL, as state of a form: each change of one takes
 * the place of the last, so that the way back leads to the view before.
 */
export function setParameters(place: Place, change: Readonly<Record<string, string | null>>): void {
  const parameters = { ...Object.fromEntries(place.parameters), ...change }
  history.replaceState(null, '', hrefOf(place.view, place.path, parameters))
  dispatchEvent(new HashChangeEvent('hashchange'))
}
