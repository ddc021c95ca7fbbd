/**
 * A Solana node on loopback: JSON-RPC over HTTP, as an agave node serves it, in
 * front of a virtual machine. Whoever asks, they share one chain.
 *
 * Source: paritytech/jsonrpc http/src/response.rs · anza-xyz/agave rpc/src/rpc_service.rs
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Bank } from './bank.ts'
import { answer } from './jsonrpc.ts'
import { Vm } from './vm.ts'

/** MAX_REQUEST_BODY_SIZE */
const MAX_BODY_BYTES = 51_200

const TEXT = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json; charset=utf-8'

export interface SolanaSandboxOptions {
  /** Default 0: any that is free. */
  readonly port?: number
  /** Unix time in ms; the slots follow it. */
  readonly now?: () => number
}

export interface SolanaSandbox {
  readonly url: string
  /** The chain behind the node, for those of the sandbox who live on it. */
  readonly bank: Bank
  close(): Promise<void>
}

/** @throws Error  when the port is taken, or the optional packages are not installed */
export async function startSolanaSandbox(options: SolanaSandboxOptions = {}): Promise<SolanaSandbox> {
  const bank = new Bank(await Vm.load(), options.now ?? Date.now)
  const server = createServer((request, response) => {
    serve(bank, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  return {
    bank,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A refusal of HTTP's is plain text; one of JSON-RPC's is a 200. Rejects when the client goes away. */
async function serve(bank: Bank, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers } = request
  const send = (status: number, type: string, body: string): void => {
    const head = { ...CORS, 'content-type': type, 'content-length': Buffer.byteLength(body) }
    response.writeHead(status, head).end(body)
  }
  const body = await readBody(request)
  if (method === 'GET' && url === '/health') return send(200, TEXT, 'ok')
  if (method === 'OPTIONS') return send(200, TEXT, '')
  if (method !== 'POST')
    return send(405, TEXT, 'Used HTTP Method is not allowed. POST or OPTIONS is required\n')
  if (!JSON_BODY.test(headers['content-type'] ?? '')) {
    return send(
      415,
      TEXT,
      'Supplied content type is not allowed. Content-Type: application/json is required\n',
    )
  }
  if (body === null) return send(413, TEXT, 'Request is too large\n')
  bank.catchUp()
  send(200, JSON_TYPE, answer(bank, body.toString()))
}

/** A page in a browser may ask, as it may ask a public node. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'OPTIONS, POST',
  'access-control-allow-headers': '*',
}

const JSON_BODY = /^application\/json\s*(;|$)/i

/** @returns null when it is too long; it is read to its end all the same, so that the refusal arrives */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= MAX_BODY_BYTES) chunks.push(chunk)
  }
  return length <= MAX_BODY_BYTES ? Buffer.concat(chunks) : null
}
