/**
 * What quotes say of how long they hold, in the sandbox's market, and how many of them build. Every quote is built when its
 * time is over, by the gateway's own quotes and builds.
 */
import t, { type Test } from 'tap'
import { nullIfRefused } from '../../../src/runtime/errors.ts'
import { type Asked, promisedMarket } from '../../fixtures/promised.ts'

/** Quotes that say how long they hold, of each market: fewer show too little. */
const QUOTES = 10_000
/** Of the markets. */
const SEEDS = [11, 12, 13]
/** The classes of the figures that are compared, per mille. */
const CLASSES = [500, 800, 900, 950, 1_000]
/** A class with fewer than one quote in this many shows little. */
const LEAST = 25
const TOLERANCE = 20
/** The quotes of one market share its moves. */
const TOLERANCE_OF_ONE = 30
/** Between two quotes of an order, on average. */
const GAP_MS = 30_000
const SLIPPAGES = [3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80]
/** Of the quotes, that many are built: those of a moment have the same move of the market. */
const BUILT = 0.5

/** From 0 to below 1. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

interface Promised {
  readonly perMille: number
  readonly isKept: boolean
}

async function promises(seed: number): Promise<readonly Promised[]> {
  const world = promisedMarket(seed)
  const random = randomOf(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const orders = world.tokens
    .filter(({ isNative, symbol }) => !isNative && symbol !== 'WETH')
    .slice(0, 8)
    .flatMap(({ address: token }) => [
      { side: 'buy' as const, token, amount: '0.1' },
      { side: 'sell' as const, token, amount: '100' },
    ])
  const due: { readonly at: number; readonly run: () => Promise<void> }[] = []
  const found: Promised[] = []
  for (let at = 0; found.length < QUOTES; at += (-Math.log(1 - random()) * GAP_MS) / orders.length) {
    while (due[0] !== undefined && due[0].at <= at) {
      const { at, run } = due.shift()!
      world.moveTo(at)
      await run()
    }
    world.moveTo(at)
    const asked: Asked = { ...pick(orders), slippageBps: pick(SLIPPAGES) }
    const client = `client ${Math.floor(random() * 50)}`
    const quote = await world.quote(asked, client).catch(nullIfRefused)
    const holds = quote?.holds ?? null
    if (quote === null || holds === null || random() > BUILT) continue
    const run = async () => {
      const isKept = await world.builds(asked, quote, client)
      found.push({ perMille: Math.round(holds.probability * 1_000), isKept })
    }
    due.push({ at: holds.untilMs - world.startedAt, run })
  }
  return found
}

/** Holds what was said of the quotes of each class against how many of them build, per mille. */
function compare(t: Test, all: readonly Promised[], tolerance: number): void {
  for (const [i, from] of CLASSES.slice(0, -1).entries()) {
    const below = CLASSES[i + 1]!
    const own = all.filter(({ perMille }) => perMille >= from && perMille < below)
    if (own.length < all.length / LEAST) continue
    const said = Math.round(own.reduce((sum, { perMille }) => sum + perMille, 0) / own.length)
    const kept = Math.round((1_000 * own.filter(({ isKept }) => isKept).length) / own.length)
    const figures = `${from} to ${below}: ${own.length} said ${said}, ${kept} of 1000 build`
    t.ok(Math.abs(kept - said) <= tolerance, figures)
    t.comment(figures)
  }
}

t.test('of quotes that say how long they hold, as many build as they say', async (t) => {
  const all: Promised[] = []
  for (const seed of SEEDS) {
    const own = await promises(seed)
    t.comment(`market ${seed}`)
    compare(t, own, TOLERANCE_OF_ONE)
    all.push(...own)
  }
  t.comment('together')
  compare(t, all, TOLERANCE)
  const said = all.filter(({ perMille }) => perMille >= 900 && perMille < 950)
  t.ok(said.length >= all.length / LEAST, 'the class that decides is among them')
})
