import t from 'tap'
import { type PartSource, type Security, UNKNOWN_FLAGS } from '../../../src/providers/market/market.ts'
import { ListEntry } from '../../../src/research/list/list-entry.ts'
import { marketCalls } from '../../../src/research/list/market-calls.ts'
import { securityChecks } from '../../../src/research/list/security-checks.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { loggerTo } from '../../../src/runtime/log.ts'
import { clockOf } from '../../fixtures/clock.ts'

const MINUTE = 60_000
const TOKEN = { chain: 'base', address: '0x1111111111111111111111111111111111111111' }
const HYPER = { ...TOKEN, chain: 'hyperevm' }
const FOUND: Security = { at: 7, facts: {}, flags: { ...UNKNOWN_FLAGS, honeypot: true } }

/** Checks by a clock that the test moves, and which source was asked about which chain. */
function checksOf(sources: Readonly<Record<string, [chains: string[], Partial<PartSource<'security'>>]>>) {
  const asked: string[] = []
  const clock = { ms: 1 }
  const providers = Object.entries(sources).map(([label, [chains, source]]) => {
    const recording =
      (name: string, ask: PartSource<'security'>['ask']): PartSource<'security'>['ask'] =>
      (token, options) => {
        asked.push(`${label}${name} ${token.chain}`)
        return ask(token, options)
      }
    const { ask = async () => FOUND, askBriefly } = source
    const security: PartSource<'security'> = {
      keepMs: MINUTE,
      ...source,
      ask: recording('', ask),
      ...(askBriefly && { askBriefly: recording(' briefly', askBriefly) }),
    }
    return { label, chains: new Set(chains), parts: { security } }
  })
  const log = loggerTo({ write: () => {} }, 'info')
  const checkDue = securityChecks(providers, marketCalls(log, CLOCK, 1_000), clockOf({ now: () => clock.ms }))
  const entries = [new ListEntry(TOKEN), new ListEntry(HYPER)]
  const check = async (): Promise<string[]> => {
    asked.length = 0
    await checkDue(entries, 5)
    return [...asked].sort()
  }
  return { check, clock, entries }
}

t.test('a scarce source is asked only where no other looks', async (t) => {
  const { check, entries } = checksOf({
    gecko: [['base', 'hyperevm'], { isScarce: true }],
    plus: [['base'], {}],
  })
  t.same(await check(), ['gecko hyperevm', 'plus base'])
  t.same(
    entries.map(({ isListed }) => isListed),
    [false, false],
  )
})

t.test('what the gate needs is asked for in brief, where that is to be had', async (t) => {
  const { check } = checksOf({ rug: [['base'], { askBriefly: async () => FOUND }] })
  t.same(await check(), ['rug briefly base'])
})

t.test(
  'a finding is kept for half an hour, a failure for two minutes, a partial one for 15 seconds',
  async (t) => {
    const failing = async () => {
      throw new GatewayError('upstream_timeout', 'Late.')
    }
    const { check, clock, entries } = checksOf({
      whole: [['base'], {}],
      partial: [['base'], { isPartial: () => true }],
      failing: [['base'], { ask: failing }],
    })
    t.equal((await check()).length, 3)
    t.notOk(entries[0]!.isListed, 'what is known is used')
    const later: [ms: number, asked: string[]][] = [
      [14_000, []],
      [16_000, ['partial base']],
      [2 * MINUTE + 1_000, ['failing base', 'partial base']],
      [30 * MINUTE + 1_000, ['failing base', 'partial base', 'whole base']],
    ]
    for (const [ms, asked] of later) {
      clock.ms = 1 + ms
      t.same(await check(), asked, `${ms}`)
    }
  },
)
