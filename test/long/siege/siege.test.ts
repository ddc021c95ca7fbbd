/** How long others wait while one client does its worst. The full times are `npm run siege`. */
import t, { type Test } from 'tap'
import { startSiegeNode } from '../../../bench/load/siege-node.ts'
import { begin, hold, SIEGES, type Siege } from '../../../bench/load/sieges.ts'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { DEADLINES } from '../../../src/swap/deadlines.ts'
import { slowness } from '../../fixtures/cpu.ts'
import { listen, type TestGateway } from '../../fixtures/gateway.ts'

/** Generous, for a busy machine: the exact figures are the long versions'. */
const BOUND_MS = 1_500

async function besiege(t: Test, { node }: Pick<Siege, 'node'>): Promise<TestGateway> {
  const environment: Record<string, string> = { TRUSTED_PROXIES: 'loopback' }
  if (node !== 'sandbox') {
    const nodes = await startSiegeNode({ slowMs: 2_500, isLimited: node === 'limited' })
    t.teardown(() => nodes.close())
    environment.SOLANA_RPC_URLS = nodes.url
  }
  return listen(t, environment, { clock: CLOCK, deadlines: DEADLINES, limitsAsPublic: node !== 'free' })
}

for (const { attack, ...siege } of SIEGES) {
  t.test(`others do not notice: ${siege.name}`, async (t) => {
    const gateway = await besiege(t, siege)
    // What a minute brings comes in a second.
    const compressed = { ...attack, perSecond: attack.perSecond && 10 * attack.perSecond }
    const { failures, count, p95, attacker } = await hold(siege, gateway, begin(gateway.url, compressed), {
      count: 30,
      everyMs: 15,
      leadMs: 700,
    })
    t.same(failures, [])
    t.comment('the attacker got', Object.fromEntries(attacker))
    t.ok(p95 < BOUND_MS * slowness(), `the slowest of ${count} but a twentieth took ${Math.round(p95)} ms`)
  })
}
