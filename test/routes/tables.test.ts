/** Tables that the chains contradict, through a whole gateway: the sandbox moves rows of LI.FI's registry. */

import t, { type Test } from 'tap'
import { EVM_CHAINS } from '../../src/chains/find.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/index.ts'
import { Market } from '../../src/sandbox/market/market.ts'
import { handClock, until } from '../fixtures/clock.ts'
import { listen } from '../fixtures/gateway.ts'
import { stealInAllWays } from '../fixtures/theft/all.ts'

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const TEN = EVM_CHAINS.filter(({ xprovContract }) => xprovContract !== null).slice(0, 10)

/** A gateway with nodes of a sandbox that the test holds. @param nodes  of each chain */
async function start(t: Test, nodes: number) {
  const clock = handClock()
  const sandbox: Sandbox = await startSandbox({ now: clock.date, nodes })
  t.teardown(() => sandbox.close())
  const rpc = Object.fromEntries(
    EVM_CHAINS.map(({ key }) => [
      `RPC_URLS_${key.toUpperCase()}`,
      sandbox.evmUrls(key).slice(0, nodes).join(),
    ]),
  )
  const { url, adminUrl, log } = await listen(
    t,
    {
      ...rpc,
      XPROV_URL: sandbox.urls.xprov!,
      SOLANA_RPC_URLS: sandbox.solanaUrl,
      RPC_URLS_SUI: sandbox.suiUrl,
      RPC_URLS_TON: sandbox.tonUrls.join(),
      ADMIN_PORT: '0',
      MIN_VERIFICATION: 'simulated',
    },
    { clock },
  )
  const market = new Market()
  return {
    sandbox,
    clock,
    log,
    async order(chain: string) {
      const usdc = market.tokens(chain).find(({ symbol }) => symbol === 'USDC')!.address
      const asked = new URLSearchParams({
        fromChain: chain,
        toChain: chain,
        toToken: usdc,
        amount: '0.5',
        from: WALLET,
      })
      const reply = await fetch(`${url}/api/xquote?${asked}`)
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
    },
    async tables() {
      const { tables } = (await (await fetch(`${url}/api/diagnostics`)).json()) as {
        tables: { name: string; rows: number; checkedAt: string | null; stale: { chain: string }[] }[]
      }
      return tables
    },
    metrics: async () => (await fetch(`${adminUrl}/metrics`)).text(),
  }
}

t.test('ten rows that move refuse no honest order, and no unregistered address is accepted', async (t) => {
  const { sandbox, order } = await start(t, 2)
  sandbox.dials.set('lifi-registry', 'moved', { rows: 10 })
  for (const { key } of TEN) {
    const { status, body } = await order(key)
    t.equal(status, 200, `${key}: ${JSON.stringify(body).slice(0, 200)}`)
  }
  stealInAllWays(t)
  sandbox.dials.set('xprov', 'steal')
  const thefts = new Set<unknown>()
  for (let i = 0; i < 200 && !thefts.has('collects the fee itself'); i++) {
    const { status, body } = await order('base')
    t.notMatch(body, { transactionRequest: {} }, `refused ${status}`)
    thefts.add(sandbox.dials.get('xprov')?.theft)
  }
  t.ok(thefts.has('collects the fee itself'), [...thefts].join())
})

t.test('what one node says of the registry is not taken', async (t) => {
  const { sandbox, order } = await start(t, 1)
  t.equal((await order('base')).status, 200, 'as in the table')
  sandbox.dials.set('lifi-registry', 'moved')
  t.match(await order('base'), { status: 502, body: { code: 'material_refused', rule: 'fees' } })
})

t.test('stale rows are in the diagnostics, the metrics and the log, with their time', async (t) => {
  const { sandbox, clock, log, tables, metrics } = await start(t, 2)
  t.same(
    (await tables()).map(({ checkedAt, stale }) => [checkedAt, stale]),
    (await tables()).map(() => [null, []]),
  )
  t.match(await metrics(), /swapgate_table_row_stale\{table="lifi_registry"\} 0\n/)
  t.match(await metrics(), /swapgate_table_checked_timestamp_seconds\{table="ston_routers"\} 0\n/)
  sandbox.dials.set('lifi-registry', 'moved', { rows: 10 })
  clock.advance(30_000)
  const rows = (await tables()).reduce((sum, table) => sum + table.rows, 0)
  for (let i = 0; i < rows; i++) {
    await until(() => clock.dueIn(2_000) === 1)
    clock.advance(2_000)
  }
  await until(() => clock.dueIn(3_600_000) === 1)
  const found = await tables()
  const stale = found.flatMap(({ name, stale }) => stale.map(({ chain }) => [name, chain]))
  t.same(
    stale,
    TEN.map(({ key }) => ['lifi_registry', key]),
  )
  t.match(await metrics(), /swapgate_table_row_stale\{table="lifi_registry"\} 10\n/)
  t.equal(log.filter(({ msg }) => msg === 'a row of a table is stale').length, 10)
  const unanswered = found.flatMap(({ name, checkedAt }) => (checkedAt === null ? [name] : []))
  t.same(unanswered, ['jito_tips'], 'no transaction goes to Jito')
})
