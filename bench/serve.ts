/**
 * The servers that the benchmarks compare the service with, and the Solana nodes
 * that stand behind both: `node dist/bench/serve.js <mode>` listens on the port
 * `PORT` of 127.0.0.1. A mode loads only what it needs, because the start-up time
 * and the memory of `bare` are figures.
 */
import { createServer, type Server } from 'node:http'
import { CONSTANT_HEADERS, SAMPLE_HEADERS, SAMPLE_LIMITS } from './load/replies.ts'

/** @returns a server that does not listen yet; null if the mode listens by itself */
type Start = () => Server | Promise<Server | null>

const MODES = {
  bare,
  portfolio,
  refuser,
  forwarder: async () => (await import('./servers/forwarder.ts')).start(),
  fastify: async () => (await import('./servers/fastify.ts')).start(),
  tokens: async () => (await import('./servers/tokens.ts')).start(),
  siege: async () => (await import('./servers/siege.ts')).start(),
  siegeNode: async () => (await import('./servers/siege-node.ts')).start(),
  node: async () => (await import('./servers/nodes.ts')).node(),
  acceptor: async () => (await import('./servers/nodes.ts')).acceptor(),
  cluster: async () => (await import('./servers/nodes.ts')).cluster(),
} satisfies Readonly<Record<string, Start>>

export type Mode = keyof typeof MODES

/** The ceiling of `GET /api/chains`: node:http writing the gateway's bytes, `CHAINS_BODY`, for any request. */
function bare(): Server {
  const body = Buffer.from(process.env.CHAINS_BODY!)
  return constant(body, [...SAMPLE_HEADERS, 'Content-Length', String(body.length)])
}

/**
 * The ceiling of a cached portfolio: node:http writing the bytes that the gateway at
 * `UPSTREAM` answered once.
 */
async function portfolio(): Promise<Server> {
  const body = Buffer.from(await (await fetch(process.env.UPSTREAM!)).arrayBuffer())
  const length = ['Content-Length', String(body.length)]
  return constant(body, [...SAMPLE_HEADERS, ...SAMPLE_LIMITS, ...length, 'X-Swapgate-Mode', 'sandbox'])
}

/** The least that shedding can cost: node:http writing one 503 of the gateway's for any request. */
function refuser(): Server {
  const body = Buffer.from(
    JSON.stringify({
      error: 'The service is overloaded. Try again when retryAfterMs have passed.',
      code: 'overloaded',
      retryAfterMs: 1_000,
      requestId: '0123456789abcdef',
    }),
  )
  return constant(body, [...SAMPLE_HEADERS, 'Content-Length', String(body.length), 'Retry-After', '1'], 503)
}

function constant(body: Buffer, headers: readonly string[], status = 200): Server {
  const all = [...CONSTANT_HEADERS, ...headers]
  return createServer((_request, response) => {
    response.writeHead(status, all)
    response.end(body)
  })
}

const mode = process.argv[2] ?? ''
if (!Object.hasOwn(MODES, mode)) throw new Error(`The modes are ${Object.keys(MODES).join(', ')}.`)
const server = await MODES[mode as Mode]()
// startup.ts takes the first line for the end of the start.
server?.listen(Number(process.env.PORT), '127.0.0.1', () => process.stdout.write('listening\n'))
