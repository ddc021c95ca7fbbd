/** What `npm run record` writes, of the sandbox's providers in the place of the public ones. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { record } from '../../scripts/record.ts'
import { PROVIDER_NAMES } from '../../src/config/providers.ts'
import { parseRecordings } from '../../src/gateway/replay/file.ts'
import { replay } from '../../src/gateway/replay/replay.ts'
import { createLogger } from '../../src/runtime/log.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import { startPatient } from '../fixtures/gateway.ts'
import { outsideOf } from '../fixtures/outside.ts'

const { log } = createLogger({ logLevel: 'silent' })

t.test('each provider is asked, without its key in the recordings, and they are replayed', async (t) => {
  const sandbox = await startSandbox()
  t.teardown(() => sandbox.close())
  const folder = t.testdir()
  const environment = { ...outsideOf(sandbox), JUPITER_API_KEY: 'a-key-of-nobody' }
  for (const name of PROVIDER_NAMES) {
    const text = readFileSync(await record(name, folder, environment, startPatient), 'utf8')
    t.notMatch(text, 'a-key-of-nobody')
    t.ok(text.includes(`"ask ${name} `), name)
    for (const recording of parseRecordings(text)) {
      const { isEqual, differences } = await replay(recording, startPatient, log)
      const { status } = recording.reply
      t.same({ status, isEqual, differences }, { status: 200, isEqual: true, differences: [] })
    }
  }
  const names = readdirSync(folder).map((file) => file.replace(/-\w{6}\.jsonl$/, ''))
  t.same(names, [...PROVIDER_NAMES].sort())
})
