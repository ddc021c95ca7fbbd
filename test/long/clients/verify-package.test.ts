/** The packed module: the same verdicts as the sources, in as few bytes as the page says, without Node. */

import { execFile } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { ROOT } from '../../../scripts/docs/pages.ts'
import { type BuildResult, type Client, createClient, type Quote } from '../../../src/clients/client/index.ts'
import { verify } from '../../../src/clients/verify/index.ts'
import { type Answer, type Built, builtHonestly, decimals } from '../../fixtures/built.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { INSTANT, runningClock } from '../../fixtures/clock.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import { listen } from '../../fixtures/gateway.ts'
import { attacksOn } from '../../fixtures/mitm.ts'
import { installClient } from '../../fixtures/programs.ts'
import { SWAPS } from '../../fixtures/swaps.ts'

type Example = (
  client: Pick<Client, 'quote' | 'build'>,
  order: object,
  accept: (quote: Quote) => Promise<string>,
  wallet: { request(call: { method: string; params: readonly unknown[] }): Promise<unknown> },
  decimals?: (chain: string, token: string) => Promise<number | null>,
) => Promise<unknown>

const app = t.testdir()
installClient(app)
const folder = join(app, 'node_modules/@swapgate/client/verify')
const packed = (await import(
  pathToFileURL(join(folder, 'index.js')).href
)) as typeof import('../../../src/clients/verify/index.ts')
const all = await builtHonestly()

const KIB = 1_024
/** What no bytes of the fixtures show is taken, so that verdicts are compared and not refusals alone. */
const accept = ['outcome', 'source_minimum', 'router', 'jetton_wallet']
const options = { trust: { decimals }, accept, now: () => INSTANT }

t.test(
  'it judges as the sources do: honest builds, those of a hostile gateway, and bytes that are changed anywhere',
  async (t) => {
    const random = new Random(SEED, 1)
    const honest = all.map(({ order, answer }) => ({ order, answer }))
    const hostile = attacksOn(all, random, 100).map(({ built, answer }) => ({ order: built.order, answer }))
    const flipped = Array.from({ length: 200 }, () => withFlippedBit(random.pick(all), random))
    let confirmed = 0
    for (const { order, answer } of [...honest, ...hostile, ...flipped]) {
      const [one, other] = [await packed.verify(order, answer, options), await verify(order, answer, options)]
      t.same(one, other)
      if (one.isVerified) confirmed++
    }
    t.ok(confirmed >= all.length && confirmed < honest.length + flipped.length, `${confirmed} confirmed`)
  },
)

/** Where a bit matters it is refused, and elsewhere it is not: both builds have to draw the line in the same place. */
function withFlippedBit({ order, answer }: Built, random: Random): { order: Built['order']; answer: Answer } {
  const flip = (text: string, encoding: 'hex' | 'base64'): string => {
    const bytes = Buffer.from(text, encoding)
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
    return bytes.toString(encoding)
  }
  const hex = (text: unknown) => `0x${flip(String(text).slice(2), 'hex')}`
  if (typeof answer.data === 'string')
    return { order, answer: { ...answer, data: hex(answer.data), transactionRequest: null } }
  const { transactionRequest: request, tonMessage: message } = answer as Record<
    string,
    Answer | null | undefined
  >
  if (request)
    return { order, answer: { ...answer, transactionRequest: { ...request, data: hex(request.data) } } }
  if (message) {
    const payload = flip(String(message.payload), 'base64')
    return { order, answer: { ...answer, tonMessage: { ...message, payload }, tonConnect: null } }
  }
  const name = typeof answer.suiTransaction === 'string' ? 'suiTransaction' : 'solanaTransaction'
  const text = flip(String(answer[name]), 'base64')
  return {
    order,
    answer: { ...answer, [name]: text, ...('swapTransaction' in answer && { swapTransaction: text }) },
  }
}

t.test("the page's example sends what was verified, and nothing from a lying gateway", async (t) => {
  cpSync(join(ROOT, 'docs/examples/verify.mjs'), join(app, 'verify.mjs'))
  const { swap } = (await import(pathToFileURL(join(app, 'verify.mjs')).href)) as { swap: Example }
  const { url } = await listen(t, {}, { clock: runningClock() })
  const client = createClient({ baseUrl: url })
  const order = { ...SWAPS.base, side: 'sell', amount: '250' } as const
  const accept = async ({ minOut }: Quote) => minOut!
  const asked: { method: string; params: readonly unknown[] }[] = []
  const wallet = {
    request: async (call: { method: string; params: readonly unknown[] }) => {
      asked.push(call)
      return `0x${asked.length}`
    },
  }
  t.same(await swap(client, order, accept, wallet), ['0x2', '0x3'])
  t.match(asked, [
    { method: 'wallet_switchEthereumChain', params: [{ chainId: '0x2105' }] },
    { method: 'eth_sendTransaction', params: [{ to: order.token, value: '0x0', chainId: '0x2105' }] },
    { method: 'eth_sendTransaction', params: [{ from: order.from, value: '0x0', chainId: '0x2105' }] },
  ])
  const other = { ...order, token: '0x940181a94A35A4569E4529A3CDfB74e38FD98631' }
  t.same(await swap(client, other, accept, wallet, async () => 18), ['0x5', '0x6'])
  await t.rejects(
    swap(client, other, accept, wallet, async () => 6),
    { message: /with 6 decimals/ },
  )
  const lying = {
    ...client,
    build: async (...asked: Parameters<typeof client.build>) =>
      ({ ...(await client.build(...asked)), to: order.token }) as BuildResult,
  }
  await t.rejects(swap(lying, order, accept, { request: async () => t.fail('it is sent') }), {
    message: /^to: /,
  })
})

t.test('the packed program judges the file of a trade, by its exit code and in words', async (t) => {
  const program = join(app, 'node_modules/.bin/swapgate-verify')
  const [{ order, answer }] = all as [Built]
  const path = join(app, 'trade.json')
  const run = async (...given: readonly string[]) =>
    promisify(execFile)(program, given)
      .then(({ stdout, stderr }) => ({ code: 0, stdout, stderr }))
      .catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }))
  const judge = async (text: string, ...flags: readonly string[]) => {
    writeFileSync(path, text)
    return run(...flags, path)
  }
  const built = { at: INSTANT, source: 'a gateway', body: answer }
  const text = await packed.tradeFile({ order, built })
  t.match(await judge(text), {
    code: 0,
    stdout: /as it was written.*comes out again.*verified as proved.*At least \d+/s,
  })
  t.match(await judge(text.replace('a gateway', 'A gateway')), {
    code: 1,
    stdout: /^Refused: the file is not as it was written/,
  })
  const robbed = { ...answer, to: '0x2222222222222222222222222222222222222222' }
  const theft = await packed.tradeFile({ order, built: { ...built, body: robbed } })
  t.match(await judge(theft), {
    code: 1,
    stdout: /Refused: built, to\n {2}expected: It goes to a known contract\.\n {2}found: {4}\S/,
  })
  const signed = { at: INSTANT, source: 'a wallet', body: `0x${'1'.repeat(64)}` }
  const byHash = await packed.tradeFile({ order, built, signed })
  t.match(await judge(byHash), { code: 2, stdout: /Not bound: signed: a hash does not show/ })
  const { stdout } = await judge(byHash, '--json')
  t.match(JSON.parse(stdout), {
    code: 2,
    isIntact: true,
    broken: { length: 0 },
    notBound: [{ part: 'signed' }],
  })
  t.match(await run('--help'), { code: 0, stdout: /^Usage: .*Exit codes:/s })
  for (const [given, why] of [
    [[], /^Name one file\./],
    [['--fast', path], /^There is no --fast\./],
    [[join(app, 'none.json')], /none\.json cannot be read: ENOENT/],
    [[app], /cannot be read: EISDIR/],
  ] as const) {
    const { code, stderr } = await run(...given)
    t.equal(code, 1)
    t.match(stderr, why)
    t.notMatch(stderr, /^\s+at /m, 'no stack')
  }
})

t.test('it is small, loads a family at a time, and names no module but its own', (t) => {
  // The program is Node's.
  const files = readdirSync(folder).filter((name) => name.endsWith('.js') && name !== 'cli.js')
  const sizeOf = new Map(files.map((name) => [name, gzipSync(readFileSync(join(folder, name))).length]))
  const sum = (names: Iterable<string>) => [...names].reduce((bytes, name) => bytes + sizeOf.get(name)!, 0)
  const verifying = reachedFrom('index.js', (name) => !/^(explain|trade|signed)-/.test(name))
  t.ok(sum(verifying) < 102 * KIB, `${sum(verifying)} bytes for verifying in all families`)
  const judging = reachedFrom('index.js', (name) => !/^(sui|ton|explain|cross-chain|trade)-/.test(name))
  const filing = reachedFrom('index.js', (name) => !name.startsWith('explain-'))
  t.ok(sum(filing) < 151 * KIB, `${sum(filing)} bytes with trade files`)
  const seldom = /^(descriptors|signer|trade|bind|signed|compare-evm|compare-solana|rules)-/
  const rest = files.filter((name) => !seldom.test(name))
  t.ok(sum(rest) < 160 * KIB, `${sum(rest)} bytes with explaining`)
  for (const [part, most, chunks, when] of [
    ['descriptors-', 40, 1, 'descriptors are brought'],
    [
      'signer-',
      23,
      2,
      "a signed transaction of an EVM chain is explained, or a trade's signature on Solana checked",
    ],
  ] as const) {
    const names = files.filter((name) => name.startsWith(part))
    t.ok(sum(names) < most * KIB, `${sum(names)} bytes more where ${when}`)
    t.equal(names.length, chunks)
  }
  const twoFamilies = reachedFrom(
    'index.js',
    (name) => !/^(sui|ton|explain|cross-chain|trade|signed)-/.test(name),
  )
  t.ok(sum(twoFamilies) < 63 * KIB, `${sum(twoFamilies)} bytes for swaps on EVM chains and Solana`)
  t.ok(sum(judging) < 110 * KIB, `${sum(judging)} bytes for these with what was signed`)
  t.notOk([...twoFamilies].some((name) => /^(sui|ton)-/.test(name)))
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, module] of text.matchAll(/\b(?:from|import)\s*\(?["']([\w@./:-]+)["']/g))
      t.match(module, /^\.\//, name)
    t.notMatch(text, /\brequire\(|\bnew Function\b|\beval\(/, name)
  }
  t.end()
})

/** What a page loads for it: modules by their static imports, and those that are asked for when they are needed. */
function reachedFrom(first: string, isWanted: (name: string) => boolean): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [first]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name) || !isWanted(name)) continue
    found.add(name)
    const text = readFileSync(join(folder, name), 'utf8')
    for (const [, module] of text.matchAll(/["']\.\/([\w-]+\.js)["']/g)) waiting.push(module!)
  }
  return found
}
