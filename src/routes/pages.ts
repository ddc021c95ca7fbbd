/**
 * The pages for browsers, and what they load: scripts and styles under names that have their content's hash.
 * scripts/pages.mjs builds them into one module, which is loaded when the first of them is asked for. They
 * aren't part of the API.
 *
 * Source: Content Security Policy Level 3 · Trusted Types · RFC 8246 (immutable)
 */

import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { type Static, Type } from 'typebox'
import type { BuiltFile } from '#pages'
import { type Medium, Representation } from '../http/reply/representation.ts'
import { page } from '../http/route.ts'
import { GatewayError } from '../runtime/errors.ts'

/** The hashes of a page's inline script and style, which it was built with. */
type Inline = NonNullable<BuiltFile['inline']>

/**
 * A page runs only scripts from its own files, and the inline one that it was built with; it cannot create one from
 * text, or be framed.
 * @param connectTo  origins, besides its own, that it may connect to
 */
const contentSecurityPolicy = (connectTo: readonly string[], { script, style }: Inline): string =>
  [
    "default-src 'none'",
    `script-src 'self' ${script}`,
    `style-src 'self' ${style}`,
    "img-src 'self' data:",
    ["connect-src 'self'", ...connectTo].join(' '),
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

const FILE_HEADERS = ['X-Content-Type-Options', 'nosniff', 'Cross-Origin-Resource-Policy', 'same-origin']
const headersOfPage = (connectTo: readonly string[], inline: Inline): readonly string[] => [
  ...FILE_HEADERS,
  'Content-Security-Policy',
  contentSecurityPolicy(connectTo, inline),
  'Referrer-Policy',
  'no-referrer',
  // A wallet's pop-up window can still reach the page that opened it.
  'Cross-Origin-Opener-Policy',
  'same-origin-allow-popups',
]

const YEAR_SECONDS = 31_536_000

const NO_FILE = 'No page loads a file of this name; GET / is one.'

const Asset = Type.Object({ file: Type.String() })

export type Pages = ReturnType<typeof createPages>

/** The operator's page, which is at the root of another listener. */
const OPERATOR = '/operator'

/**
 * @param connectTo  URLs of servers that the console may call in addition to the gateway: the sandbox's faucet,
 * nodes and dials
 */
export function createPages(connectTo: readonly string[]) {
  const origins = connectTo.map((url) => new URL(url).origin)
  let files: Promise<Files> | null = null
  async function lookUp(path: string): Promise<Representation | undefined> {
    // The reference and the operator's page connect to their own listeners only.
    files ??= loadFiles(
      (page, inline) => headersOfPage(page === '/' ? origins : [], inline),
      origins.length > 0,
    )
    return (await files).get(path)?.()
  }
  async function find(path: string): Promise<Representation> {
    const found = await lookUp(path)
    if (found === undefined) throw new GatewayError('not_found', NO_FILE)
    return found
  }
  return {
    /** Pages that everybody may open, one route each, and the files that they load. */
    routes: [
      page({ path: '/', handle: () => find('/') }),
      page({ path: '/reference', handle: () => find('/reference') }),
      page({
        path: '/assets/{file}',
        input: Asset,
        handle: ({ file }: Static<typeof Asset>) => find(`/assets/${file}`),
      }),
    ],
    /** A page or a file of the admin listener's, by its path there; undefined if there is none. */
    async findForOperator(path: string): Promise<Representation | undefined> {
      if (path !== '/' && !path.startsWith('/assets/')) return undefined
      return lookUp(path === '/' ? OPERATOR : path)
    },
  }
}

/** By path; each is unpacked, and compressed for clients without Brotli, when first requested. */
type Files = ReadonlyMap<string, () => Promise<Representation>>

async function loadFiles(
  headersOf: (page: string, inline: Inline) => readonly string[],
  isSandbox: boolean,
): Promise<Files> {
  const { files } = await import('#pages')
  return new Map(
    Object.entries(files).map(([path, { type, tag, br, inline }]) => {
      let made: Promise<Representation> | null = null
      const headers = inline === undefined ? null : headersOf(path, inline)
      const file = { tag, br: Buffer.from(br, 'base64') }
      const make = () =>
        Representation.ofFile(isSandbox && path === '/' ? ofSandbox(file) : file, mediumOf(type, headers))
      return [path, () => (made ??= make())] as const
    }),
  )
}

/** The console as it is drawn before it has asked for the mode; it is built for live mode. */
const ofSandbox = ({ tag, br }: { readonly tag: string; readonly br: Buffer }) => ({
  tag: `${tag}-sandbox`,
  br: brotliCompressSync(
    brotliDecompressSync(br).toString().replace('data-mode="live"', 'data-mode="sandbox"'),
  ),
})

/** A page is revalidated at each request; the name of what it loads changes with its content. */
function mediumOf(contentType: string, pageHeaders: readonly string[] | null): Medium {
  return pageHeaders !== null
    ? { contentType, cacheControl: 'no-cache', headers: pageHeaders }
    : { contentType, cacheControl: `public, max-age=${YEAR_SECONDS}, immutable`, headers: FILE_HEADERS }
}
