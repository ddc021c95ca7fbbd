/**
 * Solana nodes on loopback: JSON-RPC over HTTP, as agave nodes serve it, in front of a virtual machine. All
 * share one chain; each has a fault dial of its own.
 *
 * Source: paritytech/jsonrpc http/src/response.rs · anza-xyz/agave rpc/src/rpc_service.rs
 */

import { createHash } from 'node:crypto'
import { decodeBase58, encodeBase58 } from '../../chains/solana/base58.ts'
import { Dials, type FaultKind, NODE_ERROR } from '../dials.ts'
import type { HttpReply } from '../listen.ts'
import { type ProviderRequest, type ProviderServer, startProviderServer } from '../provider-server.ts'
import { answer } from './jsonrpc.ts'
import { Bank } from './ledger/bank.ts'
import { LAMPORTS_PER_SIGNATURE } from './ledger/fees.ts'
import { MAX_LAG, SLOT_MS } from './ledger/slots.ts'
import { Vm } from './ledger/vm.ts'
import { Node } from './node.ts'

const NAME = 'solana'
/** Lamports of rent for each byte of an account, its data and 128 more: until September 2026. */
const RENT_PER_BYTE = 6_960
/** MAX_REQUEST_BODY_SIZE */
const MAX_BODY_BYTES = 51_200

const FAULTS: readonly FaultKind[] = [
  { fault: 'lag', amounts: { slots: { min: 1, max: MAX_LAG, usual: 50 } } },
  { fault: 'limited' },
  { fault: 'wrongCluster' },
  NODE_ERROR,
  { fault: 'unhealthy' },
  { fault: 'forget' },
  { fault: 'drop', amounts: { share: { min: 1, max: 100, usual: 50 } } },
]

/** The dials of the cluster, which all of its nodes share. */
const PACE: FaultKind = { fault: 'pace', amounts: { ms: { min: 50, max: 1_000, usual: 100 } } }
const BUSY: FaultKind = { fault: 'busy', amounts: { price: { min: 1, max: 100_000_000, usual: 400_000 } } }
const PRICES: FaultKind = {
  fault: 'prices',
  amounts: {
    perByte: { min: 1, max: 100_000, usual: RENT_PER_BYTE },
    perSignature: { min: 5_000, max: 1_000_000, usual: Number(LAMPORTS_PER_SIGNATURE) },
  },
}
const ALPENGLOW: FaultKind = { fault: 'alpenglow', amounts: { slots: { min: 0, max: 10_000, usual: 50 } } }

export interface SolanaSandboxOptions {
  /** The first node's port; default 0: any free port. */
  readonly port?: number
  /** Unix time in ms; the slots follow it. */
  readonly now?: () => number
  /** Waits for the ms of the dial `latency`. */
  readonly pause?: (ms: number) => Promise<void>
  /** The number of nodes; default 1. */
  readonly nodes?: number
  /** Absent: its own, for solana, solana-2 and so on. */
  readonly dials?: Dials
  /** Called with the name of each request's dial, and its body and path. */
  readonly onRequest?: (name: string, text: string, path: string) => void
}

export interface SolanaSandbox {
  /** The first node's. */
  readonly url: string
  /** By the name of each node's dial: solana, solana-2 and so on. */
  readonly urls: Readonly<Record<string, string>>
  readonly dials: Dials
  /** The chain behind the nodes, for the sandbox's other servers. */
  readonly bank: Bank
  close(): Promise<void>
}

/** @throws Error  if the port is taken, or the optional packages are not installed */
export async function startSolanaSandbox(options: SolanaSandboxOptions = {}): Promise<SolanaSandbox> {
  const { port = 0, now = () => Date.now(), nodes = 1, dials = new Dials(), pause, onRequest } = options
  const bank = new Bank(await Vm.load(), now)
  const { clock } = bank
  dials.add(`${NAME}-pace`, [PACE], (dial) => clock.setPace(dial?.ms ?? SLOT_MS))
  dials.add(`${NAME}-consensus`, [ALPENGLOW], (dial) => {
    if (dial === null) clock.restore()
    else clock.migrate(dial.slots!)
  })
  dials.add(`${NAME}-demand`, [BUSY], (dial) => {
    clock.catchUp()
    bank.blocks.setDemand(clock.newest, dial?.price ?? 0)
  })
  dials.add(`${NAME}-prices`, [PRICES], (dial) => {
    bank.vm.setRent(BigInt(dial?.perByte ?? RENT_PER_BYTE))
    bank.perSignature = BigInt(dial?.perSignature ?? LAMPORTS_PER_SIGNATURE)
  })
  let stranger: Promise<Bank> | undefined
  /** The chain of another cluster, for nodes with the fault `wrongCluster`. */
  const another = () => {
    stranger ??= Vm.load().then((vm) => new Bank(vm, now, hashedElsewhere))
    return stranger
  }
  const names = Array.from({ length: nodes }, (_, i) => (i === 0 ? NAME : `${NAME}-${i + 1}`))
  const servers = await Promise.all(
    names.map((name, i) =>
      startProviderServer(solanaNode(name, bank, another), dials, now, {
        port: i === 0 ? port : 0,
        ...(pause && { pause }),
        onRequest: (text, path) => onRequest?.(name, text, path),
      }),
    ),
  )
  return {
    bank,
    dials,
    url: servers[0]!.url,
    urls: Object.fromEntries(names.map((name, i) => [name, servers[i]!.url])),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
    },
  }
}

/** Each of the machine's hashes is the hash of the one before, so a word is mixed in. */
function hashedElsewhere(hash: string): string {
  return encodeBase58(createHash('sha256').update('elsewhere').update(decodeBase58(hash, 32)!).digest())
}

/** @param another  the chain of another cluster, for the fault `wrongCluster` */
export function solanaNode(name: string, bank: Bank, another: () => Promise<Bank>): ProviderServer {
  return {
    name,
    faults: FAULTS,
    behind: (slots, now) => bank.clock.timeBehind(slots, now),
    isDropped: ({ text }) => text.includes('"sendTransaction"'),
    rateLimited: () => ({
      status: 429,
      body: RATE_LIMITED,
      headers: { ...CORS, 'content-type': JSON_TYPE, 'retry-after': '10' },
    }),
    async handle(request) {
      const chain = request.fault === 'wrongCluster' ? await another() : bank
      chain.catchUp()
      return serve(new Node(chain, request.now, request.fault), request)
    },
  }
}

/** HTTP's refusals are plain text; JSON-RPC's are a 200. */
function serve(node: Node, { method, path, headers, text }: ProviderRequest): HttpReply {
  if (method === 'GET' && path === '/health') return plain(200, node.isHealthy() ? 'ok' : 'behind')
  if (method === 'OPTIONS') return plain(200, '')
  if (method !== 'POST') return plain(405, 'Used HTTP Method is not allowed. POST or OPTIONS is required\n')
  if (!JSON_BODY.test(headers['content-type'] ?? '')) {
    return plain(415, 'Supplied content type is not allowed. Content-Type: application/json is required\n')
  }
  if (Buffer.byteLength(text) > MAX_BODY_BYTES) return plain(413, 'Request is too large\n')
  return { status: 200, body: answer(node, text), headers: { ...CORS, 'content-type': JSON_TYPE } }
}

const RATE_LIMITED =
  '{"jsonrpc":"2.0","error":{"code":429,"message":"Too many requests for a specific RPC call"},"id":null}'

const plain = (status: number, body: string): HttpReply => ({
  status,
  body,
  headers: { ...CORS, 'content-type': 'text/plain; charset=utf-8' },
})

/** Pages in a browser may use it, as they may use a public node. */
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'OPTIONS, POST',
  'access-control-allow-headers': '*',
}

const JSON_TYPE = 'application/json; charset=utf-8'
const JSON_BODY = /^application\/json\s*(;|$)/i
