/**
 * Attacks that are drawn by the seed of the run, of each class and against each family, and the judge that they are held
 * against. `npm run test:long` tries a hundred thousand of them.
 */

import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Material } from '../../../src/proof/terms/material.ts'
import { CLASS_NAMES } from '../../fixtures/classes/attacks.ts'
import { THIEVES } from '../../fixtures/classes/changes.ts'
import { askHonestly, rowsOf, tryDraws } from '../../fixtures/classes/draw.ts'
import { type Handed, Judge } from '../../fixtures/classes/judge/judge.ts'
import { materialIn } from '../../fixtures/classes/material-in.ts'
import { OWN_ROUTES, ROUTES } from '../../fixtures/classes/routes.ts'
import { World } from '../../fixtures/classes/world.ts'
import { SEED } from '../../fixtures/fast-check.ts'

const SAMPLE = 91

const world = await World.start()
const judge = new Judge(world)

t.test('no attack that is drawn costs the wallet more than it agreed to', async (t) => {
  const tallies = await tryDraws(world, judge, { seed: SEED, count: SAMPLE })
  const rows = rowsOf([[...tallies.values()]])
  t.same(
    [...tallies.values()].flatMap(({ hurt }) => hurt),
    [],
    `seed ${SEED}`,
  )
  for (const [name, tried, refused, harmless] of rows) {
    t.ok(tried! >= 5, name)
    t.equal(refused! + harmless!, tried, name)
  }
  const [, tried, refused, harmless] = rows.at(-1)!
  t.equal(tried, SAMPLE)
  t.ok(refused! > SAMPLE / 3 && harmless! > SAMPLE / 20, `${refused} refused, ${harmless} harmless`)
})

t.test('a draw is the same again', async (t) => {
  const [once, again] = [
    await tryDraws(world, judge, { seed: 7, count: 13 }),
    await tryDraws(world, judge, { seed: 7, count: 13 }),
  ]
  t.same([...again!.values()], [...once!.values()])
  const other = await tryDraws(world, judge, { seed: 8, count: 13 })
  t.notSame([...other.values()], [...once!.values()])
})

t.test('the documented run has these classes, and let nothing harmful out', async (t) => {
  const path = new URL('../../../scripts/docs/classes.json', import.meta.url)
  const rows = JSON.parse(readFileSync(path, 'utf8')) as ReturnType<typeof rowsOf>
  t.same(
    rows.map(([name]) => name),
    [...CLASS_NAMES, 'all'],
  )
  for (const [name, tried, refused, harmless, hurt] of rows) {
    t.equal(refused! + harmless! + hurt!, tried, name)
    t.equal(hurt, 0, name)
  }
  t.equal(rows.at(-1)![1], 100_000)
})

/** Thefts that cost nothing beyond what was agreed, or that fail when they are executed. */
const HARMLESS: ReadonlySet<string> = new Set([
  // The minimum stands.
  'takes a fee',
  'keeps what is above the minimum',
  'takes the surplus',
  'keeps what is above the quote',
  'hides bytes behind the call',
  'leaves the router without gas',
  'lets a stranger have its fee',
  'takes the capped surplus',
  'takes the surplus for a referrer',
  'shares the surplus',
  'takes fees of tokens that are free of them',
  'takes all surplus',
  'takes all surplus for itself',
  'never ends',
  "swaps in a stranger's pool",
  "swaps in a stranger's pool, unchecked",
  // There is no such amount, coin or account when it comes to it.
  'takes all of the token',
  'sells twice as much',
  'swaps twice',
  'wraps more than is sold',
  'closes a token account for a stranger',
  'lets a stranger spend without an end',
  'gives a token account to a stranger',
  'calls the token that is sold',
  'splits ten times as much off',
  'calls code that nobody knows',
  'shares what was split',
  'buys another coin',
  'promises next to nothing',
  'publishes code',
  'keeps it as a fee',
  'lets who redeems take it',
  'tells the fee manager less',
  "sends a part, and the rest into a stranger's pool",
  'sends a coin of its choice',
  'burns what another call gave',
  // Of these objects the chain knows the type and the owner, as the ledger does not.
  'burns by the authority of others',
  'has a state of its own',
  'burns as another coin',
  // Less than the lamports that opening accounts may cost.
  'takes a bps that it did not state',
  // The wallet does not sign it.
  'has somebody else pay, and sign',
  'is sent by somebody else',
  // In the words beside, not in the material.
  'burns native coins as gas',
])
const isScaling = (what: string): boolean => / decimals less/.test(what)

t.test('what the tables find is seen where nothing is proved', async (t) => {
  for (const route of ROUTES) {
    const { answers, handed } = await askHonestly(world, judge, route)
    t.same(judge.verdict(route, handed), [], `${route.title}: what is honest hurts nobody`)
    const terms = judge.termsOf(route)
    const seen: string[] = []
    const missed: string[] = []
    for (const { text } of answers.values()) {
      const body = JSON.parse(text)
      if (Array.isArray(body)) continue
      for (const { what, rob, isSpelling } of THIEVES[route.provider]!(body)) {
        if (isSpelling || isScaling(what)) continue
        const why = judge.hurts(route, materialIn(route.provider, rob(), terms)!, handed.minOut)
        if (why.length > 0) seen.push(what)
        else if (!HARMLESS.has(what)) missed.push(what)
      }
    }
    t.same(missed, [], route.title)
    t.ok(seen.length >= 5, `${route.title}: ${seen.length} are seen`)
  }
})

t.test('what the gateway writes itself hurts nobody', async (t) => {
  for (const route of OWN_ROUTES) {
    const { handed } = await askHonestly(world, judge, route)
    t.same(judge.verdict(route, handed), [], route.title)
  }
})

t.test('nor does a node that lies, or is down, to what the gateway writes itself', async (t) => {
  const classes = ['a node lies too', 'a node is down too']
  const tallies = await tryDraws(world, judge, { seed: SEED, count: 60, routes: OWN_ROUTES, classes })
  for (const { name, tried, refused, harmless, hurt } of tallies.values()) {
    t.same(hurt, [], name)
    t.ok(tried >= 15 && refused + harmless === tried, `${name}: ${refused} of ${tried} are refused`)
  }
})

t.test('and so is a gateway that does not prove what it hands out', async (t) => {
  world.isTrusting = true
  t.teardown(() => {
    world.isTrusting = false
  })
  const routes = ROUTES.filter(({ title }) => title === 'kyberswap, USDC for ETH')
  const classes = ['two or three thefts from the table']
  const tallies = await tryDraws(world, judge, { seed: SEED, count: 12, routes, classes })
  const stolen = tallies.get(classes[0]!)!
  t.ok(stolen.hurt.length >= stolen.tried / 2, `${stolen.hurt.length} of ${stolen.tried}`)
  t.match(stolen.hurt[0], { route: 'kyberswap, USDC for ETH', did: [String, String], why: [String] })
})

t.test('and one without a price floor', async (t) => {
  const [route] = ROUTES.filter(({ title }) => title === 'velora, ETH for USDC')
  const routes = [{ ...route!, environment: { ...route!.environment, PRICE_FLOOR_BPS: '10000' } }]
  const classes = ['a cheap offer']
  const tallies = await tryDraws(world, judge, { seed: SEED, count: 12, routes, classes })
  const { hurt } = tallies.get(classes[0]!)!
  t.ok(hurt.length > 0)
  t.match(hurt[0], { why: ['offers far too little'] })
})

t.test('untrue words hurt as much as bytes', async (t) => {
  const route = ROUTES.find(({ title }) => title === 'kyberswap, ETH for USDC')!
  const { handed } = await askHonestly(world, judge, route)
  const [[human, units, decimals]] = handed.figures as [Handed['figures'][number]]
  const { material } = handed as { material: Material & { kind: 'evm' } }
  const rows: readonly (readonly [what: string, change: Partial<Handed>, why: RegExp])[] = [
    [
      'ten times the amount',
      { figures: [[Number(human) * 10, units, decimals]] },
      /^shows 15 where it is 1.5$/,
    ],
    ['no minimum', { minOut: 0n }, /^has no minimum$/],
    ['a minimum above the output', { minOut: handed.expectedOut + 1n }, /^has no minimum$/],
    ['a hundredth', { minOut: handed.minOut / 100n }, /^offers far too little$/],
    ['no price', { unpriced: true }, /^has no price$/],
    ['another height', { height: 1 }, /^is given up too early, or too late$/],
    ['gas that is a drain', { gas: 10n ** 18n }, /^burns coins as gas$/],
    ['leading zeros', { texts: ['{"value":"0001"}'] }, /^value: 0001$/],
    [
      'a stranger in a name',
      { texts: ['{"to":"0x00000000000000000000000000000000DeaDBeef"}'] },
      /^a thief's address$/,
    ],
    ['another chain', { material: { ...material, chainId: 1 } }, /^is for another wallet, or another chain$/],
    [
      'a minimum that the bytes do not have',
      { minOut: handed.minOut + 1n },
      /^may give less than the minimum$/,
    ],
  ]
  for (const [what, change, why] of rows) {
    const found = judge.verdict(route, { ...handed, ...change })
    t.ok(
      found.some((one) => why.test(one)),
      `${what}: ${found}`,
    )
  }
  t.same(
    judge.verdict(route, { ...handed, unpriced: true }, { mayBeUnpriced: true }),
    [],
    'where the sources do not agree, it is said',
  )
})
