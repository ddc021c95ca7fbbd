/**
 * `GET /api/chains` and the relay's reads on Fastify: TypeBox validation through its
 * type provider, @fastify/rate-limit with its headers, undici's request. The Solana code
 * (params, check of the answer, id) and the logger are the gateway's own, so only the
 * stacks differ.
 *
 * In Fastify's favour: the plugin holds one limit per client, the gateway a global one
 * too; there is no circuit breaker, no resend and no cancellation.
 */
import rateLimit from '@fastify/rate-limit'
import { type TypeBoxTypeProvider, TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox'
import fastify, { LogController } from 'fastify'
import { Type } from 'typebox'
import { Pool } from 'undici'
import { spliceId } from '../../src/chains/json/splice.ts'
import { METHODS } from '../../src/relay/methods/methods.ts'
import { createLogger } from '../../src/runtime/log.ts'
import { SolanaRpcRequest } from '../../src/runtime/resources/solrpc.ts'
import { RpcCall } from '../../src/upstream/nodes/json-rpc.ts'
import { CHAINS_BODY } from '../load/chains-body.ts'
import { CONSTANT_HEADERS } from '../load/replies.ts'
import { POOL_OPTIONS, UPSTREAM_HEADERS } from './upstream.ts'

const BODY_LIMIT = 51_200
const READ_LIMIT = { max: 1_000_000_000, timeWindow: 60_000 }

const headers = Object.fromEntries(
  Array.from({ length: CONSTANT_HEADERS.length / 2 }, (_, i) => CONSTANT_HEADERS.slice(2 * i, 2 * i + 2)),
) as Record<string, string>

export async function start(): Promise<null> {
  const pool = new Pool(process.env.UPSTREAM!, POOL_OPTIONS)
  let lastId = 0
  const { log } = createLogger('info')
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: 'x-request-id',
    trustProxy: 'loopback',
  })
    .withTypeProvider<TypeBoxTypeProvider>()
    .setValidatorCompiler(TypeBoxValidatorCompiler)
  await app.register(rateLimit, { global: false, enableDraftSpec: true })

  app.addHook('onResponse', (request, reply, done) => {
    const { id, method } = request
    const bytes = Number(reply.getHeader('content-length'))
    const fields = { id, method, route: request.routeOptions.url, status: reply.statusCode }
    log.info({ ...fields, ms: Math.round(reply.elapsedTime * 1_000) / 1_000, bytes }, 'request')
    done()
  })

  app.get('/api/chains', { schema: { querystring: Type.Object({}) } }, (request, reply) => {
    reply.headers(headers).header('x-request-id', request.id).send(CHAINS_BODY)
  })

  app.post(
    '/api/solrpc',
    { schema: { body: SolanaRpcRequest }, bodyLimit: BODY_LIMIT, config: { rateLimit: READ_LIMIT } },
    async (request, reply) => {
      const { method, params, id } = request.body
      const row = METHODS.get(method)!
      if (row.kind !== 'read' || !row.validator().Check(params)) {
        return reply.code(400).send({ error: 'The method must be a read, with its params.' })
      }
      const call = new RpcCall('solana', { id: ++lastId, method, paramsJson: row.rebuild(params) })
      const answer = await pool.request({
        method: 'POST',
        path: '/',
        headers: UPSTREAM_HEADERS,
        body: call.body,
        headersTimeout: row.deadlineMs,
        bodyTimeout: row.deadlineMs,
      })
      const usable = call.read(answer.statusCode, Buffer.from(await answer.body.arrayBuffer()))
      if (usable === null || typeof usable === 'symbol') {
        return reply.code(502).send({ error: 'The upstream gave no usable answer.' })
      }
      const body = spliceId(usable.body, usable.id, Buffer.from(JSON.stringify(id)))
      return reply.headers(headers).header('x-request-id', request.id).send(body)
    },
  )

  await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
  return null
}
