/**
 * The types of the packed client, as the compiler reads them, beside the document
 * that a gateway answers: every operation has its method, which takes what the
 * operation takes and gives what it answers, no more and no less.
 */
import { join } from 'node:path'
import t from 'tap'
import typescript, { type Signature, type Symbol as TsSymbol, type Type } from 'typescript'
import { askGateway } from '../../../scripts/docs/sections.ts'
import { OPERATIONS } from '../../../src/clients/client/generated/operations.ts'
import type { OperationRow } from '../../../src/clients/client/transport.ts'
import { CODES } from '../../../src/runtime/errors.ts'
import { packClient } from '../../fixtures/programs.ts'

type Schema = Readonly<Record<string, unknown>>
type Use = 'input' | 'answer'

interface Operation {
  readonly parameters?: readonly {
    readonly name: string
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content: Content }>>
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const { SymbolFlags, TypeFlags } = typescript
const folder = t.testdir()
packClient(folder)
const index = join(folder, 'index.d.ts')
const program = typescript.createProgram([index], {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: typescript.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  types: [],
  module: typescript.ModuleKind.NodeNext,
})
const checker = program.getTypeChecker()
const exported = new Map(
  checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(index)!)!)
    .map((symbol) => [symbol.name, symbol]),
)
const { document } = await askGateway<Document>()

/** @param name  of a type that the package exports */
function typeNamed(name: string): Type {
  const symbol = exported.get(name)!
  const isAlias = (symbol.flags & SymbolFlags.Alias) !== 0
  return checker.getDeclaredTypeOfSymbol(isAlias ? checker.getAliasedSymbol(symbol) : symbol)
}

const isOf = (type: Type, flag: number): boolean => (type.flags & flag) !== 0
const isOptional = (symbol: TsSymbol): boolean => (symbol.flags & SymbolFlags.Optional) !== 0
const said = (type: Type): string =>
  checker.typeToString(type, undefined, typescript.TypeFormatFlags.NoTruncation)

/** The members of a union without `undefined`; both booleans are `boolean` again. */
function membersOf(type: Type): readonly Type[] {
  if (!type.isUnion() || isOf(type, TypeFlags.Boolean)) return [type]
  const defined = type.types.filter((member) => !isOf(member, TypeFlags.Undefined))
  const others = defined.filter((member) => !isOf(member, TypeFlags.BooleanLiteral))
  return others.length === defined.length ? others : [...others, checker.getBooleanType()]
}

/** Whether it says `undefined`: an optional property alone has another type, under exactOptionalPropertyTypes. */
const mayBeUndefined = (type: Type): boolean =>
  (type.isUnion() ? type.types : [type]).includes(checker.getUndefinedType())

interface Variant {
  readonly required: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
}

/** An object's variants: each has its own members, and none of the others'. */
function variantsOf({ 'x-variants': listed, ...schema }: Schema): readonly Schema[] {
  const variants = Object.values(listed as Readonly<Record<string, Variant>>)
  return variants.map(({ required, properties }) => {
    const others = variants.flatMap((one) => one.required).filter((name) => !required.includes(name))
    return {
      ...schema,
      properties: {
        ...(schema.properties as object),
        ...properties,
        ...Object.fromEntries(others.map((name) => [name, { not: {} }])),
      },
      required: [...(schema.required as readonly string[]), ...required],
    }
  })
}

/** The alternatives of a schema: those of `anyOf` and of `enum`, and its variants, through references. */
function alternativesOf(schema: Schema): readonly Schema[] {
  if (schema['x-variants'] !== undefined) return variantsOf(schema)
  if (typeof schema.$ref === 'string') return alternativesOf(component(schema.$ref))
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(alternativesOf)
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => ({ const: value }))
  return [schema]
}

const component = (ref: string): Schema => document.components.schemas[ref.slice(ref.lastIndexOf('/') + 1)]!

/** What was found of a component and a type; nothing while they are compared, as components may hold themselves. */
const known = new Map<string, readonly string[]>()

/** How a type is not what the schema says; empty where it is. */
function differences(
  type: Type,
  schema: Schema,
  use: Use,
  at: string,
  isUndefinedToo = false,
): readonly string[] {
  // Of an unknown, nobody can say.
  if (!isOf(type, TypeFlags.Unknown) && mayBeUndefined(type) !== isUndefinedToo)
    return [`${at}: ${said(type)}`]
  if (typeof schema.$ref !== 'string') return ofAlternatives(type, schema, use, at)
  const pair = `${schema.$ref} ${(type as unknown as { id: number }).id}`
  if (!known.has(pair)) {
    known.set(pair, [])
    // A component is what was answered, also where it is handed over.
    known.set(pair, ofAlternatives(type, component(schema.$ref), 'answer', at))
  }
  return known.get(pair)!
}

function ofAlternatives(type: Type, schema: Schema, use: Use, at: string): readonly string[] {
  const types = membersOf(type)
  // An enum may have the same value in two alternatives.
  const schemas = new Map(alternativesOf(schema).map((one) => [JSON.stringify(one), one]))
  if (types.length !== schemas.size)
    return [`${at}: ${said(type)} has ${types.length} of ${schemas.size} alternatives`]
  if (types.length === 1) return ofOne(types[0]!, [...schemas.values()][0]!, use, at)
  return [...schemas.values()].flatMap((one) => {
    const all = types.map((member) => ofOne(member, one, use, at))
    return all.some((found) => found.length === 0) ? [] : [...all].sort((a, b) => a.length - b.length)[0]!
  })
}

function ofOne(type: Type, schema: Schema, use: Use, at: string): readonly string[] {
  const is = (fits: boolean): string[] =>
    fits ? [] : [`${at}: ${said(type)} is not ${JSON.stringify(schema)}`]
  if ('not' in schema) return is(isOf(type, TypeFlags.Undefined | TypeFlags.Never))
  if ('const' in schema) return is(said(type) === JSON.stringify(schema.const))
  switch (schema.type) {
    case undefined:
      return is(isOf(type, TypeFlags.Unknown))
    case 'string':
      return is(isOf(type, schema.pattern === '^0x' ? TypeFlags.TemplateLiteral : TypeFlags.String))
    case 'integer':
    case 'number':
      return is(isOf(type, TypeFlags.Number))
    case 'boolean':
      return is(isOf(type, TypeFlags.Boolean))
    case 'null':
      return is(isOf(type, TypeFlags.Null))
    case 'array': {
      const items = checker.getIndexTypeOfType(type, typescript.IndexKind.Number)
      const isReadonly = said(type).startsWith('readonly ')
      if (items === undefined || !checker.isArrayType(type) || isReadonly !== (use === 'input'))
        return is(false)
      return differences(items, schema.items as Schema, use, `${at}[]`)
    }
    case 'object':
      return ofObject(type, schema, use, at)
    default:
      return is(false)
  }
}

function ofObject(type: Type, schema: Schema, use: Use, at: string): readonly string[] {
  const { properties = {}, patternProperties = {}, required = [] } = schema
  const expected = Object.entries(properties as Readonly<Record<string, Schema>>)
  const values = checker.getIndexTypeOfType(type, typescript.IndexKind.String)
  if (expected.length === 0) {
    const [one = {}] = Object.values(patternProperties as Readonly<Record<string, Schema>>)
    return values === undefined
      ? [`${at}: ${said(type)} has no index`]
      : differences(values, one, use, `${at}{}`)
  }
  const mark = (name: string, mayMiss: boolean): string => `${name}${mayMiss ? '?' : ''}`
  const has = checker.getPropertiesOfType(type).map((member) => mark(member.name, isOptional(member)))
  const wants = expected.map(([name]) => mark(name, !(required as readonly string[]).includes(name)))
  if (values !== undefined || [...has].sort().join() !== [...wants].sort().join())
    return [`${at}: ${said(type)} has ${has.join()}, not ${wants.join()}`]
  return expected.flatMap(([name, property]) => {
    const member = checker.getPropertyOfType(type, name)!
    const isList = use === 'input' && LISTS.includes(name)
    // An input that may be left out may also be undefined.
    const isUndefinedToo = use === 'input' && isOptional(member)
    const whole = checker.getTypeOfSymbol(member)
    return differences(whole, isList ? LIST : property, use, `${at}.${name}`, isUndefinedToo)
  })
}

/** Inputs with commas, which may also be handed over as arrays. */
const LISTS = ['chains', 'tokens', 'accounts', 'only']
const LIST = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }

function methodOf(name: string): Signature | undefined {
  const member = checker.getPropertyOfType(typeNamed('Client'), name)
  return member && checker.getTypeOfSymbol(member).getCallSignatures()[0]
}

/** What the operation takes as one object; null if it takes nothing. */
function inputOf({ parameters = [], requestBody }: Operation): Schema | null {
  if (requestBody !== undefined) {
    const { schema } = requestBody.content['application/json']!
    if (typeof schema.$ref !== 'string') return schema
    const body = component(schema.$ref)
    // The client's user hands over the quote as it was answered.
    const quote = { $ref: '#/components/schemas/Quote' }
    return { ...body, properties: { ...(body.properties as Schema), quote } }
  }
  if (parameters.length === 0) return null
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
    required: parameters.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** The type of a promise's value, or of the data of a stream's events. */
function answerOf(type: Type, isStream: boolean): Type {
  const [value] = checker.getTypeArguments(type as typescript.TypeReference)
  if (!isStream) return value!
  return checker.getTypeOfSymbol(checker.getPropertyOfType(value!, 'data')!)
}

t.test(
  'the client has a method for each operation, and nothing beside them but the relay, submissions and logos; an export is a file',
  async (t) => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const rows = Object.entries<OperationRow>(OPERATIONS)
    const made = rows.map(([, { method = 'GET', path }]) => `${method} ${path}`)
    // `logoUrl` gives the address for an `img`, and asks for nothing.
    const others = ['POST /api/solrpc', 'GET /api/logo/{chain}/{address}', 'GET /api/bake-off/export']
    t.same([...made, ...others].sort(), described.sort())
    t.same(
      checker
        .getPropertiesOfType(typeNamed('Client'))
        .map(({ name }) => name)
        .sort(),
      [
        ...rows.map(([name]) => name),
        'limits',
        'logoUrl',
        'rpc',
        'rpcText',
        'submit',
        'waitForTransaction',
      ].sort(),
    )
  },
)

t.test('a method takes what the operation takes, and gives what it answers', async (t) => {
  for (const [name, row] of Object.entries<OperationRow>(OPERATIONS)) {
    const operation = document.paths[row.path]![(row.method ?? 'GET').toLowerCase()]!
    const method = methodOf(name)
    if (method === undefined) {
      t.fail(`${name} is no method`)
      continue
    }
    const [taken, options, ...others] = [...(row.takesNothing ? [undefined] : []), ...method.getParameters()]
    t.same(others, [])
    t.match(said(checker.getTypeOfSymbol(options!)), row.isStream ? 'EventsOptions' : 'CallOptions', name)
    const input = inputOf(operation)
    t.equal(taken === undefined, input === null, name)
    if (taken !== undefined && input !== null) {
      const mayBeLeftOut = ((input.required ?? []) as readonly string[]).length === 0
      t.same(differences(checker.getTypeOfSymbol(taken), input, 'input', name, mayBeLeftOut), [])
    }
    const [media, { schema }] = Object.entries(operation.responses['200']!.content)[0]!
    t.equal(media === 'text/event-stream', row.isStream === true, name)
    const result = method.getReturnType()
    t.match(said(result), row.isStream ? /^AsyncGenerator<ServerEvent</ : /^Promise</, name)
    t.same(differences(answerOf(result, row.isStream === true), schema, 'answer', name), [])
  }
})

t.test("the components, the relay's methods and the codes have their types", async (t) => {
  const schemas = Object.entries(document.components.schemas)
  const own = schemas.filter(([name]) => name !== 'BuildRequest' && !name.startsWith('SolanaRpc'))
  t.ok(own.length > 10)
  for (const [name, schema] of own) {
    if (!exported.has(name)) t.fail(`${name} is not exported`)
    else t.same(differences(typeNamed(name), schema, 'answer', name), [])
  }
  const { method } = document.components.schemas.SolanaRpcRequest!.properties as Record<string, Schema>
  t.same(differences(typeNamed('RpcMethod'), method!, 'input', 'RpcMethod'), [])
  t.same(differences(typeNamed('Code'), { enum: Object.keys(CODES) }, 'answer', 'Code'), [])
})
