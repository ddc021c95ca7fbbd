import t from 'tap'
import { parseTraceparent, traceparentOf } from '../../src/flow/trace-context.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const ZEROS = '0'.repeat(32)

t.test('a traceparent is read as the standard has it, or not at all', (t) => {
  const cases: [header: string, flags: string | null][] = [
    [`00-${TRACE}-${PARENT}-00`, '00'],
    [`00-${TRACE}-${PARENT}-01`, '01'],
    [`00-${TRACE}-${PARENT}-03`, '03'],
    [`00-${TRACE}-${PARENT}-ff`, '03'], // unknown flags are cleared
    [`01-${TRACE}-${PARENT}-01`, '01'],
    [`cc-${TRACE}-${PARENT}-03`, '01'], // of a later version only one flag is known
    [`cc-${TRACE}-${PARENT}-01-what-the-future-will-be-like`, '01'],
    [`cc-${TRACE}-${PARENT}-01-`, '01'],
    [`cc-${TRACE}-${PARENT}-01.what`, null],
    [`cc-${TRACE}-${PARENT}-01-x, cc-${TRACE}-${PARENT}-01-y`, null], // two headers
    [`ff-${TRACE}-${PARENT}-01`, null],
    [`00-${TRACE}-${PARENT}-01-`, null],
    [`00-${TRACE}-${PARENT}-01-extra`, null],
    [`00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`, null],
    [`00-${TRACE}-${PARENT}-1`, null],
    [`00-${TRACE}-${PARENT}-001`, null],
    [`00-${TRACE}-${PARENT}`, null],
    [`0-${TRACE}-${PARENT}-01`, null],
    [`000-${TRACE}-${PARENT}-01`, null],
    [`00-${TRACE.slice(1)}-${PARENT}-01`, null],
    [`00-${TRACE}0-${PARENT}-01`, null],
    [`00-${TRACE}-${PARENT}0-01`, null],
    [`00-${ZEROS}-${PARENT}-01`, null],
    [`00-${TRACE}-${ZEROS.slice(16)}-01`, null],
    [`00-${TRACE.toUpperCase()}-${PARENT}-01`, null],
    [`00-${TRACE}-${PARENT.toUpperCase()}-01`, null],
    [`00-${TRACE}-${PARENT}-0A`, null],
    [`00-${TRACE.replace('0', 'g')}-${PARENT}-01`, null],
    [` 00-${TRACE}-${PARENT}-01`, null],
    [`00-${TRACE}-${PARENT}-01\n`, null],
    [`00_${TRACE}_${PARENT}_01`, null],
    ['', null],
  ]
  for (const [header, flags] of cases) {
    t.same(parseTraceparent(header), flags === null ? null : { traceId: TRACE, flags }, header)
  }
  t.equal(parseTraceparent(undefined), null)
  t.equal(parseTraceparent([cases[0]![0]]), null)
  t.end()
})

t.test('outgoing requests have the same trace, with their own id', (t) => {
  const trace = parseTraceparent(`cc-${TRACE}-${PARENT}-01-more`)!
  const sent = Array.from({ length: 50 }, () => traceparentOf(trace))
  for (const header of sent) {
    t.match(header, /^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-01$/)
    t.notMatch(header, PARENT)
  }
  t.equal(new Set(sent).size, 50)
  t.end()
})
