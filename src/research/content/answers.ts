/**
 * Answers the paths of the inventory from the collections: whole lists, pages and single items. Everything is in
 * memory: nothing is asked upstream, and nothing is written.
 */
import { type TSchema, Type } from 'typebox'
import { parseAnyAddress } from '../../chains/address.ts'
import { type Cursors, pageOf } from '../../runtime/cursor.ts'
import { GatewayError, invalidParameter } from '../../runtime/errors.ts'
import { nullable } from '../../runtime/resources/shared.ts'
import type { Content } from './content.ts'
import { placeOf, type StoredItem } from './files.ts'
import { ALL, COLLECTIONS, type ContentPath, type ParameterName } from './inventory.ts'

/** Valid by `inputOf` of the entry. */
export type ContentInput = { readonly [Name in ParameterName]?: string | number }

/** Parameters of a sign-in: they are validated and ignored. */
const SIGN_IN_PARAMETERS: ReadonlySet<string> = new Set<ParameterName>(['callback', 'code', 'error', 'state'])
/** Parameters that do not filter items by the value of a member. */
const NO_FILTERS: ReadonlySet<string> = new Set<ParameterName>([
  'operation',
  'cursor',
  'before',
  'limit',
  'q',
])

/** The schema of a 200. */
export function resultOf({ answer, parameters }: ContentPath): TSchema {
  if (answer.kind === 'fixed') return answer.schema
  const item: TSchema = COLLECTIONS[answer.of]
  if (answer.kind === 'first') return item
  const next = nullable(Type.String(), {
    description: 'for the next page; null: nothing follows',
  })
  const isPaged = pagerOf(parameters) !== null
  const list = Type.Object({ items: Type.Array(item), ...(isPaged ? { next } : {}) })
  return answer.kind === 'operation' ? Type.Union([list, item]) : list
}

/** Whether the answer depends on the content alone, because no parameter narrows it. */
export function isWhole({ answer, parameters }: ContentPath, input: ContentInput): boolean {
  if (answer.kind === 'fixed') return true
  if (answer.kind !== 'list') return input.operation === ALL
  return parameters.every((name) => input[name] === undefined || SIGN_IN_PARAMETERS.has(name))
}

/**
 * @returns JSON
 * @throws 400  invalid_parameter: a malformed address, or a cursor of another list
 * @throws 404  item_not_found
 */
export function answerOf(
  entry: ContentPath,
  input: ContentInput,
  content: Content,
  cursors: Cursors,
): string {
  const { answer, parameters } = entry
  if (answer.kind === 'fixed') return JSON.stringify(answer.body)
  const all = content.collection(answer.of)
  if (answer.kind === 'operation') {
    return input.operation === ALL
      ? listText(all)
      : itemText(all.find(({ item }) => item.id === input.operation))
  }
  const filters = filtersOf(entry, input)
  const items = all.filter(({ item }) => filters.every(([name, value]) => item[name] === value))
  if (answer.kind === 'first') return itemText(items[0])
  if (input.q !== undefined) return listText(items.filter(isNamed(String(input.q))))
  const limit = Number(input.limit ?? items.length)
  const pager = pagerOf(parameters)
  if (pager === null) return listText(items.slice(0, limit))

  const list = JSON.stringify([entry.path, filters])
  const cursor = input[pager]
  const after = cursor === undefined ? null : cursors.read(list, String(cursor), pager)
  const page = pageOf(items, placeOf, after, limit)
  const next = page.end === null ? null : cursors.write(list, page.end)
  return listText(page.items, `,"next":${JSON.stringify(next)}`)
}

function pagerOf(parameters: readonly ParameterName[]): 'cursor' | 'before' | null {
  return parameters.includes('cursor') ? 'cursor' : parameters.includes('before') ? 'before' : null
}

type MemberFilters = readonly (readonly [member: string, value: unknown])[]

function filtersOf({ answer, parameters }: ContentPath, input: ContentInput): MemberFilters {
  const given = parameters.filter(
    (name) => input[name] !== undefined && !NO_FILTERS.has(name) && !SIGN_IN_PARAMETERS.has(name),
  )
  const filters = given.map((name) => [name, name === 'wallet' ? walletOf(input) : input[name]] as const)
  return answer.kind === 'list' && answer.queue !== undefined
    ? [...filters, ['queue', answer.queue]]
    : filters
}

function walletOf({ wallet }: ContentInput): string {
  const address = parseAnyAddress(String(wallet))
  if (address !== null) return address
  throw invalidParameter('wallet', '`wallet` must be an address on a chain of GET /api/chains.')
}

function isNamed(part: string): (stored: StoredItem) => boolean {
  const sought = part.toLowerCase()
  return ({ item: { name, handle } }) =>
    [name, handle].some((text) => typeof text === 'string' && text.toLowerCase().includes(sought))
}

function listText(items: readonly StoredItem[], rest = ''): string {
  return `{"items":[${items.map(({ text }) => text).join(',')}]${rest}}`
}

function itemText(stored: StoredItem | undefined): string {
  if (stored !== undefined) return stored.text
  const message = 'The operator of this host publishes no item with this name or address.'
  throw new GatewayError('item_not_found', message)
}
