/**
 * A Solana node for sieges. It answers at once, except for accounts that make it slow,
 * hang, fail or answer 13 MiB, as an attacker who knows such accounts would use them. It
 * can enforce the limits of the public node.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { PublicLimits } from '../../src/sandbox/public-limits.ts'

/** Accounts by the effect of reading them. */
export const ACCOUNTS = {
  quick: 'Vote111111111111111111111111111111111111111',
  slow: 'Stake11111111111111111111111111111111111111',
  hanging: 'Config1111111111111111111111111111111111111',
  failing: 'SysvarC1ock11111111111111111111111111111111',
  large: 'SysvarRent111111111111111111111111111111111',
} as const

interface SiegeNode {
  readonly url: string
  close(): Promise<void>
}

interface NodeOptions {
  /** The time that the slow account takes. */
  readonly slowMs?: number
  /** Whether the node enforces the limits of the public one. */
  readonly isLimited?: boolean
  /** A free one if absent. */
  readonly port?: number
}

export async function startSiegeNode({
  slowMs = 9_500,
  isLimited = false,
  port = 0,
}: NodeOptions = {}): Promise<SiegeNode> {
  const limits = isLimited ? new PublicLimits() : null
  const server = createServer(async (request, response) => {
    const text = await textOf(request)
    const call = JSON.parse(text) as { id: number; method: string; params: unknown[] }
    const seconds = limits?.take(call, Date.now()) ?? null
    if (seconds !== null) {
      response.writeHead(429, { 'retry-after': `${seconds}` }).end('{}')
      return
    }
    const account = call.params[0]
    if (account === ACCOUNTS.hanging) return
    if (account === ACCOUNTS.failing) {
      response.writeHead(500).end('{}')
      return
    }
    response.setHeader('content-type', 'application/json')
    if (account === ACCOUNTS.large) {
      response.write(`{"jsonrpc":"2.0","id":${call.id},"result":"`)
      response.write(LARGE)
      response.end('"}')
      return
    }
    const reply = (): ServerResponse =>
      response.end(`{"jsonrpc":"2.0","result":${resultOf(call)},"id":${call.id}}`)
    if (account === ACCOUNTS.slow) setTimeout(reply, slowMs).unref()
    else reply()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** Made once, so that making it is never part of a measured time. */
const LARGE = Buffer.alloc(13 << 20, 'a')

/** The result of a submission is the transaction's first signature. */
function resultOf({ method, params }: { method: string; params: unknown[] }): string {
  if (method !== 'sendTransaction') return '{"context":{"slot":1},"value":1}'
  const bytes = Buffer.from(params[0] as string, 'base64')
  return `"${encodeBase58(bytes.subarray(1, 65))}"`
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
