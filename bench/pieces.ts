/**
 * The pieces that requests pass through, each alone: router, log line, address checksum, scan
 * of a reply, params of a read.
 */
import { addr } from 'micro-eth-signer'
import { checksummed } from '../src/chains/evm-address.ts'
import { EnvelopeScan } from '../src/chains/json/scan.ts'
import { type RequestLine, requestLog } from '../src/http/request/request-line.ts'
import { Router } from '../src/http/router.ts'
import { METHODS } from '../src/relay/methods/methods.ts'
import { CLOCK } from '../src/runtime/clock.ts'
import { type Logger, loggerTo } from '../src/runtime/log.ts'
import { compare, type Loop, measure } from './measure.ts'
import { BALANCE_CALL, balanceReply } from './replies.ts'
import { type BenchReport, toReport } from './report.ts'

const SMALL = Buffer.from(balanceReply('1'))
/** An account of 768 KiB. */
const LARGE = Buffer.from(
  JSON.stringify({
    jsonrpc: '2.0',
    result: {
      context: { slot: 357_841_208 },
      value: { data: [Buffer.alloc(786_432, 0xa5).toString('base64'), 'base64'] },
    },
    id: 1,
  }),
)

export async function benchPieces(): Promise<BenchReport> {
  const rows = [
    await measure('router: static path', match('/api/solrpc')),
    await measure(
      'router: two parameters',
      match('/api/token/solana/So11111111111111111111111111111111111111112'),
    ),
    await measure('router: no such path', match('/api/nothing')),
    await measure('getBalance: params checked and rebuilt', rebuild()),
  ]
  rows.push(
    ...(await compare([
      ["a request's log line", logLine((log) => requestLog(log, CLOCK))],
      ['pino: the same', logLine((log) => (line) => log.info(line, 'request'))],
    ])),
    ...(await compare([
      ['EIP-55: cached address', checksum(1, checksummed)],
      ['EIP-55: new address', checksum(1 << 16, checksummed)],
      ['micro-eth-signer: EIP-55', checksum(1 << 16, addr.addChecksum)],
    ])),
  )
  for (const reply of [SMALL, LARGE]) {
    const size = `${reply.length.toLocaleString('en')} bytes`
    rows.push(
      ...(await compare([
        [`reply scanned: ${size}`, scan(reply)],
        [`JSON.parse: ${size}`, parse(reply)],
      ])),
    )
  }
  return toReport('Pieces', TEXT, rows, [])
}

function match(path: string): Loop {
  const paths = ['/api/chains', '/api/solrpc', '/api/health', '/api/config', '/api/token/{chain}/{address}']
  const router = new Router(paths.map((path) => ({ method: 'GET' as const, path })))
  const values: string[] = []
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) {
      values.length = 0
      if (router.match(path, values) !== null) sum++
    }
    return sum
  }
}

function rebuild(): Loop {
  const method = METHODS.get('getBalance')!
  if (method.kind !== 'read') throw new Error('getBalance must be a read.')
  const validator = method.validator()
  const { params } = JSON.parse(BALANCE_CALL) as { params: readonly unknown[] }
  if (!validator.Check(params) || method.rebuild(params) !== JSON.stringify(params)) {
    throw new Error('Valid params must be rebuilt unchanged.')
  }
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) if (validator.Check(params)) sum += method.rebuild(params).length
    return sum
  }
}

function logLine(writerOf: (log: Logger) => (line: RequestLine) => void): Loop {
  let characters = 0
  const write = writerOf(loggerTo({ write: (line) => void (characters += line.length) }, 'info'))
  return (times) => {
    characters = 0
    for (let i = 0; i < times; i++) write({ ...LINE, ms: (i % 1_000) / 1_000 })
    return characters
  }
}

const LINE: RequestLine = {
  id: 'k3x09a7q-1z4d',
  trace: undefined,
  client: '0a1b2c3d4e5f',
  method: 'POST',
  route: '/api/solrpc',
  rpc: 'getBalance',
  status: 200,
  code: undefined,
  budget: undefined,
  provider: undefined,
  upstreamStatus: undefined,
  ms: 0,
  bytes: 110,
}

/**
 * @param count  addresses in rotation: a single one stays cached; if there are more than the
 *   cache holds, none does
 */
function checksum(count: number, run: (lower: string) => string): Loop {
  const addresses = Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, 'a')}`)
  if (addresses.some((address) => run(address) !== addr.addChecksum(address))) {
    throw new Error('The two spell an address differently.')
  }
  let next = 0
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) {
      sum += run(addresses[next]!).length
      next = (next + 1) % count
    }
    return sum
  }
}

function scan(reply: Buffer): Loop {
  const envelope = new EnvelopeScan()
  if (!envelope.scan(reply) || !envelope.isObject) throw new Error('The reply must be one JSON object.')
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) if (envelope.scan(reply)) sum++
    return sum
  }
}

function parse(reply: Buffer): Loop {
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) sum += (JSON.parse(reply.toString()) as { id: number }).id
    return sum
  }
}

const TEXT = `The scan finds the members of a reply and checks that it is JSON; JSON.parse also builds its values, and would
round its numbers.`
