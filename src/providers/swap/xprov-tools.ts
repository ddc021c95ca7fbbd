/**
 * The bridges that LI.FI knows, by name. A request that allows a bridge of another name is refused whole, so
 * one that was renamed would end all cross-chain quotes.
 *
 * Source: docs.li.fi · LI.FI OpenAPI 1.0.0, GET /v1/tools
 */
import { Items, memberText, startOfMember } from '../../chains/json/member.ts'
import { parsedOrNone } from '../../chains/json/parse.ts'
import { atMost, CLOCK, type Clock } from '../../runtime/clock.ts'
import { GatewayError } from '../../runtime/errors.ts'
import { inPieces } from '../../runtime/loop-share.ts'
import type { UpstreamRequest } from '../../upstream/call.ts'
import type { Upstream } from '../../upstream/upstream.ts'

const EVERY_MS = 3_600_000
/** After a failed reading. */
const AGAIN_MS = 60_000
const DEADLINE_MS = 10_000
/** How long the first quote waits for the list. */
const FIRST_MS = 2_000
/** Each bridge lists every pair of chains that it connects: some three megabytes. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_BRIDGES = 1_000

export class XprovTools {
  readonly #upstream: Pick<Upstream, 'ask'>
  readonly #clock: Clock
  #names: ReadonlySet<string> | null = null
  #dueAt = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | null = null

  constructor(upstream: Pick<Upstream, 'ask'>, clock: Clock = CLOCK) {
    this.#upstream = upstream
    this.#clock = clock
  }

  /**
   * Reads the list again where that is due, and waits only for the first one.
   * @param deadlineMs  of the request that asks: it waits for a quarter of that at most
   * @returns null until the list was read
   */
  async bridges(deadlineMs: number): Promise<ReadonlySet<string> | null> {
    const reading = this.refresh()
    if (this.#names === null) await atMost(this.#clock, Math.min(FIRST_MS, deadlineMs / 4), reading)
    return this.#names
  }

  /** Reads the list, where it is older than an hour. A failed reading keeps the last one. */
  async refresh(): Promise<void> {
    if (this.#reading === null && this.#clock.now() >= this.#dueAt) {
      this.#reading = this.#read().finally(() => (this.#reading = null))
    }
    await this.#reading
  }

  async #read(): Promise<void> {
    try {
      this.#names = await this.#upstream.ask(toolsRequest(), {
        deadlineMs: DEADLINE_MS,
        priority: 'research',
      })
      this.#dueAt = this.#clock.now() + EVERY_MS
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      this.#dueAt = this.#clock.now() + AGAIN_MS
    }
  }
}

function toolsRequest(): UpstreamRequest<ReadonlySet<string>> {
  const names = new Set<string>()
  let items: Items | null = null
  const readOne = (body: Buffer): boolean => {
    if (items === null) {
      const start = startOfMember(body, 0, 'bridges')
      items = new Items(body, start === -1 ? body.length : start)
    }
    const item = items.next()
    if (item === null || names.size === MAX_BRIDGES) return false
    const key = memberText(body.subarray(item.start, item.end), ['key'])
    const name = key === null ? null : parsedOrNone(key)
    if (typeof name === 'string') names.add(name)
    return true
  }
  return {
    method: 'GET',
    path: '/v1/tools',
    body: null,
    resend: true,
    maxBytes: MAX_BYTES,
    prepare: (body) => inPieces(() => readOne(body)),
    read(status, body) {
      if (status !== 200) return null
      while (readOne(body));
      return names.size > 0 ? names : null
    },
  }
}
