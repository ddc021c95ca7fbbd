/**
 * The ceiling of `GET /api/chains`: node:http writing the gateway's bytes to
 * whoever asks for anything. It imports nothing else, so that it is the
 * yardstick of start-up time and memory too.
 */
import { createServer } from 'node:http'
import { CHAINS_BODY, CONSTANT_HEADERS, SAMPLE_ID } from './replies.ts'

const headers = [...CONSTANT_HEADERS, ...SAMPLE_ID, 'Content-Length', String(CHAINS_BODY.length)]

const server = createServer((_request, response) => {
  response.writeHead(200, headers)
  response.end(CHAINS_BODY)
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('listening\n'))
