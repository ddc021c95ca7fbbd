/** A stub of a Solana node: it answers every call with the same balance and the call's id, at once. */
import { createServer } from 'node:http'
import { balanceReply } from './replies.ts'

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('latin1')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    const start = text.indexOf('"id":') + 5
    const body = balanceReply(text.slice(start, text.indexOf(',', start)))
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)])
    response.end(body)
  })
})
server.listen(Number(process.env.PORT), '127.0.0.1')
