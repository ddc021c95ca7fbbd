/** GET /openapi.json as the page reads it: an entry for each operation and each method of the relay, and the codes of errors. */

type Named<T> = Readonly<Record<string, T>>

/** JSON Schema, as far as the document uses it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly minItems?: number
  readonly properties?: Named<Schema>
  readonly patternProperties?: Named<Schema>
  readonly required?: readonly string[]
  /** Members that values of some kind have besides. */
  readonly 'x-variants'?: Named<Schema>
}

/** `x-params`: what the method that it calls takes. */
interface Example {
  readonly value?: unknown
  readonly summary?: string
  readonly 'x-params'?: Schema
}

export interface Content {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Named<Example>
}

export interface Body {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Named<unknown>
  readonly content?: Named<Content>
}

export interface Parameter extends Content {
  readonly name: string
  readonly description: string
  readonly required: boolean
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly 'x-stability'?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: Body
  readonly responses: Named<Body>
}

export interface ApiDocument {
  readonly info: { readonly description: string }
  readonly tags: readonly { readonly name: string; readonly 'x-unused'?: true }[]
  readonly paths: Named<Named<Operation>>
  readonly components: Named<Named<object>>
}

/** The parameters of a GET by name, or the body of a POST. */
export type Input = Named<unknown>

export interface Entry {
  /** The fragment of its URL. */
  readonly id: string
  readonly title: string
  readonly text: string
  readonly group: string
  /** `GET`, `POST`, or `RPC` for a method of the relay. */
  readonly label: string
  readonly path: string
  readonly operation: Operation
  readonly parameters: readonly Parameter[]
  readonly body: Schema | null
  /** Of a method of the relay. */
  readonly params?: Schema | undefined
  /** By the examples' names; without a name if the document has none. */
  readonly inputs: Named<Input>
  /** Of the answer. */
  readonly media: string
}

export type ErrorCode = Readonly<Record<'code' | 'status' | 'meaning', string>>

export interface Reference {
  readonly groups: readonly { readonly name: string; readonly entries: readonly Entry[] }[]
  readonly entries: readonly Entry[]
  readonly errors: readonly ErrorCode[]
  /** What a reference leads to; anything else is returned as it is. */
  resolve<T extends { readonly $ref?: string }>(value: T): T
}

/** A row of the table of errors in the document's description. */
const ROW = /^\| `(?<code>\w+)` \| (?<status>\d+) \| (?<meaning>.*) \|$/gm
const RELAY = 'Methods of the relay'

/** Reads the document; groups that this gateway has no answers for are left out. */
export function referenceOf({ info, tags, paths, components }: ApiDocument): Reference {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => entriesOf(method, path, operation)),
  )
  const used = tags.filter((tag) => !tag['x-unused'])
  const groups = [...used, { name: RELAY }].map(({ name }) => ({
    name,
    entries: all.filter(({ group }) => group === name),
  }))
  return {
    groups,
    entries: groups.flatMap(({ entries }) => entries),
    errors: [...info.description.matchAll(ROW)].map((row) => row.groups as ErrorCode),
    resolve(value) {
      const [, , kind, name] = value.$ref?.split('/') ?? []
      return kind === undefined ? value : (components[kind]![name!] as typeof value)
    },
  }
}

/** An operation's entry; of the relay also those of its methods, which its examples show. */
function entriesOf(method: string, path: string, operation: Operation): Entry[] {
  const { summary, description, tags, parameters = [], requestBody, responses } = operation
  const content = requestBody?.content?.['application/json']
  const inputs = content === undefined ? inputsOf(parameters) : valuesOf(content)
  const [media] = Object.keys(responses[200]!.content!)
  const [id, label] = [`${method}-${path.replace(/[{}]/g, '-')}`, method.toUpperCase()]
  const made = { path, operation, parameters, body: content?.schema ?? null, inputs, media: media! }
  const entry = { ...made, id, label, title: summary, text: description, group: tags[0]! }
  const methods = path === '/api/solrpc' ? Object.entries(content!.examples!) : []
  const called = methods.map(([title, { summary: text = '', 'x-params': params }]) => {
    const own = { inputs: { [title]: inputs[title]! }, params }
    return { ...made, id: `rpc-${title}`, label: 'RPC', title, text, group: RELAY, ...own }
  })
  return [entry, ...called]
}

/** The values of examples by their names. */
export function valuesOf({ example, examples = {} }: Content): Record<string, Input> {
  const values = Object.entries(examples).map(([name, { value }]) => [name, value])
  return Object.fromEntries(example === undefined ? values : [['', example], ...values])
}

/** Examples of several parameters belong together by their names. */
function inputsOf(parameters: readonly Parameter[]): Entry['inputs'] {
  const inputs: Record<string, Record<string, unknown>> = {}
  for (const parameter of parameters)
    for (const [example, value] of Object.entries(valuesOf(parameter)))
      (inputs[example] ??= {})[parameter.name] = value
  return Object.keys(inputs).length > 0 ? inputs : { '': {} }
}
