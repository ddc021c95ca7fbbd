/**
 * What a tool passes on from the gateway's answer: the members named here, each of its own type. Everything
 * else is left out, such as the gateway's own `verified`; a missing or mistyped member is null, which means
 * unknown.
 */
import { printable } from '../../runtime/shown.ts'
import shapes from './result-shapes.json' with { type: 'json' }

/**
 * A text may be hostile, such as a token's name that addresses the agent: it is cut, and cannot end its line.
 */
const MAX_TEXT = 200
const MAX_ITEMS = 100

/** Reads one value; null if it isn't of its type. */
type Shape = (value: unknown) => unknown

const text: Shape = (value) => (typeof value === 'string' ? printable(value, MAX_TEXT) : null)
const listOf =
  (item: Shape): Shape =>
  (value) =>
    Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(item) : null

const KINDS: Readonly<Record<string, Shape>> = {
  '#': (value) => (Number.isFinite(value) ? value : null),
  '?': (value) => (typeof value === 'boolean' ? value : null),
  '*': listOf(text),
  '~': (value) => text(JSON.stringify(value ?? undefined)),
}

/**
 * @param notation  of an object's members: `name` is a text, `name#` a number, `name?` a flag, `name*` a list of texts,
 *                  `name~` anything, as JSON; `name{…}` is an object and `name[…]` a list of such
 */
const shapeOf = (notation: string): Shape => membersIn(notation.match(/\w+[#?*~[{]?|[\]}]/g)!)

function membersIn(tokens: string[]): Shape {
  const members = new Map<string, Shape>()
  for (let token = tokens.shift(); token !== undefined && !/[\]}]/.test(token); token = tokens.shift()) {
    const kind = token.at(-1)!
    const inner = /[[{]/.test(kind) ? membersIn(tokens) : (KINDS[kind] ?? text)
    members.set(/\w+/.exec(token)![0], kind === '[' ? listOf(inner) : inner)
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const has = new Map(Object.entries(value))
    return Object.fromEntries([...members].map(([name, shape]) => [name, shape(has.get(name))]))
  }
}

const PARTS: Readonly<Record<string, string>> = shapes.parts
/** `@name` stands for a part that several results have. */
const whole = (notation: string): string =>
  notation.replace(/@(\w+)/g, (_, name: string) => whole(PARTS[name]!))

export const risksOf = shapeOf(whole('@risks'))
export const estimateOf = shapeOf(whole('@estimate'))

/** By tool. */
export const RESULTS: Readonly<Record<string, Shape>> = Object.fromEntries(
  Object.entries(shapes.tools).map(([tool, notation]) => [tool, shapeOf(whole(notation.join(' ')))]),
)
