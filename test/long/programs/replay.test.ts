/**
 * Requests to all routes, drawn by chance, of a service whose upstreams fail now and then: each recorded reply is given
 * again by `swapgate-replay`, in a process of its own, to the byte. 150 requests; SAMPLES=1 tries 1,000. NODES lists
 * other programs of Node.js that replay them as well, and KEEP names a folder that gets the recordings.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { decodeBase58, encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { parseRecordings } from '../../../src/gateway/replay/file.ts'
import { buildPrograms } from '../../fixtures/dist.ts'
import { exchangesAt, operations, readDocument } from '../../fixtures/document.ts'
import { inventory } from '../../fixtures/inventory.ts'
import { listening, runCommand } from '../../fixtures/programs.ts'
import { CROSS_CHAIN, EVM_WALLET, fund, query, SOLANA_WALLET, SWAPS, USDC } from '../../fixtures/swaps.ts'
import { PAYER, serialize, transfer } from '../../fixtures/transactions.ts'
import { ROOT } from './built.ts'

t.setTimeout(3_000_000)

const COUNT = process.env.SAMPLES ? 1_000 * Number(process.env.SAMPLES) : 150
/** Requests under way at once. */
const AT_ONCE = 4
const LIMITS = 'swap=400/12000,explain=400/12000,portfolio=20/12000'
/** After so many requests, an upstream begins or ends to fail. */
const PER_FAULT = 7
const STREAMS = /stream|bake-off\/event/
/** One group of questions together: they ask no upstream. */
const COMMUNITY = /^\/api\/(reels|social|game|referrals|arcade|onramp|push|recovery)\//
const NODES = [process.execPath, ...(process.env.NODES?.split(',') ?? [])]

/** Draws that are the same each time. */
function draws(seed: number) {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    one: <T>(of: readonly T[]): T => of[Math.floor(next() * of.length)]!,
    chance: (part: number): boolean => next() < part,
  }
}

interface Asked {
  readonly target: string
  readonly body?: unknown
}

const rpc = (method: string, params: unknown): Asked => ({
  target: '/api/solrpc',
  body: { jsonrpc: '2.0', id: 1, method, params },
})

/** What may be asked, by route. */
async function questions(url: string): Promise<readonly (readonly Asked[])[]> {
  const document = await readDocument(url)
  const ofRows = Object.entries(inventory(`0x${'ab'.repeat(32)}`)).map(([path, { good, bad }]) => {
    const targetOf = ({ operation = '', ...values }: Readonly<Record<string, string>>): Asked => {
      const named = path.includes('{operation}') ? values : { operation, ...values }
      const parameters = Object.entries(named).filter(([, value]) => value !== '')
      return { target: `${path.replace('{operation}', operation)}?${new URLSearchParams(parameters)}` }
    }
    const wrong = Object.entries(bad).flatMap(([name, values]) =>
      values.map((value) => targetOf({ ...good[0]!, [name]: value })),
    )
    const asked = good.map(targetOf)
    return [...asked, ...asked, ...wrong.slice(0, 1), ...wrong.slice(-1)]
  })
  const isCommunity = ([one]: readonly Asked[]): boolean => COMMUNITY.test(one!.target)
  const posts = operations(document)
    .filter(([method]) => method === 'post')
    .map(([, path]) => [
      ...[...exchangesAt(document, path).values()].map(({ request: body }) => ({ target: path, body })),
      { target: path, body: { nothing: 'of this' } },
    ])
  const node = [
    rpc('getSlot', []),
    rpc('getBalance', [SOLANA_WALLET]),
    rpc('getAccountInfo', [SOLANA_WALLET, { encoding: 'base64' }]),
    rpc('getLatestBlockhash', []),
    rpc('getLatestBlockhash', []),
    rpc('getSignatureStatuses', [['5'.repeat(88)]]),
    rpc('simulateTransaction', [
      Buffer.from(serialize(transfer())).toString('base64'),
      { encoding: 'base64' },
    ]),
    rpc('requestAirdrop', []),
    rpc('sendTransaction', ['AAAA']),
    { target: '/api/solrpc', body: [rpc('getSlot', []).body, rpc('getBalance', [SOLANA_WALLET]).body] },
  ]
  const swaps = Object.values(SWAPS)
  return [
    ...ofRows.filter((row) => !isCommunity(row)),
    ofRows.filter(isCommunity).flat(),
    ...posts,
    ...[node, node, node],
    swaps.map((swap) => ({ target: `/api/quote?${query(swap)}` })),
    swaps.map((swap) => ({ target: `/api/v2quote?${query(swap)}` })),
    [{ target: `/api/xquote?${query(CROSS_CHAIN)}` }, { target: '/api/xstatus?txHash=nonsense' }],
    [{ target: `/api/token/base/${USDC.base}` }, { target: `/api/logo/base/${USDC.base}` }],
    [{ target: `/api/portfolio?address=${EVM_WALLET}&chains=base,ethereum&sol=${SOLANA_WALLET}` }],
    ['/', '/api/health', '/api/config', '/openapi.json', '/llms.txt', '/nowhere'].map((target) => ({
      target,
    })),
  ]
    .map((some) => some.filter(({ target }) => !STREAMS.test(target)))
    .filter(({ length }) => length > 0)
}

async function ask(url: string, { target, body }: Asked): Promise<Record<string, unknown> | null> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(url + target, body === undefined ? {} : post)
  const text = await response.text()
  // It isn't recorded, and a busy machine sheds some.
  if (response.headers.get('x-error-code') === 'overloaded') {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return ask(url, { target, body })
  }
  const isJson = response.ok && response.headers.get('content-type')?.startsWith('application/json') === true
  return isJson ? (JSON.parse(text) as Record<string, unknown>) : null
}

/** What follows an answer: the build of a quote, the explanation of a build, a transfer with a blockhash. */
function next({ target }: Asked, answer: Record<string, unknown> | null): Asked | null {
  if (answer === null) return null
  const { chain, from: owner, swapTransaction, suiTransaction, tonConnect } = answer
  if (target.startsWith('/api/quote?')) {
    return { target: '/api/build', body: { ...SWAPS[chain as keyof typeof SWAPS], quote: answer } }
  }
  if (target === '/api/build') {
    const transaction = swapTransaction ?? suiTransaction
    const { transactionRequest: call } = answer
    return { target: '/api/explain', body: { chain, owner, transaction, call, messages: tonConnect } }
  }
  const { value } = (answer.result ?? {}) as { readonly value?: { readonly blockhash?: string } }
  if (value?.blockhash === undefined) return null
  const sent = serialize(transfer({ blockhash: decodeBase58(value.blockhash, 32)! }))
  return rpc('sendTransaction', [Buffer.from(sent).toString('base64'), { encoding: 'base64' }])
}

t.test('recorded requests are replayed to the byte', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'swapgate-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  buildPrograms(join(folder, 'dist'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const dir = join(folder, 'recordings')
  const environment = { PORT: '0', RECORD_DIR: dir, RECORD_MIB: '2000', RPC_COMPAT: 'node', LIMITS }
  const program = runCommand(t, process.execPath, [join(folder, 'dist/main.js')], environment)
  const { url } = await listening(program)
  const { sandbox } = (await (await fetch(`${url}/api/health`)).json()) as { sandbox: Record<string, string> }
  const kinds = (await (await fetch(`${sandbox.control}/kinds`)).json()) as Record<string, unknown>
  await fund(sandbox.solanaRpc!, encodeBase58(PAYER.publicKey))
  const { one, chance } = draws(20_261_201)
  const all = await questions(url)
  let asked = 0
  const turn = async (): Promise<void> => {
    let following: Asked | null = null
    while (asked < COUNT) {
      if (++asked % PER_FAULT === 0) {
        const name = one(Object.keys(kinds))
        const fault = chance(0.5) ? null : one(['500', '429', 'garbage', 'latency', 'reset', '401'])
        const body = JSON.stringify({ fault })
        await (await fetch(`${sandbox.control}/faults/${name}`, { method: 'PUT', body })).text()
      }
      const swap = one(Object.values(SWAPS))
      const drawn = chance(0.1) ? { target: `/api/quote?${query(swap)}` } : one(one(all))
      const question: Asked = following ?? drawn
      following = next(question, await ask(url, question))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, turn))
  program.child.kill('SIGTERM')
  t.same((await program.exit).code, 0)
  const dropped = program.text.out.match(/"why":"(?!a shed request)[^"]*/g) ?? []
  t.same([...new Set(dropped)], [], 'each could be recorded')
  const files = readdirSync(dir).map((name) => join(dir, name))
  const recordings = files.flatMap((file) => parseRecordings(readFileSync(file, 'utf8')))
  t.ok(recordings.length >= COUNT)
  for (const status of [200, 400, 502])
    t.ok(
      recordings.some(({ reply }) => reply.status === status),
      `some have ${status}`,
    )
  if (process.env.KEEP) cpSync(dir, process.env.KEEP, { recursive: true })
  for (const node of NODES) {
    const again = await runCommand(t, node, [join(folder, 'dist/replay.js'), ...files], {}).exit
    const lines = again.out.split('\n').filter((line) => line !== '')
    t.same({ code: again.code, err: again.err }, { code: 0, err: '' }, node)
    t.same(
      lines.filter((line) => !line.startsWith('the same: ')),
      [],
    )
    t.equal(lines.length, recordings.length)
  }
})
