/** No body can hold the event loop: what its bounds leave is parsed, checked and refused in a moment. */
import t from 'tap'
import { MAX_VALUES } from '../../../src/chains/json/parse.ts'
import { parseJson } from '../../../src/http/request/body.ts'
import { BuildRequest } from '../../../src/runtime/resources/build.ts'
import { compile, refuseInput } from '../../../src/runtime/validate.ts'
import { cpuTimer, leastMs } from '../../fixtures/cpu.ts'

/** As long as the longest that a route takes. */
const LENGTH = 262_144
/** Several times what it takes: processors differ, and neighbours slow them. What grows with the square takes seconds. */
const HOLD_MS = 100

const validator = compile(BuildRequest)

/** As many items as there is room for. @param values  that each of them counts for */
function filled(item: (index: number) => string, values: number, brackets = '[]'): string {
  const items: string[] = []
  for (let length = 0; length < LENGTH - 200 && items.length < MAX_VALUES / values - 10; ) {
    const text = item(items.length)
    items.push(text)
    length += text.length + 1
  }
  return `${brackets[0]}${items.join(',')}${brackets[1]}`
}

const order = (quote: string): string =>
  `{"chain":"base","side":"buy","token":"0x","amount":"1","from":"0x","quote":${quote}}`

/** Tells what a body is, refused or not. */
function judge(bytes: Buffer): void {
  try {
    const body = parseJson(bytes)
    if (!validator.Check(body)) throw refuseInput(validator, body)
  } catch {
    // The time counts.
  }
}

t.test('the worst that a body can hold holds a processor for a moment only', async (t) => {
  const cpuMsOf = cpuTimer(t)
  const long = 'a'.repeat(LENGTH - 200)
  const bodies: Record<string, string> = {
    'objects, each with a name of its own': filled((i) => `{"k${i}":1}`, 3),
    'the same in a quote': order(`{"raw":${filled((i) => `{"k${i}":1}`, 3)}}`),
    'names in one object': filled((i) => `"k${i}":1`, 2, '{}'),
    'names that are numbers': filled((i) => `"${i * 7_919}":1`, 2, '{}'),
    'properties that nobody takes': `${order('{}').slice(0, -1)},${filled((i) => `"k${i}":1`, 2, '  ')}}`,
    'empty arrays': filled(() => '[]', 2),
    numbers: filled(() => '1e-308', 1),
    'brackets without end': '['.repeat(LENGTH),
    'objects without end': '{"a":'.repeat(LENGTH / 5),
    'a long string': `"${long}"`,
    escapes: `"${'\\u0041'.repeat(LENGTH / 6 - 40)}"`,
    'quotes that are escaped': `"${'\\"'.repeat(LENGTH / 2 - 40)}"`,
    'a long number': '1'.repeat(LENGTH),
    'a long amount': order('{}').replace('"1"', `"${'1'.repeat(LENGTH - 200)}x"`),
    'a long token': order('{}').replace('"0x"', `"${'e\u0301'.repeat(LENGTH / 3 - 200)}"`),
    'no JSON': long,
  }
  for (const [name, text] of Object.entries(bodies)) {
    const bytes = Buffer.from(text)
    const bestMs = await leastMs(HOLD_MS, 40, () => cpuMsOf(() => judge(bytes)))
    t.ok(bestMs <= HOLD_MS, `${name}: ${bestMs.toFixed(1)} ms`)
  }
})

t.test('the messages name the bounds', async (t) => {
  for (const text of ['['.repeat(513), filled(() => '1', 0.5)]) {
    t.throws(() => parseJson(Buffer.from(text)), {
      code: 'malformed_body',
      message: /512 deep.* 40,000 values/,
    })
  }
  t.ok(parseJson(Buffer.from(`${'['.repeat(512)}${']'.repeat(512)}`)))
})
