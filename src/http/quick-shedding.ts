/**
 * Sheds requests before much is made for them, because an overload refuses two of three (bench: overload).
 *
 *   bytes ── read by us ── shed? ── node's parser ── shed by the head? ── pipeline
 *            on connections where a request was shed
 *
 * Node's objects for a request cost as much as all the rest of a refusal. So once a connection's request was
 * shed, what comes in on it is read here first, while requests are shed. Only whole requests are shed from their
 * bytes, each of them between two messages of node's parser, which never sees them; all others go on to it. That
 * is so on Node.js 20; from 22 on node reads all requests (node-parser.ts), and they are shed by their heads.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Client } from '../runtime/cancellation.ts'
import type { Clock } from '../runtime/clock.ts'
import { announcedBytes } from './body.ts'
import type { CompiledRoute } from './compiled-route.ts'
import type { ClientConnection, ClientConnections } from './connections.ts'
import type { ClientAccounts } from './exchange.ts'
import { faultOfHead, requestId } from './head.ts'
import { readFirst } from './node-parser.ts'
import type { QuickRefusal } from './quick-refusal.ts'
import { isUsual, writeWhole } from './quick-reply.ts'
import type { Replier } from './reply.ts'
import type { Router } from './router.ts'
import type { Shedding } from './shedding.ts'
import { type RequestHead, readWhole } from './whole-request.ts'

/** Whether a request is shed; `unasked` if the full way has to decide. */
type Verdict = 'shed' | 'admitted' | 'unasked'

interface QuickSheddingOptions {
  readonly router: Router<CompiledRoute>
  readonly replier: Replier
  readonly accounts: ClientAccounts
  readonly clock: Clock
  readonly connections: ClientConnections
  readonly shedding: Shedding
  readonly refusal: QuickRefusal
  readonly nextId: () => string
}

export class QuickShedding {
  readonly #options: QuickSheddingOptions
  /** Whether the request that node's parser reads now was admitted by its bytes. */
  #isAdmitted = false
  /** The path parameters' values, which nothing here reads. */
  readonly #values: string[] = []

  constructor(options: QuickSheddingOptions) {
    this.#options = options
  }

  /** Sheds a request by its head, where requests must ask, before anything is made for it but node's own objects. */
  ask(request: IncomingMessage, response: ServerResponse, connection: ClientConnection): Verdict {
    if (this.#isAdmitted) {
      this.#isAdmitted = false
      return 'admitted'
    }
    const { replier, connections } = this.#options
    if (replier.closing || connection.exchanges.size > 0) return 'unasked'
    if (!isUsual(request, response) || faultOfHead(request) !== null) return 'unasked'
    return this.#shed(request, null, (text) =>
      writeWhole(response, 503, text, 'latin1', () => {
        // Before the connection may rest.
        if (!connection.isReadFirst) this.#readFirst(connection)
        connections.shed(connection, request)
      }),
    )
  }

  #readFirst(connection: ClientConnection): void {
    connection.isReadFirst = readFirst(connection.socket, (bytes, parse) => {
      const verdict = this.#askBytes(bytes, connection)
      if (verdict === 'shed') return
      // Node's parser calls `ask` with it before it returns.
      this.#isAdmitted = verdict === 'admitted'
      parse(bytes)
      this.#isAdmitted = false
    })
  }

  #askBytes(bytes: Buffer, connection: ClientConnection): Verdict {
    const { shedding, replier, connections } = this.#options
    const { socket } = connection
    if (!shedding.mustAsk() || replier.closing || connection.isBusy || connection.isEnding) return 'unasked'
    if (!socket.writable || socket.writableLength > 0) return 'unasked'
    const request = readWhole(bytes, socket)
    if (request === null) return 'unasked'
    return this.#shed(request, request.body, (text) => {
      socket.write(text, 'latin1')
      connections.shed(connection, null)
    })
  }

  /**
   * @param body   null if it has not come yet
   * @param write  the refusal
   */
  #shed(request: RequestHead, body: Buffer | null, write: (text: string) => void): Verdict {
    const { router, replier, accounts, clock, shedding, refusal, nextId } = this.#options
    const startedAt = clock.now()
    const url = request.url!
    const mark = url.indexOf('?')
    this.#values.length = 0
    const endpoint = router.match(mark === -1 ? url : url.slice(0, mark), this.#values)
    const compiled = request.method === 'POST' ? endpoint?.post : endpoint?.get
    if (!compiled) return 'unasked'
    const verdict = shedsByHead(compiled, request, body, accounts.clientOf({ request }), shedding)
    if (verdict !== 'shed') return verdict
    const ms = clock.now() - startedAt
    write(refusal.textOf(requestId(request) ?? nextId(), ms, replier.originHeaders(request)))
    replier.noteShed(request, compiled.path, ms)
    return 'shed'
  }
}

/**
 * Sheds by the head, and by the body's bytes where they have come: if the priority is known, or if no priority that
 * the body could have would admit it.
 * @param body  null if it has not come yet
 * @returns `unasked` if the body decides, or if the request is never shed
 */
export function shedsByHead(
  { priority, byBody }: CompiledRoute,
  request: RequestHead,
  body: Buffer | null,
  client: Client,
  shedding: Shedding,
): Verdict {
  if (priority !== null) return shedding.admits(priority, client) ? 'admitted' : 'shed'
  if (byBody === null) return 'unasked'
  const isShort = announcedBytes(request) < byBody.leastBuildBytes
  const guess = isShort ? 'quote' : body === null ? 'build' : byBody.ofBytes(body)
  if (guess !== 'build') return shedding.admits(guess, client) ? 'admitted' : 'shed'
  if (shedding.mayAdmit(client)) return 'unasked'
  shedding.refuse('build')
  return 'shed'
}
