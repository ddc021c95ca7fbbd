import { createServer, type Server } from 'node:http'
import { Replier } from '../../src/http/reply/reply.ts'
import type { Representation } from '../../src/http/reply/representation.ts'
import { createGatewayServer } from '../../src/http/server.ts'
import type { LiveTokenList } from '../../src/research/list/token-list.ts'
import { tokens } from '../../src/routes/research/tokens.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import { createLogger } from '../../src/runtime/log.ts'
import { OPEN_ACCOUNTS } from '../../test/fixtures/accounts.ts'
import { CONSTANT_HEADERS, SAMPLE_HEADERS } from '../load/replies.ts'
import { sampleList } from '../load/sample-list.ts'

/**
 * The token list, written by node:http alone (`PEER=bare`) or by the gateway's own
 * router, validation and replies, with its log line. The list is not rebuilt: the
 * cost of that is measured separately.
 */
export async function start(): Promise<Server> {
  const { list } = sampleList()
  const representation = await list.reply(false, null)
  return process.env.PEER === 'bare' ? bare(representation) : gateway(list)
}

function bare(representation: Representation): Server {
  const { body, headers } = representation.select({})
  const fixed = [...CONSTANT_HEADERS, ...SAMPLE_HEADERS, 'Content-Length', String(body.length), ...headers]
  return createServer((_request, response) => {
    response.writeHead(200, fixed)
    response.end(body)
  })
}

function gateway(list: LiveTokenList): Server {
  const { log } = createLogger({ logLevel: 'info' })
  const replier = new Replier({
    mode: 'live',
    corsOrigins: '*',
    onReply({ id, route, request }, status, bytes) {
      log.info({ id, method: request.method, route, status, ms: 0, bytes }, 'request')
    },
  })
  return createGatewayServer({
    routes: [tokens(list)],
    replier,
    accounts: OPEN_ACCOUNTS,
    onClosed: () => {},
    clock: CLOCK,
    onFault: (error) => {
      throw error
    },
  })
}
