/**
 * The same through whole gateways over loopback, with the sandbox's own dials: every provider that builds steals or offers
 * little, from the quote on or from the build on, while a node is down or a source of prices lies.
 */
import t from 'tap'
import { type Excuses, handedCrossChain, handedSwap, Judge } from '../../fixtures/classes/judge/judge.ts'
import { ROUTES, type Route } from '../../fixtures/classes/routes.ts'
import { World } from '../../fixtures/classes/world.ts'
import { listen, type TestGateway } from '../../fixtures/gateway.ts'
import { fund, getCrossChain, getQuote, postBuild } from '../../fixtures/swaps.ts'
import { stealInAllWays } from '../../fixtures/theft/all.ts'

stealInAllWays(t)

/** Thefts in a row, with each of what happens beside them. */
const THEFTS = 5
const BESIDE: readonly (readonly [name: string, fault: string] | null)[] = [
  null,
  ['node', '500'],
  ['node', 'garbage'],
  ['dexscreener', 'lies'],
]
/** A wallet of the gateway's own sandbox has lamports only, and where a router server is, no gateway knows before it starts. */
const ROUTES_HERE = ROUTES.filter(
  ({ title, provider }) => title !== 'xprov, USDC from Solana' && provider !== 'router',
)

const judge = new Judge(await World.start())

async function turn({ sandbox }: TestGateway, name: string, fault: string | null): Promise<void> {
  const body = JSON.stringify({ fault })
  const { status } = await fetch(`${sandbox!.control}/faults/${name}`, { method: 'PUT', body })
  if (status !== 200) throw new Error(`The dial of ${name} could not be turned to ${fault}: ${status}.`)
}

/**
 * @param onLater  between the quote and the build
 * @returns why it hurts; null if it was refused
 */
async function ask(
  gateway: TestGateway,
  route: Route,
  excuses: Excuses,
  onLater: () => Promise<void>,
): Promise<readonly string[] | null> {
  const { url } = gateway
  const { order, kind } = route
  const terms = judge.termsOf(route)
  if (kind === 'cross-chain') {
    await onLater()
    const response = await getCrossChain(url, order)
    if (response.status !== 200) return null
    return judge.verdict(route, handedCrossChain(terms, await response.text())!, excuses)
  }
  const response = await getQuote(url, order)
  if (response.status !== 200) return null
  const quote = await response.json()
  await onLater()
  const built = await postBuild(url, { ...order, quote })
  if (built.status !== 200) return null
  return judge.verdict(route, handedSwap(terms, quote as never, (await built.json()) as never), excuses)
}

const nothing = async (): Promise<void> => {}

for (const route of ROUTES_HERE) {
  t.test(route.title, { timeout: 300_000 }, async (t) => {
    let [refused, letOut] = [0, 0]
    for (const beside of BESIDE) {
      const gateway = await listen(t, { ...route.environment, LIMITS: 'swap=off' })
      await fund(gateway.sandbox!.solanaRpc)
      let asked = 0
      // Other amounts, so that nothing is answered from before.
      const anew = (): Route => ({
        ...route,
        order: { ...route.order, amount: `${route.order.amount}${dot(route)}0${++asked}` },
      })
      t.same(await ask(gateway, anew(), {}, nothing), [], 'what is honest is let out, and hurts nobody')
      if (beside !== null) {
        const [name, fault] = beside
        await turn(gateway, name === 'node' ? route.nodes[0]! : name, fault)
      }
      const excuses = { mayBeUnpriced: beside?.[1] === 'lies' && route.isHardlyPriced }
      const attempt = async (fault: string, isLater: boolean): Promise<void> => {
        const begin = () => turn(gateway, route.provider, fault)
        if (!isLater) await begin()
        const why = await ask(gateway, anew(), excuses, isLater ? begin : nothing)
        if (why === null) refused++
        else letOut++
        t.same(why ?? [], [], `${fault} ${isLater ? 'later' : ''} ${beside}`)
        await turn(gateway, route.provider, null)
      }
      for (let i = 0; i < THEFTS; i++) await attempt('steal', i % 2 === 1)
      for (const isLater of [false, true]) await attempt('cheap', isLater)
    }
    t.ok(refused > letOut, `${refused} refused, ${letOut} let out`)
  })
}

/** What makes more digits a part of the same amount. */
const dot = ({ order }: Route): string => (String(order.amount).includes('.') ? '' : '.')
