/**
 * The ceiling of a portfolio that is at hand: node:http writing the bytes that
 * the gateway at `UPSTREAM` answered once.
 */
import { createServer } from 'node:http'
import { CONSTANT_HEADERS, SAMPLE_ID, SAMPLE_LIMITS } from './replies.ts'

const body = Buffer.from(await (await fetch(process.env.UPSTREAM!)).arrayBuffer())
const headers = [
  ...CONSTANT_HEADERS,
  ...SAMPLE_ID,
  ...SAMPLE_LIMITS,
  'Content-Length',
  String(body.length),
  'X-Swapgate-Mode',
  'sandbox',
]

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(body)
})
server.listen(Number(process.env.PORT), '127.0.0.1')
