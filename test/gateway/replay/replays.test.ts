/**
 * The recordings of test/replays: each is replayed, and one of a fault has in its reply what the fault was about.
 * REPLAYS=write records the faults again, from the sandbox.
 */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { readConfig } from '../../../src/config/config.ts'
import { parseRecordings } from '../../../src/gateway/replay/file.ts'
import { replay } from '../../../src/gateway/replay/replay.ts'
import { startGateway } from '../../../src/gateway.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { createLogger } from '../../../src/runtime/log.ts'
import { type MovedClock, movedClock, until } from '../../fixtures/clock.ts'
import { query, SWAPS } from '../../fixtures/swaps.ts'

const FOLDER = new URL('../../replays/', import.meta.url)
const { log } = createLogger({ logLevel: 'silent' })
const MARKED = { 'x-record': 'yes', 'content-type': 'application/json' }

interface World {
  readonly url: string
  readonly clock: MovedClock
  dial(provider: string, fault: object): Promise<void>
}

interface Past {
  readonly status: number
  readonly has: RegExp
  /** Makes the reply, of a request with MARKED. */
  make(world: World): Promise<Response>
}

const getQuote = async (url: string) => (await fetch(`${url}/api/quote?${query(SWAPS.base)}`)).json()
const build = (url: string, quote: unknown): Promise<Response> =>
  fetch(`${url}/api/build`, {
    method: 'POST',
    headers: MARKED,
    body: JSON.stringify({ ...SWAPS.base, quote }),
  })

const PASTS: Readonly<Record<string, Past>> = {
  'theft-refused': {
    status: 502,
    has: /"code":"material_refused"/,
    async make({ url, dial }) {
      const quote = await getQuote(url)
      await dial('kyberswap', { fault: 'steal' })
      return build(url, quote)
    },
  },
  'late-provider': {
    status: 200,
    has: /"provider":"(?!kyberswap)/,
    async make({ url, dial }) {
      await dial('kyberswap', { fault: 'hang' })
      return fetch(`${url}/api/quote?${query(SWAPS.base)}`, { headers: MARKED })
    },
  },
  'price-moved': {
    status: 200,
    has: /"provider":"(?!kyberswap).*"insteadOf":\{"provider":"kyberswap","code":"quote_moved"\}/,
    async make({ url, dial, clock }) {
      const quote = await getQuote(url)
      await dial('kyberswap', { fault: 'cheap', parts: 2 })
      // The quote is no longer fresh, so its provider is asked again.
      clock.move(15_000)
      return build(url, quote)
    },
  },
}

const fileOf = (name: string): URL => new URL(`${name}.jsonl`, FOLDER)

async function write(name: string, { make }: Past): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'swapgate-'))
  const environment = {
    PORT: '0',
    WS: 'off',
    SANDBOX_PROVIDERS: 'ideal',
    RECORD_DIR: dir,
    RECORD_HEADER: 'x-record',
  }
  const clock = movedClock(CLOCK)
  const { url, sandbox, stop } = await startGateway(readConfig(environment), log, { clock })
  const dial = async (provider: string, fault: object) => {
    await fetch(`${sandbox!.control}/faults/${provider}`, { method: 'PUT', body: JSON.stringify(fault) })
  }
  await make({ url, clock, dial })
  const written = (): string[] => readdirSync(dir).filter((one) => one.endsWith('.jsonl'))
  await until(() => written().length === 1)
  renameSync(join(dir, written()[0]!), fileOf(name))
  await stop()
  rmSync(dir, { recursive: true })
}

if (process.env.REPLAYS === 'write') for (const [name, past] of Object.entries(PASTS)) await write(name, past)

for (const file of readdirSync(FOLDER)) {
  t.test(file, async (t) => {
    const past = PASTS[file.replace('.jsonl', '')]
    for (const recording of parseRecordings(readFileSync(new URL(file, FOLDER), 'utf8'))) {
      const { isEqual, differences } = await replay(recording, startGateway, log)
      const { status, body } = recording.reply
      t.same(differences, [])
      if (past === undefined) t.ok(isEqual && status >= 200 && status < 300, `${status}`)
      else t.match({ status, body }, { status: past.status, body: past.has })
    }
  })
}
