/**
 * A stub of a Solana node that moves on: slots follow the clock, every fifth
 * question about a signature finds it confirmed, and GET tells how many calls
 * there were. It answers after LATENCY_MS.
 */
import { createServer } from 'node:http'

const SLOT_MS = 400
const latencyMs = Number(process.env.LATENCY_MS ?? 0)
const polls = new Map<string, number>()
const startedAt = Date.now()
let calls = 0

function resultOf(method: string, text: string): string {
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

const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end(String(calls))
  let text = ''
  request.setEncoding('latin1')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    calls++
    const id = /"id":(\d+)/.exec(text)![1]
    const method = /"method":"(\w+)"/.exec(text)![1]!
    const body = `{"jsonrpc":"2.0","result":${resultOf(method, text)},"id":${id}}`
    const send = () => {
      response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)])
      response.end(body)
    }
    if (latencyMs > 0) setTimeout(send, latencyMs)
    else send()
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1')
