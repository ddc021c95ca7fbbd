/**
 * `npm run record -- PROVIDER`: has a gateway in live mode ask a provider its own questions, and prints what was
 * answered as samples, one JSON object a line, to be reviewed and added to ../shared/vectors/live. For a machine with
 * internet, and never in CI. What a sample expects is left to who reviews it.
 *
 * The gateway's calls pass through a server on loopback that writes them down. Headers are not kept, nor are keys of
 * queries; an answer that holds the key is not printed.
 */
import { parsedOrNone } from '../src/chains/json/parse.ts'
import { readConfig } from '../src/config/config.ts'
import { KEYED_PROVIDERS, PROVIDER_NAMES, PROVIDERS, type ProviderName } from '../src/config/providers.ts'
import { startGateway } from '../src/gateway.ts'
import { loggerTo } from '../src/runtime/log.ts'
import { type HttpRequest, listen } from '../src/sandbox/listen.ts'

const EVM_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const SOLANA_WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB'
const TON_WALLET = 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez'
const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SONIC_USDC = '0x29219dd400f2Bf60E5a23d13Be72B486D4038894'
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const TON_USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'

const buy = (chain: string, token: string, from: string, amount: string) => ({
  order: { chain, side: 'buy', token, from, amount, slippageBps: '50' },
})
/** Where no router of Uniswap V2's kind competes, which needs no provider. */
const ON_SONIC = buy('sonic', SONIC_USDC, EVM_WALLET, '10')
const ON_TON = buy('ton', TON_USDT, TON_WALLET, '1')
const ONE_TOKEN = { path: `/api/token/base/${BASE_USDC}` }

/** What the gateway is asked, so that it asks the provider: a swap to quote and build, or a path. */
const QUESTIONS: Readonly<
  Record<ProviderName, { readonly order?: Record<string, string>; readonly path?: string }>
> = {
  jupiter: buy('solana', SOLANA_USDC, SOLANA_WALLET, '0.1'),
  dflow: buy('solana', SOLANA_USDC, SOLANA_WALLET, '0.1'),
  kyberswap: ON_SONIC,
  velora: ON_SONIC,
  xprov: {
    path: `/api/xquote?fromChain=base&toChain=arbitrum&amount=0.01&from=${EVM_WALLET}&slippage=0.005`,
  },
  swapcoffee: ON_TON,
  stonfi: ON_TON,
  dexscreener: ONE_TOKEN,
  geckoterminal: ONE_TOKEN,
  goplus: ONE_TOKEN,
  rugcheck: { path: `/api/token/solana/${SOLANA_USDC}` },
  defillama: { path: `/api/portfolio?addresses=${EVM_WALLET}&chains=base` },
}

export interface RecordOptions {
  /** The provider's base URL. */
  readonly target?: string
  /** Variables of the gateway, such as a key or nodes. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** When it was recorded, ms epoch. */
  readonly at?: number
}

/** @returns the samples as JSON text, in the order of the calls */
export async function record(name: ProviderName, options: RecordOptions = {}): Promise<readonly string[]> {
  const { target = PROVIDERS[name].url, environment = {}, at = Date.now() } = options
  const variable = name.toUpperCase()
  const key = environment[`${variable}_API_KEY`] ?? ''
  const samples: string[] = []
  const proxy = await listen(async (request) => {
    const reply = await passOn(request, target)
    if (key === '' || !reply.body.includes(key))
      samples.push(sampleOf(name, request, reply, at, samples.length))
    return reply
  })
  // Nobody else is asked, so that the offer is this provider's.
  const off = PROVIDER_NAMES.filter((other) => other !== name).map((other) => [
    `${other.toUpperCase()}_URL`,
    'off',
  ])
  const config = readConfig({
    ...environment,
    PORT: '0',
    SHUTDOWN_GRACE_MS: '0',
    MODE: 'live',
    ...Object.fromEntries(off),
    [`${variable}_URL`]: proxy.url,
  })
  const gateway = await startGateway(config, loggerTo({ write: () => {} }, 'error'))
  try {
    await askFor(gateway.url, QUESTIONS[name])
  } finally {
    await gateway.stop()
    await proxy.close()
  }
  return samples
}

async function askFor(url: string, { order, path }: (typeof QUESTIONS)[ProviderName]): Promise<void> {
  const asked = path ?? `/api/quote?${new URLSearchParams(order)}`
  const response = await fetch(`${url}${asked}`)
  const text = await response.text()
  if (order === undefined || response.status !== 200) return
  const body = JSON.stringify({ ...order, slippageBps: Number(order.slippageBps), quote: JSON.parse(text) })
  const headers = { 'content-type': 'application/json' }
  await (await fetch(`${url}/api/build`, { method: 'POST', body, headers })).text()
}

async function passOn({ method, path, query, headers, text }: HttpRequest, target: string) {
  const { host: _, connection: __, 'content-length': ___, 'accept-encoding': ____, ...kept } = headers
  const body = method === 'POST' ? text : null
  const response = await fetch(`${target}${path}${query.size === 0 ? '' : `?${query}`}`, {
    method,
    headers: kept,
    body,
  })
  return { status: response.status, body: await response.text() }
}

const SECRET = /key|token$|secret|signature/i

function sampleOf(
  name: ProviderName,
  { method, path, query }: HttpRequest,
  { status, body }: { status: number; body: string },
  at: number,
  count: number,
): string {
  const shown = new URLSearchParams([...query].filter(([member]) => !isSecret(member)))
  const date = new Date(at).toISOString()
  const sample = {
    id: `${name}-${date.slice(0, 19).replace(/\D/g, '')}-${count + 1}`,
    provider: PROVIDERS[name].name,
    capturedAt: date,
    source: { kind: 'recorded', host: new URL(PROVIDERS[name].url).host },
    request: `${method} ${path}${shown.size === 0 ? '' : `?${shown}`}`,
    status,
  }
  // The body's own text: JSON.parse would round its large numbers.
  const text = parsedOrNone(body) === null ? JSON.stringify(body) : body.replace(/[\r\n]+/g, ' ')
  return `${JSON.stringify(sample).slice(0, -1)},"body":${text}}`
}

/** Names of tokens that are traded are no secrets. */
const isSecret = (member: string): boolean =>
  SECRET.test(member) && !/^(from|to|src|dest)?token(In|Out)?$/i.test(member)

if (process.argv[1] !== undefined && import.meta.url.endsWith(process.argv[1].split('/').at(-1)!)) {
  const name = process.argv[2] as ProviderName
  if (!PROVIDER_NAMES.includes(name)) {
    console.error(
      `Name a provider: ${PROVIDER_NAMES.join(', ')}. Its key is read from its variable, such as ${KEYED_PROVIDERS[0]!.toUpperCase()}_API_KEY.`,
    )
    process.exitCode = 1
  } else {
    for (const sample of await record(name, { environment: process.env })) console.log(sample)
  }
}
