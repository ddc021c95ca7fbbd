/** What Sui's nodes say of its objects, and when it is believed. */
import t, { type Test } from 'tap'
import { FEE_MANAGER_STATE, KNOWN_MAYAN, MCTP_STATE } from '../../../src/proof/sui/mctp.ts'
import { SuiObjects } from '../../../src/proof/sui/objects.ts'
import { idOf, UPGRADED } from '../../../src/sandbox/sui/compose.ts'
import { sui as sandboxSui } from '../../../src/sandbox/sui/node.ts'
import { SuiRpc } from '../../../src/upstream/nodes/sui/rpc.ts'
import { clockOf, handClock } from '../../fixtures/clock.ts'
import { OPTIONS, startProvider } from '../../fixtures/provider.ts'
import { market, OTHER, SUI, USDC } from '../../fixtures/sui.ts'

const COIN = `0x${'7'.repeat(64)}::none::NONE`
const [OLD_MCTP, OLD_FEES] = [[...KNOWN_MAYAN.mctp][0]!, [...KNOWN_MAYAN.feeManager][0]!]
const [NEW_MCTP, NEW_FEES] = [idOf('mctp 2'), idOf('fees 2')]

type Say = (variables: Readonly<Record<string, string>>) => unknown

/** Nodes of several hosts, each with its word; null for one that is down. */
function nodes(words: readonly (Say | null)[]): Pick<SuiRpc, 'voters'> & { asked: number } {
  const rpc = {
    asked: 0,
    voters: words.map((say) => ({
      query: async (_query: string, variables: object) => {
        rpc.asked++
        return say === null ? null : JSON.stringify({ data: say(variables as Record<string, string>) })
      },
    })),
  }
  return rpc
}

const state = (id: string) => ({ asMoveObject: { contents: { json: { latest_package_id: id } } } })
const packages =
  (mctp: string, feeManager: string): Say =>
  () => ({ mctp: state(mctp), feeManager: state(feeManager) })
const coin =
  (id: string): Say =>
  () => ({ coinMetadata: { address: id } })

t.test('a package is known, or is what two nodes say that the state names', async (t) => {
  const upgraded = packages(NEW_MCTP, NEW_FEES)
  const cases: readonly (readonly [title: string, words: readonly (Say | null)[], believed: boolean])[] = [
    ['two that agree', [upgraded, upgraded], true],
    ['one alone', [upgraded], true],
    ['one of two', [upgraded, packages(OLD_MCTP, OLD_FEES)], false],
    ['one of two, the other down', [upgraded, null], false],
    ['two of three', [packages(idOf('evil'), NEW_FEES), upgraded, upgraded], true],
    ['one that names no package', [() => ({ mctp: state('0x'), feeManager: state(NEW_FEES) })], false],
    ['one without the object', [() => ({ mctp: null, feeManager: null })], false],
  ]
  for (const [title, words, believed] of cases) {
    const { mctp, feeManager } = await new SuiObjects(nodes(words)).mayan(OPTIONS)
    t.ok(mctp.has(OLD_MCTP) && feeManager.has(OLD_FEES), title)
    t.equal(mctp.has(NEW_MCTP) && feeManager.has(NEW_FEES), believed, title)
    t.equal(mctp.has(idOf('evil')), false, title)
  }
})

t.test('both states are asked for by their ids, once a minute', async (t) => {
  const asked: object[] = []
  const rpc = nodes([
    (variables) => {
      asked.push(variables)
      return packages(NEW_MCTP, NEW_FEES)(variables)
    },
  ])
  const clock = handClock()
  const objects = new SuiObjects(rpc, clockOf({ now: clock.now }))
  await objects.mayan(OPTIONS)
  await objects.mayan(OPTIONS)
  t.same(asked, [{ mctp: MCTP_STATE, feeManager: FEE_MANAGER_STATE }])
  clock.advance(60_001)
  await objects.mayan(OPTIONS)
  t.equal(asked.length, 2)
})

t.test('a coin that the file does not list is described by what two nodes agree on', async (t) => {
  const [good, evil] = [coin(idOf('metadata')), coin(idOf('evil'))]
  const cases: readonly (readonly [words: readonly (Say | null)[], found: string | null])[] = [
    [[good, good], idOf('metadata')],
    [[coin(idOf('metadata').toUpperCase().replace('0X', '0x')), good], idOf('metadata')],
    [[good], null],
    [[good, evil], null],
    [[good, null], null],
    [[evil, good, good], idOf('metadata')],
    [[() => ({ coinMetadata: null }), () => ({ coinMetadata: null })], null],
  ]
  for (const [words, found] of cases) {
    t.equal(await new SuiObjects(nodes(words)).metadataOf(COIN, OPTIONS), found)
  }
  const rpc = nodes([good, good])
  const objects = new SuiObjects(rpc)
  for (let time = 0; time < 2; time++) await objects.metadataOf(COIN, OPTIONS)
  t.equal(rpc.asked, 2, 'it does not change')
})

t.test("no node changes what the chain's definition says of a coin", async (t) => {
  const rpc = nodes([coin(idOf('evil')), coin(idOf('evil'))])
  const objects = new SuiObjects(rpc)
  t.match(await objects.metadataOf(SUI.address, OPTIONS), /^0x9258181f/)
  t.match(await objects.metadataOf(USDC.address, OPTIONS), /^0x69b7a7c3/)
  t.equal(rpc.asked, 0)
})

const [[VERSION, ORIGIN]] = [...UPGRADED] as [[string, string]]
const origin =
  (id: string | null): Say =>
  () => ({ package: id === null ? null : { address: id } })

t.test('a package that no table has is a version of what two nodes say, if that is listed', async (t) => {
  const [good, evil] = [origin(ORIGIN), origin(idOf('evil'))]
  const cases: readonly (readonly [words: readonly (Say | null)[], believed: boolean])[] = [
    [[good, good], true],
    [[origin(ORIGIN.toUpperCase().replace('0X', '0x')), good], true],
    [[evil, good, good], true],
    [[good], false],
    [[good, evil], false],
    [[good, null], false],
    [[good, origin(null)], false],
    [[evil, evil], false],
    [[origin(VERSION), origin(VERSION)], false],
  ]
  for (const [words, believed] of cases) {
    const found = await new SuiObjects(nodes(words)).upgrades([VERSION], OPTIONS)
    t.same([...found], believed ? [[VERSION, ORIGIN]] : [])
  }
  const rpc = nodes([good, good])
  const objects = new SuiObjects(rpc)
  for (let time = 0; time < 2; time++) await objects.upgrades([VERSION], OPTIONS)
  t.equal(rpc.asked, 2, 'it does not change')
  t.equal((await objects.upgrades([], OPTIONS)).size, 0)
  const many = Array.from({ length: 9 }, (_, i) => idOf(`package ${i}`))
  t.equal((await objects.upgrades(many, OPTIONS)).size, 0, 'more than a route has')
  t.equal(rpc.asked, 2)
})

async function node(t: Test): Promise<string> {
  const { url } = await startProvider(t, sandboxSui)
  return `${url}/graphql`
}

t.test("the sandbox's nodes answer as the chain does", async (t) => {
  const [one, two] = [await node(t), (await node(t)).replace('127.0.0.1', 'localhost')]
  const rpc = new SuiRpc({ urls: [one, two] })
  t.teardown(() => rpc.close())
  t.equal(rpc.voters.length, 2)
  const objects = new SuiObjects(rpc)
  t.match(await objects.mayan(OPTIONS), KNOWN_MAYAN)
  const other = market
    .tokens('sui')
    .find(({ address }) => ![SUI, USDC, OTHER].some((one) => one.address === address))!
  t.match(await objects.metadataOf(other.address, OPTIONS), /^0x[0-9a-f]{64}$/)
  t.same(await objects.upgrades([...UPGRADED.keys(), idOf('unknown')], OPTIONS), UPGRADED)
  const wallet = `0x${'5a'.repeat(32)}`
  t.equal(await rpc.balance(wallet, USDC.address, OPTIONS), 1_000_000n * 10n ** 6n)
  t.equal(await rpc.balance(wallet.replace(/..$/, '00'), USDC.address, OPTIONS), 0n)
  t.equal(await rpc.balance(wallet, COIN, OPTIONS), 0n)
})
