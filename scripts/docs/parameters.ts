/** The endpoints and what they take, out of the gateway's own OpenAPI document. */
import { table } from './table.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface Operation {
  readonly summary: string
  /** The group that it is of. */
  readonly tags: readonly [string]
  readonly description: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description: string
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
}

export interface Document {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

interface Endpoint {
  /** Such as `GET /api/quote`. */
  readonly title: string
  readonly operation: Operation
}

const endpointsOf = ({ paths }: Document): readonly Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )

/** A table for each group; one of another page is a row of families. */
export function endpoints(document: Document): string {
  const all = endpointsOf(document)
  return document.tags
    .map((group) => {
      const members = all.filter((endpoint) => groupOf(endpoint, document) === group)
      const rows = ELSEWHERE.has(group.name)
        ? [[familiesOf(members).join(', '), `${group.description.split('. ')[0]}: ${members.length} paths`]]
        : members.map(({ title, operation }) => [`[\`${title}\`](#${anchorOf(title)})`, operation.summary])
      return `### ${group.name}\n\n${table(['endpoint', 'answers'], rows)}`
    })
    .join('\n\n')
}

/** Of the heading, as GitHub makes it. */
const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

/** Groups that have a table on a page of their own: see `groupTable`. */
const ELSEWHERE: ReadonlySet<string> = new Set(['Community'])

/** The parameters of every endpoint that has no table elsewhere. */
export function parameters(document: Document): string {
  return endpointsOf(document)
    .filter((endpoint) => !ELSEWHERE.has(groupOf(endpoint, document).name))
    .map((endpoint) => describe(endpoint, document))
    .join('\n\n')
}

/** The endpoints of one group, and what their parameters accept: the same name takes the same everywhere. */
export function groupTable(name: string, document: Document): string {
  const members = endpointsOf(document).filter((endpoint) => groupOf(endpoint, document).name === name)
  const rows = members.map(({ title, operation: { summary, parameters = [] } }) => [
    `\`${title}\``,
    parameters
      .map((parameter) => `\`${parameter.name}\`${parameter.required ? ' (required)' : ''}`)
      .join(', '),
    summary,
  ])
  const all = new Map(
    members.flatMap(({ operation: { parameters = [] } }) => parameters).map((p) => [p.name, p]),
  )
  const accepted = [...all.values()].map(({ name, description, schema }) => [
    `\`${name}\``,
    accepts(schema),
    schema.default === undefined ? '' : `\`${schema.default}\``,
    description,
  ])
  return [
    table(['endpoint', 'parameters', 'answers'], rows),
    table(['parameter', 'accepts', 'default', 'meaning'], accepted),
  ].join('\n\n')
}

function groupOf({ operation: { tags } }: Endpoint, document: Document): Document['tags'][number] {
  return document.tags.find(({ name }) => name === tags[0])!
}

/** `/api/reels/...` for several paths of a family, the whole title for one alone. */
function familiesOf(members: readonly Endpoint[]): readonly string[] {
  const families = members.map(({ title }) => title.split('/').slice(0, 3).join('/'))
  return [...new Set(families)].map((family) => {
    const titles = members.map(({ title }) => title).filter((title) => title.startsWith(`${family}/`))
    return titles.length > 1 ? `\`${family}/...\`` : `\`${titles[0] ?? family}\``
  })
}

function describe({ title, operation }: Endpoint, document: Document): string {
  const { summary, description, parameters = [], requestBody } = operation
  const given = parameters.map(({ name, in: place, description: meaning, required, schema }) =>
    row(`\`${name}\`${place === 'path' ? ' (path)' : ''}`, required, schema, meaning),
  )
  const body =
    requestBody === undefined ? [] : fields(requestBody.content['application/json'].schema, document)
  const rows = [...given, ...body]
  return [
    `## ${title}`,
    `${summary}.`,
    description,
    rows.length === 0
      ? 'It takes no parameters.'
      : table([body.length > 0 ? 'field' : 'parameter', 'required', 'accepts', 'default', 'meaning'], rows),
  ].join('\n\n')
}

/** The members of a JSON body. */
function fields(schema: Schema, document: Document): string[][] {
  const { properties = {}, required = [] } = schema.$ref
    ? document.components.schemas[schema.$ref.split('/').at(-1)!]!
    : schema
  return Object.entries(properties).map(([name, member]) =>
    row(`\`${name}\``, required.includes(name), member, member.description ?? ''),
  )
}

const row = (name: string, isRequired: boolean, schema: Schema, meaning: string): string[] => [
  name,
  isRequired ? 'yes' : '',
  accepts(schema),
  schema.default === undefined ? '' : `\`${schema.default}\``,
  meaning,
]

function accepts(schema: Schema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.title !== undefined) return schema.title
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ')
  const { minimum, maximum } = schema
  const type = { integer: 'an integer', number: 'a decimal', boolean: '`true` or `false`', string: 'text' }
  const name =
    type[schema.type as keyof typeof type] ??
    { array: 'a list', object: 'an object' }[schema.type ?? ''] ??
    'anything'
  if (minimum !== undefined && maximum !== undefined) return `${name} from ${minimum} to ${maximum}`
  return minimum === undefined ? name : `${name} of at least ${minimum}`
}
