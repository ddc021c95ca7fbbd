/** How races are told to many who listen. */
import t from 'tap'
import { BakeOff, type RaceEnd } from '../../src/http/counts/bake-off.ts'
import { createCounts } from '../../src/http/counts/counts.ts'
import type { EventStream, Events } from '../../src/http/reply/events.ts'
import type { Exchange } from '../../src/http/request/exchange.ts'
import { bakeOffEvent } from '../../src/routes/service/bake-off.ts'
import { handClock } from '../fixtures/clock.ts'

const raceOn = (chain: string): RaceEnd => ({
  chain,
  side: 'buy',
  pair: 'native-token',
  size: null,
  runs: [{ provider: 'a', outcome: 'won', code: null, ms: 1, distanceBps: 0 }],
})

t.test('races are sent to a thousand without delaying anybody, each once and in order', async (t) => {
  const clock = handClock()
  const counts = { ...createCounts(clock), bakeOff: new BakeOff(clock) }
  const route = bakeOffEvent(counts)
  const listen = () => {
    const sent: string[] = []
    const stream: EventStream = {
      client: 'c',
      lastEventId: null,
      send(event) {
        sent.push(event.toString())
        // As long as a write takes.
        for (const begun = performance.now(); performance.now() - begun < 0.005; );
      },
      whenRoom: (callback) => callback(),
      finish() {},
    }
    const leave = (route.handle({}, {} as Exchange) as Events).begin(stream)
    return { sent, leave }
  }
  const all = Array.from({ length: 1_000 }, listen)
  counts.bakeOff.record(raceOn('chain-0'))
  const atOnce = all.filter(({ sent }) => sent.length > 0).length
  t.ok(atOnce < 1_000, `${atOnce} are written to before the race's own client has its answer`)
  for (let i = 1; i < 50; i++) counts.bakeOff.record(raceOn(`chain-${i}`))
  all[999]!.leave()
  const late = listen()
  const staying = all.slice(0, 999)
  while (staying.some(({ sent }) => !sent.join('').includes('chain-49'))) await new Promise(setImmediate)
  const chains = Array.from({ length: 50 }, (_, i) => `chain-${i}`)
  for (const { sent } of staying) {
    const told = [...sent.join('').matchAll(/"chain":"([^"]*)"/g)].map(([, chain]) => chain)
    if (told.join() !== chains.join()) t.same(told, chains)
    if (sent.length > 2) t.equal(sent.length, 2, 'what ends meanwhile is one write')
  }
  t.notMatch(late.sent.join(''), /chain-0"/, 'what was before is not told again')
  for (const { leave } of [...staying, late]) leave()
  counts.bakeOff.record(raceOn('chain-50'))
  await new Promise(setImmediate)
  t.notMatch(all[0]!.sent.join(''), /chain-50/)
})
