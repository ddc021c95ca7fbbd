/**
 * Method and path to route. A static path is one Map look-up; a path with
 * parameters is walked segment by segment. No regular expressions, no
 * backtracking: at each segment a literal wins over a parameter, once.
 */
import { getOrInsert } from '../runtime/lists.ts'
import { nearest } from '../runtime/nearest.ts'

/** A longer path is not compared with the known ones. */
const MAX_COMPARED = 128

interface Routed {
  readonly method: 'GET' | 'POST'
  /** Segments in braces are parameters. */
  readonly path: string
}

/** The routes of one path by method, and the value of `Allow`. */
export interface Endpoint<R extends Routed> {
  readonly get: R | null
  readonly post: R | null
  readonly allow: string
}

interface PathNode<R extends Routed> {
  readonly literals: Map<string, PathNode<R>>
  parameter: PathNode<R> | null
  endpoint: Endpoint<R> | null
}

/** The names of the path's parameters, in the order of their values in `match`. */
export function pathParameters(path: string): string[] {
  return path
    .split('/')
    .filter(isParameter)
    .map((segment) => segment.slice(1, -1))
}

export class Router<R extends Routed> {
  readonly #static = new Map<string, Endpoint<R>>()
  readonly #root: PathNode<R> = newNode()
  readonly #paths = new Set<string>()

  /** @throws TypeError if a route is listed twice, or its path does not start with a slash */
  constructor(routes: readonly R[]) {
    for (const route of routes) this.#add(route)
  }

  /**
   * The endpoint at this path, or null.
   *
   * @param path    as received, without the query string; still percent-encoded
   * @param values  filled with the raw values of the path's parameters
   */
  match(path: string, values: string[]): Endpoint<R> | null {
    return this.#static.get(path) ?? this.#walk(path, values)
  }

  /** The path that this one was probably meant to be, with its parameters in braces; null if none is near. */
  nearest(path: string): string | null {
    if (path.length > MAX_COMPARED) return null
    const segments = path.split('/')
    const spelled = (known: string): string =>
      known
        .split('/')
        .map((segment, i) => (isParameter(segment) ? (segments[i] ?? segment) : segment))
        .join('/')
    const known = new Map(Array.from(this.#paths, (path) => [spelled(path), path]))
    return known.get(nearest(path, known.keys()) ?? '') ?? null
  }

  #walk(path: string, values: string[]): Endpoint<R> | null {
    if (path.charCodeAt(0) !== 0x2f) return null
    let node: PathNode<R> | null = this.#root
    let start = 1
    while (node !== null && start <= path.length) {
      const slash = path.indexOf('/', start)
      const end = slash === -1 ? path.length : slash
      const segment = path.slice(start, end)
      const literal: PathNode<R> | undefined = node.literals.get(segment)
      if (literal !== undefined) node = literal
      else if (node.parameter !== null && segment !== '') {
        values.push(segment)
        node = node.parameter
      } else return null
      start = end + 1
    }
    return node === null ? null : node.endpoint
  }

  #add(route: R): void {
    const { method, path } = route
    if (!path.startsWith('/')) throw new TypeError(`route ${path}: a path starts with a slash`)
    const isStatic = pathParameters(path).length === 0
    const leaf = isStatic ? null : this.#leaf(path.slice(1).split('/'))
    const known = leaf === null ? this.#static.get(path) : leaf.endpoint
    const taken = method === 'GET' ? known?.get : known?.post
    if (taken) throw new TypeError(`route ${method} ${path}: stands twice`)

    const get = method === 'GET' ? route : (known?.get ?? null)
    const post = method === 'POST' ? route : (known?.post ?? null)
    const allow = `${get === null ? '' : 'GET, HEAD, '}${post === null ? '' : 'POST, '}OPTIONS`
    this.#paths.add(path)
    if (leaf === null) this.#static.set(path, { get, post, allow })
    else leaf.endpoint = { get, post, allow }
  }

  /** The node at the end of these segments, created if it is missing. */
  #leaf(segments: readonly string[]): PathNode<R> {
    let node = this.#root
    for (const segment of segments) {
      if (isParameter(segment)) node = node.parameter ??= newNode()
      else node = getOrInsert(node.literals, segment, newNode<R>)
    }
    return node
  }
}

function newNode<R extends Routed>(): PathNode<R> {
  return { literals: new Map(), parameter: null, endpoint: null }
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{') && segment.endsWith('}')
}
