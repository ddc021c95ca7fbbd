/** The envelope scanner against nst/JSONTestSuite, whose cases are not part of the project. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { EnvelopeScan } from '../../src/chains/json/scan.ts'

interface Case {
  readonly name: string
  readonly expected: 'accept' | 'reject' | 'either'
  readonly base64: string
  readonly node20_JSON_parse_fatal_utf8: string
}

const VECTORS = new URL('../../../shared/vectors/jsontestsuite.json', import.meta.url)

function readCases(): readonly Case[] | null {
  try {
    return JSON.parse(readFileSync(VECTORS, 'utf8')).cases
  } catch {
    return null
  }
}

const cases = readCases()
const skip = cases === null && 'the test vectors are not on this machine'

t.test(
  'decides as JSONTestSuite says and, where it leaves the choice, as JSON.parse',
  { skip },
  async (t) => {
    const scan = new EnvelopeScan()
    for (const { name, expected, base64, node20_JSON_parse_fatal_utf8 } of cases!) {
      const verdict = expected === 'either' ? node20_JSON_parse_fatal_utf8 : expected
      t.equal(scan.scan(Buffer.from(base64, 'base64')), verdict === 'accept', name)
    }
    t.ok(cases!.length > 300)
  },
)
