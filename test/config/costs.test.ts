/** Each setting reads or refuses any text in time: a start that hangs says nothing. */
import t from 'tap'
import { settingsIn } from '../../src/config/setting.ts'
import { SETTINGS } from '../../src/config/settings.ts'
import { cpuTimer, leastMs } from '../fixtures/cpu.ts'

/** The longest text that an environment variable may have on Linux. */
const LENGTH = 131_000
/** Of the processor, in the best of several tries: expressions that try each part anew take seconds. */
const MOST_MS = 100
const TRIES = 5

const filled = (unit: string, before = '', after = '') =>
  before + unit.repeat(Math.floor((LENGTH - before.length - after.length) / unit.length)) + after

/** Runs that expressions repeat, with an end that makes them look for another way. */
const UNITS = [
  'a',
  '0',
  '/',
  '.',
  '-',
  ' ',
  ',',
  ':',
  '=',
  '[',
  '[]',
  'a.',
  'a-',
  'a,',
  '1,',
  'a=1,',
  '@',
  '%41',
  '0x',
  '_',
  '\t',
]
const TEXTS = [
  ...UNITS.flatMap((unit) => [filled(unit), filled(unit, 'a', '!')]),
  filled('/', 'https://a', 'x'),
  filled('/', 'https://a/'),
  filled('a', 'https://', '!'),
  filled('https://a,'),
  filled('a.', 'https://', '/'),
  filled('%41', 'redis://'),
  filled('a', 'redis://', ':@h'),
  filled('1', 'unix:///'),
  filled('a=1/1,'),
  `${'a'.repeat(60)}!`,
  `${'a'.repeat(60)}.example:8080`,
  'gateway.eu-central-1.internal.example.com:8080',
  'ec2-203-0-113-25.compute-1.amazonaws.com/',
]

t.test('no text keeps a setting busy', async (t) => {
  const cpuMsOf = cpuTimer(t)
  const settings = settingsIn(SETTINGS)
  t.ok(settings.length > 80)
  for (const { variable, format } of settings) {
    let [worst, most] = ['', 0]
    for (const text of TEXTS) {
      const read = () => {
        try {
          format.parse(text)
        } catch {
          // Refused.
        }
      }
      const least = await leastMs(MOST_MS, TRIES, () => cpuMsOf(read))
      if (least > most) [worst, most] = [text, least]
    }
    t.ok(most <= MOST_MS, `${variable}: ${most.toFixed(1)} ms for ${worst.slice(0, 12)}… (${worst.length})`)
  }
})
