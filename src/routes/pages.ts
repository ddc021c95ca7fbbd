/**
 * The pages for browsers, and what they load: scripts and styles under names that
 * have their content's hash. scripts/pages.mjs builds them into one module, which
 * is loaded when the first of them is asked for. They are no part of the API.
 *
 * Source: Content Security Policy Level 3 · Trusted Types · RFC 8246 (immutable)
 */
import { type Static, Type } from 'typebox'
import { GatewayError } from '../errors.ts'
import { type Medium, Representation } from '../http/representation.ts'
import { page, type Served } from '../http/route.ts'

/**
 * A page runs its own scripts only, of files; it cannot make one of text, talk to
 * another origin than these, nor be framed.
 *
 * @param beside  origins that it may talk to beside its own
 */
const contentSecurityPolicy = (beside: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    ["connect-src 'self'", ...beside].join(' '),
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

const FILE_HEADERS = ['X-Content-Type-Options', 'nosniff', 'Cross-Origin-Resource-Policy', 'same-origin']
const headersOfPage = (beside: readonly string[]): readonly string[] => [
  ...FILE_HEADERS,
  'Content-Security-Policy',
  contentSecurityPolicy(beside),
  'Referrer-Policy',
  'no-referrer',
  // A wallet's pop-up window still reaches the page that opened it.
  'Cross-Origin-Opener-Policy',
  'same-origin-allow-popups',
]

const YEAR_SECONDS = 31_536_000

const None = Type.Object({})
const Asset = Type.Object({ file: Type.String() })

export interface Pages {
  /** Those that everybody may open, one route each, and the files that they load. */
  readonly routes: readonly Served[]
  /** A page or a file of the admin listener's, by its path there; undefined where there is none. */
  findForOperator(path: string): Promise<Representation | undefined>
}

/** The operator's page, which is at the root of another listener. */
const OPERATOR = '/operator'

/** @param beside  URLs of servers that the console may ask beside the gateway: of the sandbox's faucet, nodes and dials */
export function createPages(beside: readonly string[]): Pages {
  const headers = headersOfPage(beside.map((url) => new URL(url).origin))
  let files: Promise<ReadonlyMap<string, Representation>> | null = null
  async function find(path: string): Promise<Representation> {
    const found = (await (files ??= loadFiles(headers))).get(path)
    if (found === undefined)
      throw new GatewayError('not_found', 'No page loads a file of this name; GET / is one.')
    return found
  }
  return {
    routes: [
      page({ path: '/', input: None, handle: () => find('/') }),
      page({
        path: '/assets/{file}',
        input: Asset,
        handle: ({ file }: Static<typeof Asset>) => find(`/assets/${file}`),
      }),
    ],
    async findForOperator(path) {
      if (path !== '/' && !path.startsWith('/assets/')) return undefined
      return (await (files ??= loadFiles(headers))).get(path === '/' ? OPERATOR : path)
    },
  }
}

/** @param headers  of the console; the operator's page asks its own listener only */
async function loadFiles(headers: readonly string[]): Promise<ReadonlyMap<string, Representation>> {
  const { files } = await import('#pages')
  const ofOperator = headersOfPage([])
  const entries = Object.entries(files).map(async ([path, { type, tag, br }]) => {
    const compressed = { tag, br: Buffer.from(br, 'base64') }
    const medium = mediumOf(type, path === OPERATOR ? ofOperator : headers)
    return [path, await Representation.ofFile(compressed, medium)] as const
  })
  return new Map(await Promise.all(entries))
}

/** A page is asked for each time whether it is still the same; what it loads has another name when it changes. */
function mediumOf(contentType: string, pageHeaders: readonly string[]): Medium {
  return contentType.startsWith('text/html')
    ? { contentType, cacheControl: 'no-cache', headers: pageHeaders }
    : { contentType, cacheControl: `public, max-age=${YEAR_SECONDS}, immutable`, headers: FILE_HEADERS }
}
