import t from 'tap'
import { EVM_CHAINS } from '../../../src/chains/find.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { type TableRow, type TableSources, tableRows } from '../../../src/swap/tables/rows.ts'

const ROWS = tableRows()
const TABLES = [...new Set(ROWS.map(({ table }) => table))]
const NEW = `0x${'ab'.repeat(20)}`
const word = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

const rowsOf = (table: string): readonly TableRow[] => ROWS.filter((row) => row.table === table)
const rowOf = (table: string): TableRow => rowsOf(table)[0]!
const renewed = <T>(value: T) => ({ renew: async () => value })
const fails = (): never => {
  throw new GatewayError('upstream_failed', 'The node failed.')
}
const as = (sources: object): TableSources => sources as TableSources

t.test('each row stands once, on a chain, and every EVM chain has its rows', async (t) => {
  const names = ROWS.map(({ table, chain, key }) => `${table} ${chain} ${key.toLowerCase()}`)
  t.equal(new Set(names).size, names.length)
  t.ok(ROWS.length > 200, `${ROWS.length} rows`)
  t.equal(TABLES.length, 17)
  for (const { key } of EVM_CHAINS) {
    for (const table of ['wrapped_native', 'multicall3'])
      t.ok(
        rowsOf(table).some(({ chain }) => chain === key),
        `${table} on ${key}`,
      )
  }
})

type Node = () => string
const evm = (...nodes: readonly Node[]) =>
  as({
    evm: () => ({ voters: nodes.map((node) => ({ code: async () => node(), call: async () => node() })) }),
  })

t.test('a contract is gone if two nodes say so, or the only one that answers', async (t) => {
  const row = rowOf('kyberswap_router')
  const [here, gone] = [() => '0x60', () => '0x']
  t.equal(await row.check(evm(here)), null)
  t.equal(await row.check(evm(gone, here)), null)
  t.equal(await row.check(evm(gone, fails, here)), null)
  t.match(await row.check(evm(gone, gone, here)), /no contract/)
  t.match(await row.check(evm(fails, gone)), /no contract/)
  await t.rejects(row.check(evm(fails, fails)), { code: 'upstream_unusable' })
})

t.test('an executor may be on either chain', async (t) => {
  const only = (chain: string) =>
    as({ evm: (key: string) => ({ voters: [{ code: async () => (key === chain ? '0x60' : '0x') }] }) })
  const row = rowOf('kyberswap_executors')
  t.equal(await row.check(only('ethereum')), null)
  t.equal(await row.check(only('arbitrum')), null)
  t.match(await row.check(only('base')), /no contract/)
})

t.test("routers name the chain's wrapped coin, and V3's contracts their factory", async (t) => {
  const row = rowOf('v2_routers')
  const { wrappedNative, v3: contracts } = EVM_CHAINS.find(({ key }) => key === row.chain)!
  const v3 = contracts['uniswap-v3']
  t.equal(await row.check(evm(() => word(wrappedNative))), null)
  for (const other of [() => word(NEW), () => '0x', () => `${word(wrappedNative)}00`, () => null as never])
    t.match(await row.check(evm(other)), `does not name ${wrappedNative}`)
  const [router, quoter] = rowsOf('v3_contracts')
  t.same([router!.key, quoter!.key], [v3!.router, v3!.quoter])
  const naming = (factory: string) =>
    as({
      evm: () => ({
        voters: [
          {
            call: async (_to: string, selector: string) =>
              word(selector === '0xc45a0155' ? factory : wrappedNative),
          },
        ],
      }),
    })
  for (const one of [router!, quoter!]) {
    t.equal(await one.check(naming(v3!.factory)), null)
    t.match(await one.check(naming(NEW)), `does not name ${v3!.factory}`)
  }
})

t.test("a fee contract that the registry names in addition to the table's is reported", async (t) => {
  const [forwarder, collector] = rowsOf('lifi_registry')
  const naming = (named: object | null) => as({ periphery: { at: () => renewed(named) } })
  t.match(await forwarder!.check(naming({ forwarder: NEW, collector: null })), NEW)
  t.equal(await collector!.check(naming({ forwarder: NEW, collector: null })), null)
  t.match(await collector!.check(naming({ forwarder: null, collector: NEW })), NEW)
  const known = '0xce40449b773a3e6e5e769adb4e567179d4828cbd'
  t.equal(await forwarder!.check(naming({ forwarder: known, collector: null })), null)
  await t.rejects(forwarder!.check(naming(null)), { code: 'upstream_unusable' })
})

t.test('a bridge, a tip account, a program, a package and a router are asked for at their own', async (t) => {
  const bridge = rowOf('lifi_bridges')
  t.equal(await bridge.check(as({ bridges: renewed(new Set([bridge.key])) })), null)
  t.match(await bridge.check(as({ bridges: renewed(new Set(['hop'])) })), /no bridge/)
  await t.rejects(bridge.check(as({ bridges: null })), { code: 'upstream_unusable' })

  const tip = rowOf('jito_tips')
  t.equal(await tip.check(as({ jitoTips: renewed(new Set([tip.key])) })), null)
  t.match(await tip.check(as({ jitoTips: renewed(new Set(['other'])) })), /does not list/)
  await t.rejects(tip.check(as({ jitoTips: null })), { code: 'upstream_unusable' })

  const program = rowOf('solana_programs')
  const account = (value: unknown) =>
    as({
      solana: {
        voters: [{ read: async () => ({ result: Buffer.from(JSON.stringify({ context: {}, value })) }) }],
      },
    })
  t.equal(await program.check(account({ executable: true, owner: 'x' })), null)
  t.match(await program.check(account({ executable: false })), /no program/)
  t.match(await program.check(account(null)), /no program/)

  const [one, other] = rowsOf('sui_packages')
  const versions = (found: unknown) =>
    as({ sui: { voters: [{ query: async () => JSON.stringify({ data: { package: found } }) }] } })
  const after = (...addresses: string[]) => ({
    packageVersionsAfter: { nodes: addresses.map((address) => ({ address })) },
  })
  t.equal(await one!.check(versions(after())), null)
  t.equal(await one!.check(versions(after(other!.key))), null, 'the table has the upgrade')
  t.match(await one!.check(versions(after('0xfeed'))), /newest version is 0xfeed/)
  t.match(await one!.check(versions(null)), /no package/)
  await t.rejects(one!.check(as({ sui: { voters: [{ query: async () => null }] } })), {
    code: 'upstream_unusable',
  })

  const router = rowOf('ston_routers')
  const running = (hash: string | null) => as({ ton: { codeOf: async () => hash } })
  t.equal(
    await router.check(running('276f7c2058931d4685750a9856a5ac2dfa04d1b83c932d1e429fa3ceecd42faf')),
    null,
  )
  t.match(await router.check(running('ab'.repeat(32))), /other code/)
  await t.rejects(router.check(running(null)), { code: 'upstream_unusable' })
})
