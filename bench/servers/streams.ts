import { createServer, type Server } from 'node:http'
import { Replier } from '../../src/http/reply/reply.ts'
import { EventStreams, HEARTBEAT_MS } from '../../src/http/reply/streams.ts'
import { requestLog } from '../../src/http/request/request-line.ts'
import { createGatewayServer } from '../../src/http/server.ts'
import type { ListedToken } from '../../src/research/list/token-set.ts'
import { parseTokens } from '../../src/research/ticker/request.ts'
import { EVERY_MS, Ticker } from '../../src/research/ticker/ticker.ts'
import { pricesStream } from '../../src/routes/research/prices-stream.ts'
import { CLOCK, type Clock } from '../../src/runtime/clock.ts'
import { createLogger } from '../../src/runtime/log.ts'
import { ConcurrencyLimiter } from '../../src/upstream/admission/concurrency.ts'
import { OPEN_ACCOUNTS } from '../../test/fixtures/accounts.ts'
import { CONSTANT_HEADERS, SAMPLE_HEADERS } from '../replies.ts'

/** How many times faster than real time updates and heartbeats come. */
const SPEED = 30
/** One price of this many changes at each update. */
const SHARE = 5

/**
 * A stream of prices to many subscribers; a fifth of the prices changes at each update.
 * Served by a naive server (`PEER=naive`), which makes JSON for each subscriber, or by the
 * gateway's own server and ticker, with its log line.
 */
export function start(): Server {
  const prices = new Prices()
  return process.env.PEER === 'naive' ? naive(prices) : gateway(prices)
}

/** Prices by address. */
class Prices {
  readonly #rows = new Map<string, ListedToken>()
  #updates = 0

  /** Changes the price of every fifth token, each time of other tokens. */
  update(): void {
    const turn = ++this.#updates % SHARE
    let i = 0
    for (const [address, row] of this.#rows) {
      if (i++ % SHARE === turn)
        this.#rows.set(address, { ...row, price: row.price! * 1.0001, priceTs: Date.now() })
    }
  }

  find(chain: string, address: string): ListedToken {
    let row = this.#rows.get(address)
    if (row === undefined) {
      const price = 0.012_345_6 * (this.#rows.size + 1)
      const unknown = { symbol: null, name: null, decimals: null, liq: null, vol24: null, checkedTs: null }
      row = { chain, address, ...unknown, price, priceTs: Date.now(), isListed: true }
      this.#rows.set(address, row)
    }
    return row
  }
}

function naive(prices: Prices): Server {
  const tick = (row: ListedToken) => ({
    chain: row.chain,
    address: row.address,
    listed: true,
    price: row.price,
    priceTs: row.priceTs,
    priceStale: Date.now() - row.priceTs! > 60_000,
  })
  const subscribers = new Set<() => void>()
  setInterval(() => {
    prices.update()
    for (const writeChanges of subscribers) writeChanges()
  }, EVERY_MS / SPEED)
  return createServer((request, response) => {
    const tokens = parseTokens(new URL(request.url!, 'http://h').searchParams.get('tokens')!)
    const known = new Map<string, number | null>()
    let id = 0
    const writeChanges = (): void => {
      const rows = tokens.map(({ chain, address }) => prices.find(chain, address))
      const changed = rows.filter(({ address, price }) => known.get(address) !== price)
      for (const { address, price } of changed) known.set(address, price)
      if (changed.length === 0) return
      const data = JSON.stringify({ prices: changed.map(tick), asOf: Date.now() })
      response.write(`event: ${id === 0 ? 'snapshot' : 'change'}\nid: ${++id}\ndata: ${data}\n\n`)
    }
    response.writeHead(200, [...CONSTANT_HEADERS, ...SAMPLE_HEADERS])
    writeChanges()
    subscribers.add(writeChanges)
    const heartbeat = setInterval(() => response.write(':\n\n'), HEARTBEAT_MS / SPEED)
    response.on('close', () => {
      subscribers.delete(writeChanges)
      clearInterval(heartbeat)
    })
  })
}

function gateway(prices: Prices): Server {
  const clock: Clock = { ...CLOCK, after: (ms, run) => CLOCK.after(ms / SPEED, run) }
  const tokens = {
    // The ticker calls it without waiting (0 ms) before each update.
    async ready(deadlineMs: number) {
      if (deadlineMs === 0) prices.update()
    },
    find: (chain: string, address: string) => prices.find(chain, address),
  }
  const unlisted = { isDue: () => false, priceOf: () => null, ask: async () => {} }
  const limits = { client: Infinity, global: Infinity }
  const write = requestLog(createLogger('info').log, clock)
  const replier = new Replier({
    mode: 'live',
    corsOrigins: '*',
    onReply: ({ id, route, request }, status, bytes) => {
      const none = { trace: undefined, client: undefined, rpc: undefined, code: undefined, budget: undefined }
      const upstream = { provider: undefined, upstreamStatus: undefined }
      write({ ...none, ...upstream, id, method: request.method, route, status, ms: 0, bytes })
    },
  })
  return createGatewayServer({
    routes: [pricesStream(new Ticker({ tokens, unlisted, clock }))],
    replier,
    accounts: OPEN_ACCOUNTS,
    onClosed: () => {},
    clock,
    onFault: (error) => {
      throw error
    },
    streams: new EventStreams({ limits, slots: new ConcurrencyLimiter(), clock }),
  })
}
