/**
 * Recordings of faults that were, in test/replays: each is replayed, and has in its reply what the fault was about.
 * REPLAYS=write records them again, from the sandbox.
 */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { readConfig } from '../../../src/config/config.ts'
import { parseRecording } from '../../../src/gateway/replay/file.ts'
import { replay } from '../../../src/gateway/replay/replay.ts'
import { startGateway } from '../../../src/gateway.ts'
import { createLogger } from '../../../src/runtime/log.ts'
import { until } from '../../fixtures/clock.ts'
import { query, SWAPS } from '../../fixtures/swaps.ts'

const FOLDER = new URL('../../replays/', import.meta.url)
const { log } = createLogger({ logLevel: 'silent' })
const MARKED = { 'x-record': 'yes', 'content-type': 'application/json' }

interface Past {
  readonly status: number
  readonly has: RegExp
  /** Makes the reply, of a request with MARKED. */
  make(url: string, dial: (provider: string, fault: object) => Promise<void>): Promise<Response>
}

const PASTS: Readonly<Record<string, Past>> = {
  'theft-refused': {
    status: 502,
    has: /"code":"material_refused"/,
    async make(url, dial) {
      const quote = await (await fetch(`${url}/api/quote?${query(SWAPS.base)}`)).json()
      await dial('kyberswap', { fault: 'steal' })
      const body = JSON.stringify({ ...SWAPS.base, quote })
      return fetch(`${url}/api/build`, { method: 'POST', headers: MARKED, body })
    },
  },
  'late-provider': {
    status: 200,
    has: /"provider":"(?!kyberswap)/,
    async make(url, dial) {
      await dial('kyberswap', { fault: 'hang' })
      return fetch(`${url}/api/quote?${query(SWAPS.base)}`, { headers: MARKED })
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
  const { url, sandbox, stop } = await startGateway(readConfig(environment), log)
  await make(url, async (provider, fault) => {
    await fetch(`${sandbox!.control}/faults/${provider}`, { method: 'PUT', body: JSON.stringify(fault) })
  })
  const written = (): string[] => readdirSync(dir).filter((one) => one.endsWith('.jsonl'))
  await until(() => written().length === 1)
  renameSync(join(dir, written()[0]!), fileOf(name))
  await stop()
  rmSync(dir, { recursive: true })
}

for (const [name, past] of Object.entries(PASTS)) {
  t.test(name, async (t) => {
    if (process.env.REPLAYS === 'write') await write(name, past)
    const recording = parseRecording(readFileSync(fileOf(name), 'utf8'))
    const { differences } = await replay(recording, startGateway, log)
    t.same(differences, [])
    t.equal(recording.reply.status, past.status)
    t.match(recording.reply.body, past.has)
  })
}

t.test('each file is of a fault that is described', async (t) => {
  const names = readdirSync(FOLDER).map((file) => file.replace('.jsonl', ''))
  t.same(names.sort(), Object.keys(PASTS).sort())
})
