/**
 * `npm run record -- PROVIDER [FOLDER]`: has a gateway in live mode ask a provider its own questions, and leaves a file
 * of the recordings, as RECORD_DIR has them, in the folder or the current one. Reviewed, it belongs in test/replays.
 * For a machine with internet, and never in CI.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../src/config/config.ts'
import { KEYED_PROVIDERS, PROVIDER_NAMES, type ProviderName } from '../src/config/providers.ts'
import { startGateway } from '../src/gateway.ts'
import { loggerTo } from '../src/runtime/log.ts'

const EVM_WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const SOLANA_WALLET = 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB'
const TON_WALLET = 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez'
const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const SONIC_USDC = '0x29219dd400f2Bf60E5a23d13Be72B486D4038894'
const SOLANA_USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const TON_USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
/** Its decimals are asked for: it is no major. */
const TON_NOT = 'EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT'

const buy = (chain: string, token: string, from: string, amount: string) => ({
  order: { chain, side: 'buy', token, from, amount, slippageBps: '50' },
})
/** Where no router of Uniswap V2's kind competes, which needs no provider. */
const ON_SONIC = buy('sonic', SONIC_USDC, EVM_WALLET, '10')
const ONE_TOKEN = { path: `/api/token/base/${BASE_USDC}` }

interface Question {
  /** A swap to quote and build. */
  readonly order?: Record<string, string>
  readonly path?: string
  /** Another provider that the answer needs. */
  readonly with?: ProviderName
}

/** What the gateway is asked, so that it asks the provider. */
const QUESTIONS: Readonly<Record<ProviderName, Question>> = {
  jupiter: buy('solana', SOLANA_USDC, SOLANA_WALLET, '0.1'),
  dflow: buy('solana', SOLANA_USDC, SOLANA_WALLET, '0.1'),
  kyberswap: ON_SONIC,
  velora: ON_SONIC,
  xprov: {
    path: `/api/xquote?fromChain=base&toChain=arbitrum&amount=0.01&from=${EVM_WALLET}&slippage=0.005`,
  },
  swapcoffee: buy('ton', TON_USDT, TON_WALLET, '1'),
  // It has decimals only, and a second source has to agree.
  stonfi: { ...buy('ton', TON_NOT, TON_WALLET, '1'), with: 'swapcoffee' },
  dexscreener: ONE_TOKEN,
  geckoterminal: ONE_TOKEN,
  goplus: ONE_TOKEN,
  rugcheck: { path: `/api/token/solana/${SOLANA_USDC}` },
  defillama: { path: `/api/portfolio?address=${EVM_WALLET}&chains=base` },
}

/**
 * @param environment  variables of the gateway, such as a key or nodes
 * @returns the file's path
 */
export async function record(
  name: ProviderName,
  folder: string,
  environment: Readonly<Record<string, string | undefined>>,
  start = startGateway,
): Promise<string> {
  const question = QUESTIONS[name]
  // Nobody else is asked, so that the offer is this provider's.
  const others = PROVIDER_NAMES.filter((other) => other !== name && other !== question.with)
  const off = Object.fromEntries(others.map((other) => [`${other.toUpperCase()}_URL`, 'off']))
  const dir = mkdtempSync(join(folder, `${name}-`))
  // Whatever else the developer's shell sets, each request is recorded.
  const all = { RECORD_HEADER: '', RECORD_PATH: '', RECORD_ERROR: '', RECORD_ONE_IN: '', REDIS_URL: '' }
  const own = { PORT: '0', SHUTDOWN_GRACE_MS: '0', MODE: 'live', RECORD_DIR: dir, ...all }
  try {
    const config = readConfig({ ...environment, ...own, ...off })
    const gateway = await start(config, loggerTo({ write: () => {} }, 'error'))
    try {
      await askFor(gateway.url, question)
    } finally {
      await gateway.stop()
    }
    const texts = readdirSync(dir).map((file) => readFileSync(join(dir, file), 'utf8'))
    if (texts.length === 0) throw new Error('Nothing was recorded.')
    writeFileSync(`${dir}.jsonl`, texts.join(''), { mode: 0o600 })
  } finally {
    rmSync(dir, { recursive: true })
  }
  return `${dir}.jsonl`
}

async function askFor(url: string, { order, path }: Question): Promise<void> {
  const asked = path ?? `/api/quote?${new URLSearchParams(order)}`
  const response = await fetch(`${url}${asked}`)
  const text = await answerOf(response)
  if (order === undefined) return
  const body = JSON.stringify({ ...order, slippageBps: Number(order.slippageBps), quote: JSON.parse(text) })
  const headers = { 'content-type': 'application/json' }
  await answerOf(await fetch(`${url}/api/build`, { method: 'POST', body, headers }))
}

async function answerOf(response: Response): Promise<string> {
  const text = await response.text()
  if (!response.ok) throw new Error(`The gateway answered ${response.status}: ${text}`)
  return text
}

if (process.argv[1] !== undefined && import.meta.url.endsWith(process.argv[1].split('/').at(-1)!)) {
  const [, , name, folder = '.'] = process.argv as [string, string, ProviderName, string?]
  if (!PROVIDER_NAMES.includes(name)) {
    console.error(
      `Name a provider: ${PROVIDER_NAMES.join(', ')}. Its key is read from its variable, such as ${KEYED_PROVIDERS[0]!.toUpperCase()}_API_KEY.`,
    )
    process.exitCode = 1
  } else {
    console.log(await record(name, folder, process.env))
  }
}
