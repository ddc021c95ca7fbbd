/**
 * The ceiling of whatever stands between a client and an upstream: node:http
 * and the gateway's undici settings, forwarding what comes in to what answers.
 * Nothing is parsed, checked, counted, bounded, timed or logged, and a failure
 * only breaks the connection.
 */
import { createServer, type ServerResponse } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import { CONSTANT_HEADERS, SAMPLE_ID, SAMPLE_LIMITS } from './replies.ts'
import { POOL_OPTIONS, UPSTREAM_HEADERS } from './upstream.ts'

const pool = new Pool(process.env.UPSTREAM!, POOL_OPTIONS)
const constant = [...CONSTANT_HEADERS, ...SAMPLE_ID, ...SAMPLE_LIMITS]

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

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const { method, url } = request
    const body = method === 'GET' ? null : chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)
    const call = { method: method as Dispatcher.HttpMethod, path: url!, headers: UPSTREAM_HEADERS, body }
    pool.dispatch(call, new Forward(response))
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1')
