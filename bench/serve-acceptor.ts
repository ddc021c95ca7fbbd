/**
 * A stub of a Solana node that accepts every transaction: it answers with its
 * first signature and the call's id, at once, and says of any that it is final.
 */
import { createServer } from 'node:http'
import { encodeBase58 } from '../src/chains/solana/base58.ts'

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('latin1')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    const { id, method, params } = JSON.parse(text) as Call
    const body = JSON.stringify({ jsonrpc: '2.0', result: answer(method, params[0]), id })
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)])
    response.end(body)
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1')

function answer(method: string, first: unknown): unknown {
  if (method === 'sendTransaction') return firstSignature(first as string)
  if (method !== 'getSignatureStatuses') return null
  const status = {
    slot: 1,
    confirmations: null,
    err: null,
    status: { Ok: null },
    confirmationStatus: 'finalized',
  }
  return { context: { slot: 1 }, value: (first as string[]).map(() => status) }
}

/** Behind their number, which is one byte here. */
const firstSignature = (base64: string): string =>
  encodeBase58(Buffer.from(base64.slice(0, 88), 'base64').subarray(1, 65))
