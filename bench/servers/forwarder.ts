import { createServer, type Server, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import { CONSTANT_HEADERS, SAMPLE_HEADERS, SAMPLE_LIMITS } from '../load/replies.ts'
import { POOL_OPTIONS, UPSTREAM_HEADERS } from './upstream.ts'

const constant = [...CONSTANT_HEADERS, ...SAMPLE_HEADERS, ...SAMPLE_LIMITS]

/**
 * The ceiling of any process between a client and an upstream: node:http and the
 * gateway's undici settings, passing each request to `UPSTREAM` and its answer back.
 * Nothing is parsed, checked, counted, bounded, timed or logged; a failure closes the
 * connection.
 */
export function start(): Server {
  const pool = new Pool(process.env.UPSTREAM!, POOL_OPTIONS)
  return createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, url } = request
      const body = method === 'GET' ? null : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
      const call = { method: method as Dispatcher.HttpMethod, path: url!, headers: UPSTREAM_HEADERS, body }
      pool.dispatch(call, new Forward(response))
    })
  })
}

/** Passes one answer back. */
class Forward implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse
  readonly #chunks: Buffer[] = []

  constructor(response: ServerResponse) {
    this.#response = response
  }

  onRequestStart(): void {}

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks)
    this.#response.writeHead(200, [...constant, 'Content-Length', String(body.length)])
    this.#response.end(body)
  }

  onResponseError(): void {
    this.#response.destroy()
  }
}
