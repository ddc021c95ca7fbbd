/**
 * Small files of the public web, whose URLs strangers chose. Such a URL may point into the gateway's own
 * network, redirect there, or lead to a host that answers slowly, endlessly or with something else. So only
 * https on its default port is used, at public addresses (public-addresses.ts); redirects are few, and each
 * is checked like the first URL; bytes and time are bounded for all of them together.
 *
 * A host sees the same in every request: nothing of the client.
 *
 * Source: RFC 9110 §15.4 (redirects)
 */
import type { IncomingMessage } from 'node:http'
import type { Agent, RequestOptions } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Call } from '../flow/call.ts'
import { GatheredBytes } from '../flow/gathered-bytes.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Code, GatewayError } from '../runtime/errors.ts'
import { NotPublic, publicLookup, resolvePublicName } from './public-addresses.ts'
import { NO_PROXIES, openTunnel, type Proxies, proxyOf, secured } from './tunnel.ts'

const MAX_URL_LENGTH = 2_048
const MAX_REDIRECTS = 2
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_HEADER_BYTES = 16_384
/** Connections to one host and in total, and those kept for the next file. */
const AGENT = { keepAlive: true, maxSockets: 4, maxTotalSockets: 32, maxFreeSockets: 4, timeout: 10_000 }

interface PublicFilesOptions {
  readonly clock: Clock
  /** The base URL of a proxy that is used instead of every host; null: the hosts themselves. */
  readonly proxy: string | null
  /** The operator's HTTP proxies. They get the address that was checked, and no name to resolve. */
  readonly proxies?: Proxies
  readonly lookup?: LookupFunction
  /** Another port and certificate authority than the public ones, for tests. */
  readonly tls?: Pick<RequestOptions, 'port' | 'ca'>
}

interface FileRequest {
  readonly url: string
  /** The media types that are wanted. */
  readonly accept: string
  readonly maxBytes: number
  readonly call: Call
}

type Https = typeof import('node:https')
type Modules = Record<'http:' | 'https:', Pick<Https, 'get'>>

export class PublicFiles {
  readonly #options: PublicFilesOptions
  #agents: Promise<{ readonly modules: Modules; readonly agents: Record<string, Agent> }> | null = null

  constructor(options: PublicFilesOptions) {
    this.#options = options
  }

  /**
   * @throws GatewayError  upstream_unusable for a URL that is refused, or an answer that isn't such a file;
   *                       upstream_timeout, upstream_unavailable
   */
  async get(request: FileRequest): Promise<Buffer> {
    let { url } = request
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const asked = publicUrl(url)
      if (asked === null) throw unusable('The URL of the file is none of a public https server.')
      const answer = await this.#ask(asked, request)
      if (Buffer.isBuffer(answer)) return answer
      url = answer.redirect
    }
    throw unusable('The host of the file redirects too often.')
  }

  async close(): Promise<void> {
    if (this.#agents === null) return
    for (const agent of Object.values((await this.#agents).agents)) agent.destroy()
  }

  async #ask(
    url: URL,
    { accept, maxBytes, call }: FileRequest,
  ): Promise<Buffer | { readonly redirect: string }> {
    const {
      clock,
      proxy,
      proxies = NO_PROXIES,
      lookup = publicLookup(resolvePublicName),
      tls,
    } = this.#options
    const { scope } = call
    const target = proxy === null ? url : new URL(`${proxy}/${url.host}${url.pathname}${url.search}`)
    const { modules, agents } = await (this.#agents ??= openAgents(proxies))
    const protocol = target.protocol as keyof Modules
    return new Promise((settle, reject) => {
      const request = modules[protocol].get(target, {
        agent: agents[protocol]!,
        maxHeaderSize: MAX_HEADER_BYTES,
        headers: { accept, 'accept-encoding': 'identity', 'user-agent': 'swapgate' },
        ...(proxy === null && { lookup, ...tls }),
      })
      const fail = (error: GatewayError): void => {
        over()
        reject(error)
        request.destroy()
      }
      const cancelTimer = clock.after(call.leftMs, () =>
        fail(failure('upstream_timeout', 'The host of the file did not answer in time.')),
      )
      const leaving = {
        cancel: () => fail(failure('upstream_unavailable', 'The call was given up: the client went away.')),
      }
      const over = (): void => {
        cancelTimer()
        scope.unwatch(leaving)
      }
      scope.watch(leaving)
      if (scope.isCancelled) leaving.cancel()
      request.on('error', (error) =>
        fail(
          error instanceof NotPublic
            ? unusable('The host of the file is not at a public address.')
            : failure('upstream_unavailable', 'The host of the file cannot be reached. Try again later.'),
        ),
      )
      request.on('response', (response) => {
        const { statusCode = 0, headers } = response
        if (REDIRECTS.has(statusCode) && headers.location !== undefined) {
          const { location } = headers
          over()
          settle({ redirect: URL.canParse(location, url.href) ? new URL(location, url).href : '' })
          request.destroy()
        } else if (statusCode !== 200 || (headers['content-encoding'] ?? 'identity') !== 'identity') {
          fail(unusable('The host of the file does not answer it.'))
        } else {
          read(response, maxBytes).then((file) => {
            if (file === null) return fail(unusable('The file is too long, or broke off.'))
            over()
            settle(file)
          })
        }
      })
    })
  }
}

/** Loaded at the first file. */
async function openAgents(
  proxies: Proxies,
): Promise<{ readonly modules: Modules; readonly agents: Record<string, Agent> }> {
  const [http, https] = await Promise.all([import('node:http'), import('node:https')])
  return {
    modules: { 'http:': http as unknown as Https, 'https:': https },
    agents: {
      'http:': new http.Agent(AGENT) as Agent,
      'https:': tunnelling(new https.Agent(AGENT), proxies),
    },
  }
}

/** Connects through the operator's proxy, to the address that was checked: the name might lead to another. */
function tunnelling(agent: Agent, proxies: Proxies): Agent {
  const direct = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const { host, port, lookup, ca } = options as RequestOptions & { readonly host: string }
    const proxy = proxyOf(proxies, new URL(`https://${host}:${port}`))
    if (proxy === null) return direct(options, callback)
    const connect = async () => {
      const address = lookup === undefined ? host : await addressOf(host, lookup)
      const socket = await openTunnel(proxy, bracketed(address), Number(port), AGENT.timeout)
      return secured(socket, host, AGENT.timeout, ca === undefined ? {} : { ca })
    }
    connect().then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as never),
    )
    return undefined
  }
  return agent
}

const bracketed = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address)

const addressOf = (host: string, lookup: LookupFunction): Promise<string> =>
  new Promise((settle, reject) => {
    lookup(host, { all: false }, (error, address) => {
      if (error === null && typeof address === 'string') settle(address)
      else reject(error ?? new NotPublic('no address'))
    })
  })

/** @returns null unless it is https, on its own port, without credentials, of a host with a name */
function publicUrl(text: string): URL | null {
  if (text.length > MAX_URL_LENGTH || !URL.canParse(text)) return null
  const url = new URL(text)
  const { protocol, port, username, password, hostname } = url
  const isNamed = hostname.includes('.') && !hostname.startsWith('[') && isIP(hostname) === 0
  return protocol === 'https:' && port === '' && username === '' && password === '' && isNamed ? url : null
}

/** @returns null if it is longer, or breaks off; never rejects */
function read(response: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  return new Promise((settle) => {
    const bytes = new GatheredBytes()
    response.on('data', (chunk: Buffer) => {
      if (bytes.length + chunk.length > maxBytes) settle(null)
      else bytes.add(chunk)
    })
    response.on('end', () => settle(bytes.joined()))
    response.on('error', () => settle(null))
    response.on('close', () => settle(null))
  })
}

function failure(code: Code, message: string): GatewayError {
  return new GatewayError(code, message, { scope: 'provider' })
}

const unusable = (message: string): GatewayError => failure('upstream_unusable', message)
