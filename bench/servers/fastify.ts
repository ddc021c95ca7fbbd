/**
 * `GET /api/chains` on Fastify, and the relay's reads by its proxy: @fastify/http-proxy with @fastify/rate-limit and its
 * headers. The logger is the gateway's own.
 *
 * In Fastify's favour: the limit is one for each client, the gateway has a global one too; nothing of a request or an
 * answer is read, and there is no circuit breaker, no resend and no deadline.
 */
import httpProxy from '@fastify/http-proxy'
import rateLimit from '@fastify/rate-limit'
import fastify, { LogController } from 'fastify'
import { createLogger } from '../../src/runtime/log.ts'
import { CHAINS_BODY } from '../load/chains-body.ts'
import { CONSTANT_HEADERS } from '../load/replies.ts'
import { POOL_OPTIONS } from './upstream.ts'

const READ_LIMIT = { max: 1_000_000_000, timeWindow: 60_000 }

const headers = Object.fromEntries(
  Array.from({ length: CONSTANT_HEADERS.length / 2 }, (_, i) => CONSTANT_HEADERS.slice(2 * i, 2 * i + 2)),
) as Record<string, string>

export async function start(): Promise<null> {
  const { log } = createLogger({ logLevel: 'info' })
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: 'x-request-id',
    trustProxy: 'loopback',
  })
  await app.register(rateLimit, { global: false, enableDraftSpec: true })

  app.addHook('onResponse', (request, reply, done) => {
    const { id, method } = request
    const bytes = Number(reply.getHeader('content-length'))
    const fields = { id, method, route: request.routeOptions.url, status: reply.statusCode }
    log.info({ ...fields, ms: Math.round(reply.elapsedTime * 1_000) / 1_000, bytes }, 'request')
    done()
  })
  app.get('/api/chains', (request, reply) => {
    reply.headers(headers).header('x-request-id', request.id).send(CHAINS_BODY)
  })
  await app.register(httpProxy, {
    upstream: process.env.UPSTREAM!,
    prefix: '/api/solrpc',
    rewritePrefix: '/',
    httpMethods: ['POST'],
    config: { rateLimit: READ_LIMIT },
    undici: POOL_OPTIONS,
    replyOptions: {
      rewriteHeaders: (answered, request) => ({
        ...answered,
        ...headers,
        'x-request-id': String(request?.id),
      }),
    },
  })
  await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
  return null
}
