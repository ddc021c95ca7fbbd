/** A gateway in this process records; another one, without a network, gives the replies again. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parseRecording, type Recording } from '../../../src/gateway/replay/file.ts'
import { replay } from '../../../src/gateway/replay/replay.ts'
import { startGateway } from '../../../src/gateway.ts'
import { createLogger } from '../../../src/runtime/log.ts'
import { runningClock, until } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { query, SWAPS } from '../../fixtures/swaps.ts'

const { log } = createLogger({ logLevel: 'silent' })
const again = (recording: Recording) => replay(recording, startGateway, log)

t.test('a recorded quote is given again, and a change of what it was made from shows', async (t) => {
  const dir = t.testdir()
  const { url } = await listen(t, { RECORD_DIR: dir, RECORD_HEADER: 'X-Record' }, { clock: runningClock() })
  const target = `${url}/api/quote?${query(SWAPS.base)}`
  await (await fetch(target)).arrayBuffer()
  const sent = { 'x-record': 'yes', authorization: 'Bearer of-mine', 'x-forwarded-for': '192.0.2.77' }
  const reply = await (await fetch(target, { headers: sent })).json()
  const names = (): string[] => readdirSync(dir).filter((name) => name.endsWith('.jsonl'))
  await until(() => names().length > 0)
  t.equal(names().length, 1, 'one without the header is not recorded')
  const text = readFileSync(join(dir, names()[0]!), 'utf8')
  t.notMatch(text, /of-mine|192\.0\.2\.77|x-record/)
  const recording = parseRecording(text)
  t.same(JSON.parse(recording.reply.body), reply)

  const first = await again(recording)
  t.same(first.differences, [])
  const { provider } = reply as { provider: string }
  const other = parseRecording(text.replaceAll(provider, `${provider}x`))
  t.equal((await again(other)).isEqual, false)
  const missing = {
    ...recording,
    lines: recording.lines.filter((line) => !('name' in line && /^budget/.test(line.name))),
  }
  t.match(await again(missing), {
    isEqual: false,
    differences: [/^The reply was/, /^asked, and not recorded: budget swap/],
  })
})
