/**
 * The page's location in the URL's fragment: `#/tokens?chain=base` is the view
 * `tokens` with a parameter. More segments may follow: `#/token/base/0x...`.
 */
import { useEffect, useState } from 'preact/hooks'

export interface ViewLocation {
  readonly view: string
  /** The segments after the view's name, decoded. */
  readonly path: readonly string[]
  readonly parameters: URLSearchParams
}

/** @param hash  `location.hash`; one that cannot be decoded gives the view '?' */
function parseHash(hash: string): ViewLocation {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s)
  try {
    const [view = '', ...rest] = path.split('/').map(decodeURIComponent)
    return { view, path: rest, parameters: new URLSearchParams(query) }
  } catch {
    return { view: '?', path: [], parameters: new URLSearchParams() }
  }
}

/** The link to a view. @param parameters  null and empty values are left out */
export function hrefOf(
  view: string,
  path: readonly string[] = [],
  parameters: Readonly<Record<string, string | null>> = {},
): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => Boolean(pair[1]))
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  return `#/${[view, ...path].map(encodeURIComponent).join('/')}${query}`
}

export function useViewLocation(): ViewLocation {
  const [hash, set] = useState(location.hash)
  useEffect(() => {
    const follow = (): void => set(location.hash)
    addEventListener('hashchange', follow)
    // The hash may have changed between the first render and this effect.
    follow()
    return () => removeEventListener('hashchange', follow)
  }, [])
  return parseHash(hash)
}

/**
 * Stores form state in the URL's parameters. It replaces the history entry, so the
 * Back button leads to the previous view.
 */
export function setParameters(place: ViewLocation, change: Readonly<Record<string, string | null>>): void {
  // Those of now: a field that is left alone for a while may remember older ones.
  const parameters = { ...Object.fromEntries(parseHash(location.hash).parameters), ...change }
  history.replaceState(null, '', hrefOf(place.view, place.path, parameters))
  dispatchEvent(new HashChangeEvent('hashchange'))
}
