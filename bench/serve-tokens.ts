/**
 * The token list, written by node:http alone (`PEER=bare`) or through the
 * gateway's own router, validation and replies, with its log line. The list is
 * not rebuilt meanwhile: what that costs is measured apart.
 */

import { createServer } from 'node:http'
import { Replier } from '../src/http/reply.ts'
import { createGatewayServer } from '../src/http/server.ts'
import { tokens } from '../src/routes/tokens.ts'
import { CLOCK } from '../src/runtime/clock.ts'
import { createLogger } from '../src/runtime/log.ts'
import { OPEN_ACCOUNTS } from '../test/fixtures/accounts.ts'
import { CONSTANT_HEADERS, SAMPLE_ID } from './replies.ts'
import { sampleList } from './sample-list.ts'

const { list } = sampleList()
const { body, headers } = (await list.reply(false, null)).select({})

const fixed = [...CONSTANT_HEADERS, ...SAMPLE_ID, 'Content-Length', String(body.length), ...headers]
const bare = createServer((_request, response) => {
  response.writeHead(200, fixed)
  response.end(body)
})

const { log } = createLogger('info')
const replier = new Replier({
  mode: 'live',
  corsOrigins: '*',
  onReply({ id, route, request }, status, bytes) {
    log.info({ id, method: request.method, route, status, ms: 0, bytes }, 'request')
  },
})
const ours = createGatewayServer({
  routes: [tokens(list)],
  replier,
  accounts: OPEN_ACCOUNTS,
  onClosed: () => {},
  clock: CLOCK,
  onFault: (error) => {
    throw error
  },
})

const server = process.env.PEER === 'bare' ? bare : ours
server.listen(Number(process.env.PORT), '127.0.0.1')
