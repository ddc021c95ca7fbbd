/**
 * What an operator can publish, and where: the collections with the schema of their items, the parameters, and
 * the paths. The rows of paths.json read like the inventory in §4.10, of which these are the community's; what the
 * rows leave open, such as the schemas, is our own.
 *
 * Clients are not authenticated (§5): an answer is the operator's own content, the same for every client. A path
 * about the client itself answers for an anonymous one, and says so by `anonymous`.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import { MAX_CURSOR_LENGTH } from '../../runtime/cursor.ts'
import collections from './collections.json' with { type: 'json' }
import paths from './paths.json' with { type: 'json' }

const Id = (description?: string, more: { default?: string } = {}) =>
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
    title: 'a name of 1 to 64 letters, digits, hyphens and underscores',
    ...(description === undefined ? {} : { description }),
    ...more,
  })
const Time = Type.String({
  pattern: '^20\\d\\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\dZ$',
  title: 'a time in UTC such as 2026-11-21T12:00:00Z',
})
const Link = Type.String({
  pattern: '^https://[^\\s"<>\\\\]{1,2040}$',
  title: 'an https link of at most 2,048 characters',
})
const Wallet = Type.String({
  minLength: 1,
  maxLength: 256,
  title: 'an address on a chain of GET /api/chains',
  description: 'a public address; it does not prove who asks',
})
const QUEUES = ['appeals', 'audit', 'avatars', 'comments', 'open', 'safety', 'suspensions'] as const
const WINDOWS = ['day', 'week', 'month', 'all'] as const

/** The forms of members, by the names that collections.json has for them. */
const FORMS = {
  id: Id(),
  tab: Id('where the feed shows it'),
  author: Id('of `reels-people`'),
  avatar: Id('of the avatar'),
  queue: Type.Enum([...QUEUES]),
  window: Type.Enum([...WINDOWS]),
  time: Time,
  link: Link,
  name: Type.String({ minLength: 1, maxLength: 100 }),
  text: Type.String({ minLength: 1, maxLength: 4_000 }),
  words: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 300 }),
  wallet: Wallet,
  score: Type.Number({ minimum: 0, maximum: 1e15 }),
}

/** @param members  their forms by name; a question mark makes one optional */
function itemOf(members: Readonly<Record<string, string>>): TObject {
  const rows = Object.entries(members).map(([name, form]): [string, TSchema] => {
    const schema: TSchema = FORMS[form.replace('?', '') as keyof typeof FORMS]
    return [name, form.endsWith('?') ? Type.Optional(schema) : schema]
  })
  return Type.Object({ id: Id(), ...Object.fromEntries(rows) }, { additionalProperties: false })
}

export type CollectionName = keyof typeof collections

/**
 * A collection is a file of CONTENT_DIR, `<name>.jsonl`, with one item per line. Items with a time are listed
 * newest first, items with a score highest first, all others in the order of the file.
 */
export const COLLECTIONS = Object.fromEntries(
  Object.entries(collections).map(([name, members]) => [name, itemOf(members)]),
) as Readonly<Record<CollectionName, TObject>>

/** The id that every item has, and the optional members that order and filter lists. */
export interface ContentItem {
  readonly id: string
  readonly at?: string
  readonly score?: number
  readonly wallet?: string
  readonly [member: string]: unknown
}
export type SampleContent = Readonly<Partial<Record<CollectionName, readonly ContentItem[]>>>

const Cursor = Type.String({
  pattern: `^[A-Za-z0-9_-]{1,${MAX_CURSOR_LENGTH}}$`,
  title: 'the `next` of an answer to the same path with the same filters',
  description: 'the items after those of that answer; the first ones unless given',
})
const Ignored = (what: string) =>
  Type.String({
    maxLength: 2_048,
    description: `${what}; ignored, as there is no sign-in here`,
  })

/**
 * The schemas of the parameters. `cursor` and `before` page, `limit` cuts, `q` searches names and handles, and those
 * of a sign-in are validated and ignored. Any other is the name of a member, and filters the items by its value.
 */
const PARAMETERS = {
  operation: Id('`list` for all items, or the id of one'),
  cursor: Cursor,
  before: Cursor,
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'how many items at most' }),
  q: Type.String({ minLength: 1, maxLength: 64, description: 'a part of the name or handle, in any case' }),
  tab: Id('only what the feed shows there'),
  reelId: Id('only what is about this reel'),
  key: Id('only what is about this avatar'),
  board: Id('which board', { default: 'main' }),
  window: Type.Enum([...WINDOWS], { default: 'all', description: 'the period of the scores' }),
  wallet: Wallet,
  callback: Ignored('where a sign-in would redirect to'),
  code: Ignored('the code of a sign-in'),
  error: Ignored('why a sign-in failed'),
  state: Ignored('the state of a sign-in'),
} as const satisfies Readonly<Record<string, TSchema>>

export type ParameterName = keyof typeof PARAMETERS

/** The kind of answer of a path. */
type PathAnswer =
  /** The items of a collection, or of one queue of it. */
  | { readonly kind: 'list'; readonly of: CollectionName; readonly queue?: (typeof QUEUES)[number] }
  /** The first item of a collection that passes the filters; 404 if there is none. */
  | { readonly kind: 'first'; readonly of: CollectionName }
  /** Depending on `operation`: the whole collection, one item of it, or 404. */
  | { readonly kind: 'operation'; readonly of: CollectionName }
  /** The same for every client: none is authenticated, and nothing is written. */
  | { readonly kind: 'fixed'; readonly schema: TObject; readonly body: Readonly<Record<string, unknown>> }

export interface ContentPath {
  /** For the OpenAPI document: `operationId`. */
  readonly id: string
  readonly path: string
  readonly parameters: readonly ParameterName[]
  /** The parameters that must be given. */
  readonly required: readonly ParameterName[]
  readonly answer: PathAnswer
  /** For the OpenAPI document; no full stop. */
  readonly summary: string
}

const fixed = (
  members: Readonly<Record<string, TSchema>>,
  body: Readonly<Record<string, unknown>>,
): PathAnswer => ({ kind: 'fixed', schema: Type.Object(members), body })

const Anonymous = Type.Literal(true, {
  description: 'clients are not authenticated, so there is no client to answer for',
})
/** The answers that depend on nothing, by the name that the rows of paths.json have for them. */
const FIXED = {
  /** A list of the client's own items. */
  empty: fixed(
    { items: Type.Array(Type.Object({}), { maxItems: 0 }), anonymous: Anonymous },
    { items: [], anonymous: true },
  ),
  seen: fixed({ seen: Type.Null(), anonymous: Anonymous }, { seen: null, anonymous: true }),
  unavailable: fixed({ available: Type.Literal(false) }, { available: false }),
}

/** A row of paths.json. */
type ContentRow = Omit<ContentPath, 'parameters' | 'required' | 'answer'> &
  Partial<Pick<ContentPath, 'parameters' | 'required'>> & {
    readonly answer:
      | Exclude<PathAnswer, { readonly kind: 'fixed' }>
      | { readonly kind: 'fixed'; readonly as: keyof typeof FIXED }
  }

export const INVENTORY: readonly ContentPath[] = (paths as readonly ContentRow[]).map(
  ({ answer, parameters = [], required = [], ...row }) => ({
    ...row,
    parameters,
    required,
    answer: answer.kind === 'fixed' ? FIXED[answer.as] : answer,
  }),
)

/** The schema of a path's query. */
export function inputOf({ parameters, required }: ContentPath): TObject {
  const members = parameters.map((name) => {
    const schema: TSchema = PARAMETERS[name]
    const isGiven = required.includes(name) || 'default' in schema
    return [name, isGiven ? schema : Type.Optional(schema)]
  })
  return Type.Object(Object.fromEntries(members))
}

/** The value of `operation` that asks for the whole collection. */
export const ALL = 'list'

/** Ids that no request could reach: at `{operation}` they name other paths. */
export function reservedIds(collection: CollectionName): ReadonlySet<string> {
  const entry = INVENTORY.find(({ answer }) => answer.kind === 'operation' && answer.of === collection)
  if (entry === undefined) return new Set()
  const folder = entry.path.slice(0, entry.path.indexOf('{'))
  const names = INVENTORY.filter(({ path }) => path.startsWith(folder) && path !== entry.path).map(
    ({ path }) => path.slice(folder.length).split('/')[0]!,
  )
  return new Set([ALL, ...names])
}
