/** One client does its worst, and no other is refused. How long they wait is measured in test/long/. */
import t, { type Test } from 'tap'
import { startSiegeNode } from '../../bench/siege-node.ts'
import { hold, SIEGES, type Siege } from '../../bench/sieges.ts'
import { runningClock } from '../fixtures/clock.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'

async function besiege(t: Test, { node }: Pick<Siege, 'node'>): Promise<TestGateway> {
  const environment: Record<string, string> = { TRUSTED_PROXIES: 'loopback' }
  if (node !== 'sandbox') {
    const nodes = await startSiegeNode({ slowMs: 2_500, isLimited: node === 'limited' })
    t.teardown(() => nodes.close())
    environment.SOLANA_RPC_URLS = nodes.url
  }
  // Quotas refill as time passes.
  return listen(t, environment, { clock: runningClock(), limitsAsPublic: node !== 'free' })
}

for (const { attack, ...siege } of SIEGES) {
  t.test(`others are served: ${siege.name}`, async (t) => {
    const gateway = await besiege(t, siege)
    // What a minute brings comes in a second.
    const compressed = { ...attack, perSecond: attack.perSecond && 10 * attack.perSecond }
    const { failures, attacker } = await hold({ ...siege, attack: compressed }, gateway, true, {
      count: 20,
      everyMs: 15,
      leadMs: 300,
    })
    t.same(failures, [])
    t.comment('the attacker got', Object.fromEntries(attacker))
  })
}
