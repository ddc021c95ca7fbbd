/**
 * What an operator can publish, and where: the collections with the schema of their items, the parameters, and
 * the paths. The rows of paths.json read like the inventory in §4.10, of which these are the community's; what the
 * rows leave open, such as the schemas, is our own.
 *
 * Clients are not authenticated (§5): an answer is the operator's own content, the same for every client. A path
 * about the client itself answers for an anonymous one, and says so by `anonymous`.
 */
import { type TObject, type TSchema, Type } from 'typebox'
import collections from './collections.json' with { type: 'json' }
import fixed from './fixed.json' with { type: 'json' }
import forms from './forms.json' with { type: 'json' }
import paths from './paths.json' with { type: 'json' }

/** A row of forms.json: a JSON Schema, or another form by its name and what is added to it. */
interface FormRow {
  readonly is?: string
  readonly [keyword: string]: unknown
}

const MEMBERS: Readonly<Record<string, FormRow>> = forms.members

const formOf = ({ is, ...keywords }: FormRow): TSchema =>
  is === undefined ? keywords : { ...MEMBERS[is], ...keywords }

/** @param members  their forms by name; a question mark makes one optional */
function itemOf(members: Readonly<Record<string, string>>): TObject {
  const rows = Object.entries(members).map(([name, form]): [string, TSchema] => {
    const schema = formOf(MEMBERS[form.replace('?', '')]!)
    return [name, form.endsWith('?') ? Type.Optional(schema) : schema]
  })
  return Type.Object({ id: MEMBERS.id!, ...Object.fromEntries(rows) }, { additionalProperties: false })
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

/**
 * The schemas of the parameters. `cursor` and `before` page, `limit` cuts, `q` searches names and handles, and those
 * of a sign-in are validated and ignored. Any other is the name of a member, and filters the items by its value.
 */
const PARAMETERS: Readonly<Record<ParameterName, FormRow>> = forms.parameters

export type ParameterName = keyof typeof forms.parameters

/** The kind of answer of a path. */
type PathAnswer =
  /** The items of a collection, or of one queue of it. */
  | { readonly kind: 'list'; readonly of: CollectionName; readonly queue?: string }
  /** The first item of a collection that passes the filters; 404 if there is none. */
  | { readonly kind: 'first'; readonly of: CollectionName }
  /** Depending on `operation`: the whole collection, one item of it, or 404. */
  | { readonly kind: 'operation'; readonly of: CollectionName }
  /** Of fixed.json, the same for every client: none is authenticated, and nothing is written. */
  | { readonly kind: 'fixed'; readonly schema: TSchema; readonly body: Readonly<Record<string, unknown>> }

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

/** A row of paths.json. */
type ContentRow = Omit<ContentPath, 'parameters' | 'required' | 'answer'> &
  Partial<Pick<ContentPath, 'parameters' | 'required'>> & {
    readonly answer:
      | Exclude<PathAnswer, { readonly kind: 'fixed' }>
      | { readonly kind: 'fixed'; readonly as: keyof typeof fixed }
  }

export const INVENTORY: readonly ContentPath[] = (paths as readonly ContentRow[]).map(
  ({ answer, parameters = [], required = [], ...row }) => ({
    ...row,
    parameters,
    required,
    answer: answer.kind === 'fixed' ? { kind: 'fixed', ...fixed[answer.as] } : answer,
  }),
)

/** The schema of a path's query. */
export function inputOf({ parameters, required }: ContentPath): TObject {
  const members = parameters.map((name) => {
    const schema = formOf(PARAMETERS[name])
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
