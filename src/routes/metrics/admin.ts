/**
 * The admin listener: GET /metrics, /live and /ready for machines, and a page for the operator with what it
 * loads. There is no login: everybody who can reach it may read it.
 *
 * A web page must not be able to. Nothing here is for other origins (no CORS). A host name that somebody
 * points at this machine (DNS rebinding) gets nothing in a browser, and neither the page nor /instance
 * anywhere: those need an IP address, localhost or PUBLIC_URL's name. Probes and scrapes may use any name.
 * Requests from pages of other origins are refused before they cost anything, although the browser would not
 * show the answer; following a link to the operator's page is allowed.
 *
 * Source: RFC 9110 §7.4 (421 for what was misdirected) · Fetch standard, CORP
 */
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Registry } from 'prom-client'
import type { Static } from 'typebox'
import type { LoopDelay } from '../../flow/event-loop.ts'
import { hostOf, isOwnName, saysBrowser } from '../../http/client/origin.ts'
import { DEFAULT_SERVER_LIMITS } from '../../http/connections/limits.ts'
import type { BakeOffReport } from '../../http/counts/bake-off.ts'
import { isCurrent, type Representation } from '../../http/reply/representation.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Health } from '../../runtime/resources/health.ts'
import type { Rebroadcasts, SubmissionReceipt } from '../../runtime/resources/receipt.ts'
import { throttled } from '../../runtime/throttled.ts'
import { mergedReports, type RecentReport } from './recent.ts'

export interface AdminSources {
  readonly clock: Clock
  /** The operator's; null for none. */
  readonly publicUrl: string | null
  /** Whether requests should go to another instance. */
  isDraining(): boolean
  /** The operator's page, and what it loads, by their paths; undefined if there is none. */
  page(path: string): Promise<Representation | undefined>
  instance(): Instance | Promise<Instance>
  /** Of all threads; null for the only one. */
  readonly threads: ThreadReports | null
}

/** What the other threads of the process report. */
export interface ThreadReports {
  recent(): Promise<readonly RecentReport[]>
  metrics(): Promise<ThreadMetrics>
}

export interface ThreadMetrics {
  readonly running: readonly object[][]
  /** What threads that have ended had counted; whoever adds them up may leave the sum in their place. */
  readonly ended: object[][]
}

/** The answer at /instance, with the last minute and the last errors (see recent.ts). */
export interface Instance extends Pick<Static<typeof Health>, 'mode' | 'version' | 'redis' | 'redisCause'> {
  readonly isDraining: boolean
  readonly upstreams: Static<typeof Health>['providers']
  readonly loopDelay: LoopDelay
  readonly budgets: readonly BudgetInUse[]
  /** Those that share its Redis, this one included; null if there is none, or Redis does not answer. */
  readonly instances: readonly InstanceSeen[] | null
  /** Log lines that were dropped since the start. */
  readonly droppedLines: number
  readonly rebroadcasts: Rebroadcasts
  /** The last first. */
  readonly receipts: readonly SubmissionReceipt[]
  /** Of the last 24 hours. */
  readonly races: BakeOffReport['chains']
}

/** What all clients have spent of a budget in its current window. */
export interface BudgetInUse {
  readonly name: string
  readonly spent: number
  /** Null if it is lifted. */
  readonly limit: number | null
  /** Those that have spent most, in descending order, as their lines in the log name them; null: LOG_CLIENTS is off. */
  readonly clients: readonly { readonly client: string | null; readonly spent: number }[]
}

/** An instance as the others see it. */
export interface InstanceSeen {
  /** Its host, and a random part drawn at the start. */
  readonly name: string
  readonly state: string
  /** How long ago it said so. */
  readonly agoMs: number
  readonly isThis: boolean
}

const OWN_PATHS = /^\/(?:assets\/.*|instance|metrics|live|ready)?$/
/** Paths that aren't answered under every name. */
const FOR_PEOPLE = /^\/(?:assets\/.*|instance)?$/

const MISDIRECTED =
  "This is answered under an IP address, localhost or PUBLIC_URL's name only, and not under one that anybody may point here."

const FROM_ELSEWHERE = 'Nothing here is for pages of other origins.'

/** Answers a request, if it is one of the listener's own. @returns whether it did */
export type AnswersAdmin = (request: IncomingMessage, response: ServerResponse) => boolean

/**
 * @param render   the metrics of all threads, as text
 * @param everyMs  how often metrics are made, however often they are scraped
 */
export function createAdminAnswers(
  { contentType }: Registry,
  render: () => Promise<string>,
  recent: () => RecentReport,
  sources: AdminSources,
  everyMs: number,
): AnswersAdmin {
  const { clock, publicUrl, threads } = sources
  const metrics = throttled(everyMs, clock, render)
  const instance = async () => {
    const reports = [recent(), ...((await threads?.recent()) ?? [])]
    return { ...(await sources.instance()), ...mergedReports(reports) }
  }
  return (request, response) => {
    const { headers, method } = request
    const [path = ''] = request.url!.split('?', 1)
    const failed = (): void => void response.writeHead(500).end()
    const isMisdirected = isByBrowser(headers) || FOR_PEOPLE.test(path)
    if (isFromElsewhere(headers)) say(response, 403, { error: FROM_ELSEWHERE })
    else if (isMisdirected && !isOwnName(headers.host, publicUrl)) say(response, 421, { error: MISDIRECTED })
    else if (!OWN_PATHS.test(path)) return false
    else if (method !== 'GET' && method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD')
      say(response, 405, { error: 'This path takes GET and HEAD.' })
    } else if (path === '/metrics') {
      metrics().then((text) => response.writeHead(200, { 'Content-Type': contentType }).end(text), failed)
    } else if (path === '/live') say(response, 200, { state: 'live' })
    else if (path === '/ready') {
      if (sources.isDraining()) say(response, 503, { state: 'draining' })
      else say(response, 200, { state: 'ready' })
    } else if (path === '/instance') instance().then((body) => say(response, 200, body), failed)
    else sources.page(path).then((page) => sendPage(request, response, page), failed)
    return true
  }
}

/**
 * @param keepAliveTimeout  for an idle connection, ms. The client should close it first: what is sent on a
 *                          connection while the server closes it is lost, and node's default of five seconds
 *                          is shorter than the time between two scrapes.
 * @returns a server that is not listening yet; it answers 404 to anything that isn't the listener's own
 */
export function createAdminServer(
  answers: AnswersAdmin,
  keepAliveTimeout = DEFAULT_SERVER_LIMITS.keepAliveTimeoutMs,
): Server {
  return createServer({ keepAliveTimeout }, (request, response) => {
    if (!answers(request, response)) say(response, 404, { error: 'Nothing is served at this path.' })
  })
}

/** Browsers that reach a name by http send no Fetch Metadata, and no Origin with a GET of the page's own. */
const isByBrowser = (headers: IncomingHttpHeaders): boolean =>
  saysBrowser(headers) || /^Mozilla\//.test(headers['user-agent'] ?? '')

/**
 * Whether the request comes from a page of another origin, by the browser's headers: W3C Fetch Metadata, or
 * else Origin.
 */
function isFromElsewhere({ host, origin, ...headers }: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  if (site === 'cross-site' || site === 'same-site') return headers['sec-fetch-dest'] !== 'document'
  return site === undefined && origin !== undefined && hostOf(origin) !== host?.toLowerCase()
}

function say(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Resource-Policy': 'same-origin',
  })
  response.end(JSON.stringify(body))
}

function sendPage(request: IncomingMessage, response: ServerResponse, page: Representation | undefined) {
  if (page === undefined) return void response.writeHead(404).end()
  const coded = page.select(request.headers)
  const { contentType, cacheControl, headers } = page.medium!
  const common = ['Content-Type', contentType, 'Cache-Control', cacheControl, ...headers]
  if (isCurrent(coded, request.headers)) response.writeHead(304, [...common, ...coded.validators]).end()
  else response.writeHead(200, [...common, ...coded.headers]).end(coded.body)
}
