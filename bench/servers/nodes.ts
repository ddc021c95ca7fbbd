/**
 * Stubs of a Solana node: one that knows a balance, one that accepts transactions, and one
 * whose slots advance.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { balanceReply } from '../load/replies.ts'

/** Answers every call with the same balance and the call's id, at once. */
export function node(): Server {
  return createServer((request, response) =>
    answer(request, response, (text) => {
      const start = text.indexOf('"id":') + 5
      return balanceReply(text.slice(start, text.indexOf(',', start)))
    }),
  )
}

/** Accepts every transaction at once, with its first signature, and reports every signature as finalized. */
export function acceptor(): Server {
  return createServer((request, response) =>
    answer(request, response, (text) => {
      const { id, method, params } = JSON.parse(text) as RpcRequest
      return JSON.stringify({ jsonrpc: '2.0', result: acceptance(method, params[0]), id })
    }),
  )
}

interface RpcRequest {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

const FINALIZED = {
  slot: 1,
  confirmations: null,
  err: null,
  status: { Ok: null },
  confirmationStatus: 'finalized',
}

function acceptance(method: string, first: unknown): unknown {
  if (method === 'sendTransaction') return firstSignature(first as string)
  if (method !== 'getSignatureStatuses') return null
  return { context: { slot: 1 }, value: (first as string[]).map(() => FINALIZED) }
}

/** The signatures follow their number, which is one byte here. */
const firstSignature = (base64: string): string =>
  encodeBase58(Buffer.from(base64.slice(0, 88), 'base64').subarray(1, 65))

const SLOT_MS = 200

/**
 * A node whose slots follow the clock; every fifth question about a signature finds
 * it confirmed. It answers after `LATENCY_MS`; a GET answers the number of calls.
 */
export function cluster(): Server {
  const latencyMs = Number(process.env.LATENCY_MS ?? 0)
  const polls = new Map<string, number>()
  const startedAt = Date.now()
  let calls = 0

  const resultOf = (method: string, text: string): string => {
    const slot = 357_841_208 + Math.floor((Date.now() - startedAt) / SLOT_MS)
    const context = `"context":{"apiVersion":"2.3.8","slot":${slot}}`
    switch (method) {
      case 'getSlot':
        return String(slot)
      case 'getLatestBlockhash':
        return `{${context},"value":{"blockhash":"D7Xe6G78Pj6A4AcYyP1e1sQiow153e2GgTEsrCwHVFUR","lastValidBlockHeight":${slot}}}`
      case 'getRecentPrioritizationFees':
        return `[${Array.from({ length: 150 }, (_, i) => `{"slot":${slot - i},"prioritizationFee":0}`).join(',')}]`
      case 'getSignatureStatuses': {
        const signature = text.slice(text.indexOf('[["') + 3, text.indexOf('"]'))
        const count = (polls.get(signature) ?? 0) + 1
        polls.set(signature, count)
        if (count % 5 > 0) return `{${context},"value":[null]}`
        return `{${context},"value":[{"slot":${slot},"confirmations":1,"err":null,"status":{"Ok":null},"confirmationStatus":"confirmed"}]}`
      }
      default:
        return `{${context},"value":9007199254740993}`
    }
  }
  const replyTo = (text: string): string => {
    calls++
    const id = /"id":(\d+)/.exec(text)![1]
    const method = /"method":"(\w+)"/.exec(text)![1]!
    return `{"jsonrpc":"2.0","result":${resultOf(method, text)},"id":${id}}`
  }
  return createServer((request, response) => {
    if (request.method === 'GET') response.end(String(calls))
    else answer(request, response, replyTo, latencyMs)
  })
}

/** @param replyTo  makes the reply, in ASCII, of the request's body */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  replyTo: (text: string) => string,
  latencyMs = 0,
): void {
  let text = ''
  request.setEncoding('latin1')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    const body = replyTo(text)
    const send = (): void => {
      response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)])
      response.end(body)
    }
    if (latencyMs > 0) setTimeout(send, latencyMs)
    else send()
  })
}
