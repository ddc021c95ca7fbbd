/**
 * The OpenAPI document to the client's operations.ts, and the error codes to its
 * codes.ts: a type for each component, input and answer, the interface with a
 * method for each operation, and the table that the client makes those methods
 * from.
 */
import { CODES } from '../../src/runtime/errors.ts'
import { comment, indent, type Json, literal, typeOf, type Use, variantsOf } from './types.ts'

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly required: boolean
  readonly schema: Json
}

type Content = Readonly<Record<string, { readonly schema: Json }>>

interface Described {
  readonly summary: string
  readonly 'x-stability'?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Json>> }
}

/** @returns each file's text by its name in src/clients/client/generated/ */
export function clientFiles(document: Document): ReadonlyMap<string, string> {
  return new Map([
    ['operations.ts', operations(document)],
    ['codes.ts', codes()],
  ])
}

/** Where the path alone would make a poor name. */
const NAMES: Readonly<Record<string, string>> = {
  '/api/prices/stream': 'prices',
  '/api/bake-off/event': 'bakeOffEvents',
  '/openapi.json': 'openapi',
}
/** Where the method's name would make a poor one of its answer's type. */
const ANSWERS: Readonly<Record<string, string>> = {
  '/api/bake-off/event': 'BakeOffRace',
  '/api/quote/stream': 'QuoteEvent',
}
/**
 * Not written here: the errors of the first are inside an answer of status 200, the second is for pages to show, and
 * the third is a file.
 */
const BY_HAND = ['/api/solrpc', '/api/logo/{chain}/{address}', '/api/bake-off/export']
interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly described: Described
  /** The schema of what it takes; null if it takes nothing. */
  readonly input: Json | null
  readonly answer: Json
  readonly answerType: string
  readonly isStream: boolean
}

function operations(document: Document): string {
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    BY_HAND.includes(path)
      ? []
      : Object.entries(item).map(([method, described]) =>
          operation(method.toUpperCase(), path, described, document.components),
        ),
  )
  const inputs = all.filter(({ input }) => input !== null)
  const own = all.filter(({ answer }) => answer.$ref === undefined)
  return [
    HEADER,
    "import type { CallOptions, EventsOptions, ServerEvent } from '../options.ts'\nimport type { OperationRow } from '../transport.ts'\n",
    ...Object.entries(document.components.schemas)
      .filter(([name]) => name !== 'BuildRequest' && !name.startsWith('SolanaRpc'))
      .map(([name, schema]) => declare(name, schema, 'answer')),
    ...inputs.map(({ name, input, method, path }) =>
      declare(`${capital(name)}Input`, input!, 'input', `What \`${method} ${path}\` takes.`),
    ),
    ...own.map(({ answer, answerType, method, path }) =>
      declare(answerType, answer, 'answer', `What \`${method} ${path}\` answers.`),
    ),
    `${comment('What the relay takes where the operator changes nothing; EXTRA_RPC_METHODS lets others through.')}export type RpcMethod = ${rpcMethods(document)}\n`,
    `/** A method for each operation of the gateway. */\nexport interface Operations {\n${indent(all.map(signature).join('\n\n'))}\n}\n`,
    table(all),
  ].join('\n')
}

const HEADER = `/**
 * The gateway's operations and their types, as its OpenAPI document has them.
 * Written by the build (scripts/client/generated.mjs).
 */`

function operation(
  method: string,
  path: string,
  described: Described,
  components: Document['components'],
): Operation {
  const name = NAMES[path] ?? nameOf(path)
  const content = described.responses['200']!.content!
  const answer = Object.values(content)[0]!.schema
  return {
    name,
    method,
    path,
    described,
    input: inputOf(described, components),
    answer,
    answerType: answer.$ref === undefined ? (ANSWERS[path] ?? capital(name)) : typeOf(answer, 'answer'),
    isStream: content['text/event-stream'] !== undefined,
  }
}

function inputOf(
  { parameters = [], requestBody }: Described,
  { schemas }: Document['components'],
): Json | null {
  if (requestBody !== undefined) {
    const body = requestBody.content['application/json']!.schema
    const [name] = /[^/]*$/.exec(String(body.$ref))!
    const schema = schemas[name] ?? body
    if ((schema.properties as Json).quote === undefined) return schema
    // The document says of a build's quote only that it is an object, since it is compared, not read.
    const quote = { $ref: '#/components/schemas/Quote', description: 'as it was answered, unchanged' }
    return { ...schema, properties: { ...(schema.properties as Json), quote } }
  }
  if (parameters.length === 0) return null
  const properties = parameters.map(({ name, description, schema }) => [name, { ...schema, description }])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** `/api/token/{chain}/{address}` is token, `/api/native-price` nativePrice. */
function nameOf(path: string): string {
  const words = path
    .replace(/^\/api\//, '')
    .replace(/\/\{\w+\}/g, '')
    .split(/[^A-Za-z0-9]+/)
  return words.map((word, i) => (i === 0 ? word : capital(word))).join('')
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** What is one object with members is an interface; a union, a name or an index signature cannot be. */
function declare(name: string, schema: Json, use: Use, text = ''): string {
  const variants = variantsOf(schema)
  if (variants.length > 0) {
    const types = variants.map(([one, variant]) => declare(one, variant, use))
    return [...types, `export type ${name} = ${variants.map(([one]) => one).join(' | ')}\n`].join('\n')
  }
  const type = typeOf(schema, use)
  const isInterface = schema.type === 'object' && /^\{\n/.test(type)
  return `${comment(text)}export ${isInterface ? `interface ${name} ${type}` : `type ${name} = ${type}`}\n`
}

function signature({ name, method, path, described, input, answerType, isStream }: Operation): string {
  const mayBeLeftOut = ((input?.required ?? []) as readonly string[]).length === 0
  const takes = input === null ? '' : `input${mayBeLeftOut ? '?' : ''}: ${capital(name)}Input, `
  const [options, result] = isStream
    ? ['EventsOptions', `AsyncGenerator<ServerEvent<${answerType}>, void, undefined>`]
    : ['CallOptions', `Promise<${answerType}>`]
  const text = `${described.summary} (\`${method} ${path}\`).`
  return `${comment(text)}${name}(${takes}options?: ${options}): ${result}`
}

function rpcMethods({ components }: Document): string {
  const { method } = components.schemas.SolanaRpcRequest!.properties as { method: Json }
  return typeOf(method, 'input')
}

/** The types that a response may hold; none where it is one of those that operations share. */
function typesIn(content: Content | undefined): readonly string[] {
  if (content === undefined) return []
  const { schema } = Object.values(content)[0]!
  const members = (schema.anyOf ?? [schema]) as readonly Json[]
  return members.map((member) => typeOf(member, 'answer'))
}

/** Also the statuses beside 200 with the same body: a health check that says no. */
function table(operations: readonly Operation[]): string {
  const rows = operations.map(({ name, method, path, input, answerType, isStream, described }) => {
    const also = Object.entries(described.responses)
      .filter(([status, { content }]) => status !== '200' && typesIn(content).includes(answerType))
      .map(([status]) => status)
    const members = [
      method === 'GET' ? '' : `method: '${method}'`,
      `path: '${path}'`,
      input === null ? 'takesNothing: true' : '',
      isStream ? 'isStream: true' : '',
      also.length === 0 ? '' : `also: [${also.join(', ')}]`,
    ]
    return `${name}: { ${members.filter(Boolean).join(', ')} }`
  })
  return `${comment('What the methods are made from; GET where a row names no method.')}export const OPERATIONS: Readonly<Record<keyof Operations, OperationRow>> = {\n${indent(rows.join(',\n'))},\n}\n`
}

function codes(): string {
  const names = Object.keys(CODES).map((code) => `${literal(code)},`)
  return [
    '/** The `code`s of refusals by the gateway. Written by the build (scripts/client/generated.mjs). */',
    `export const CODES = [\n${indent(names.join('\n'))}\n] as const`,
    'export type Code = (typeof CODES)[number]\n',
  ].join('\n\n')
}
