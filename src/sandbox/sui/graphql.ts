/**
 * The GraphQL of the sandbox's Sui node: parses the whole query, refuses fields that its schema lacks, as a
 * real node does, and answers only the requested fields.
 *
 * Source: spec.graphql.org, October 2021 · MystenLabs/sui crates/sui-indexer-alt-graphql/src/error.rs
 */

interface Field {
  readonly args?: readonly string[]
  /** The name of the object type; a scalar if absent. */
  readonly type?: string
}

/** The part of Sui's schema that the sandbox serves. A conformance test holds it against the published one. */
export const SERVED: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  Query: {
    address: { args: ['address'], type: 'Address' },
    checkpoint: { type: 'Checkpoint' },
    coinMetadata: { args: ['coinType'], type: 'CoinMetadata' },
    object: { args: ['address'], type: 'Object' },
    package: { args: ['address', 'version'], type: 'MovePackage' },
    simulateTransaction: {
      args: ['transaction', 'checksEnabled', 'doGasSelection'],
      type: 'SimulationResult',
    },
  },
  Address: { address: {}, balance: { args: ['coinType'], type: 'Balance' } },
  Balance: { totalBalance: {} },
  Checkpoint: { sequenceNumber: {} },
  CoinMetadata: { address: {}, decimals: {} },
  Object: { asMoveObject: { type: 'MoveObject' } },
  MoveObject: { contents: { type: 'MoveValue' } },
  MoveValue: { json: {} },
  MovePackage: {
    address: {},
    packageVersionsAfter: { args: ['last'], type: 'MovePackageConnection' },
    version: {},
  },
  MovePackageConnection: { nodes: { type: 'MovePackage' } },
  SimulationResult: { effects: { type: 'TransactionEffects' } },
  TransactionEffects: {
    balanceChanges: { args: ['first'], type: 'BalanceChangeConnection' },
    gasEffects: { type: 'GasEffects' },
    status: {},
  },
  GasEffects: { gasSummary: { type: 'GasCostSummary' } },
  GasCostSummary: { computationCost: {}, storageCost: {}, storageRebate: {} },
  BalanceChangeConnection: { nodes: { type: 'BalanceChange' }, pageInfo: { type: 'PageInfo' } },
  BalanceChange: { amount: {}, coinType: { type: 'MoveType' }, owner: { type: 'Address' } },
  MoveType: { repr: {} },
  PageInfo: { hasNextPage: {} },
}

type Args = Readonly<Record<string, unknown>>
/** Answers one field of the query's root. @throws QueryError */
export type Resolve = (args: Args) => unknown

/** Refuses a query, with the code that a real node gives. */
export class QueryError extends Error {
  readonly code: 'BAD_USER_INPUT' | 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED'

  constructor(code: QueryError['code'], message: string) {
    super(message)
    this.code = code
  }
}

interface Selection {
  readonly name: string
  readonly alias: string
  readonly args: Args
  readonly fields: readonly Selection[]
}

/**
 * @param roots  by the root's field; an answer may have more fields than requested
 * @returns the data
 * @throws QueryError
 */
export function answer(query: string, variables: Args, roots: Readonly<Record<string, Resolve>>): object {
  const selections = new QueryReader(query, variables).read()
  return Object.fromEntries(
    selections.map((one) => [one.alias, projected(roots[one.name]!(one.args), one.fields)]),
  )
}

function projected(value: unknown, fields: readonly Selection[]): unknown {
  if (fields.length === 0 || value === null) return value
  if (Array.isArray(value)) return value.map((item) => projected(item, fields))
  const found = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    fields.map(({ name, alias, args, fields: under }) => {
      const member = found[name]
      return [alias, projected(typeof member === 'function' ? member(args) : (member ?? null), under)]
    }),
  )
}

/** Names, variables, numbers, and any other character alone; commas mean nothing. */
const TOKEN = /[A-Za-z_]\w*|\$[A-Za-z_]\w*|-?\d+|[^\s,]/g

/** Reads one anonymous query without fragments and directives: the gateway uses no others. */
class QueryReader {
  readonly #tokens: readonly string[]
  readonly #variables: Args
  readonly #declared = new Set<string>()
  #at = 0

  constructor(query: string, variables: Args) {
    this.#tokens = query.match(TOKEN) ?? []
    this.#variables = variables
  }

  read(): readonly Selection[] {
    if (this.#skip('query') && this.#skip('(')) {
      while (!this.#skip(')')) {
        this.#declared.add(this.#next(/^\$/))
        this.#expect(':')
        this.#next(/^\w/)
        this.#skip('!')
      }
    }
    const selections = this.#selections('Query')
    if (this.#at < this.#tokens.length) throw this.#unexpected()
    return selections
  }

  #selections(type: string): readonly Selection[] {
    this.#expect('{')
    const selections: Selection[] = []
    do selections.push(this.#selection(type))
    while (!this.#skip('}'))
    return selections
  }

  #selection(type: string): Selection {
    const alias = this.#next(/^[A-Za-z_]/)
    const name = this.#skip(':') ? this.#next(/^[A-Za-z_]/) : alias
    const fields = SERVED[type]!
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field === undefined) throw this.#invalid(`Unknown field "${name}" on type "${type}".`)
    const args: Record<string, unknown> = {}
    if (this.#skip('(')) {
      while (!this.#skip(')')) {
        const argument = this.#next(/^[A-Za-z_]/)
        if (field.args?.includes(argument) !== true) {
          throw this.#invalid(`Unknown argument "${argument}" on field "${name}" of type "${type}".`)
        }
        this.#expect(':')
        args[argument] = this.#value()
      }
    }
    const isObject = field.type !== undefined
    if (isObject !== (this.#tokens[this.#at] === '{')) {
      throw this.#invalid(`Field "${name}" of type "${type}" must${isObject ? '' : ' not'} have a selection.`)
    }
    return { name, alias, args, fields: isObject ? this.#selections(field.type!) : [] }
  }

  #value(): unknown {
    const token = this.#next(/^(?:\$\w|-?\d|(?:true|false|null)$)/)
    if (!token.startsWith('$')) return JSON.parse(token)
    if (!this.#declared.has(token)) throw this.#invalid(`Variable "${token}" is not defined.`)
    return this.#variables[token.slice(1)] ?? null
  }

  #skip(token: string): boolean {
    const isHere = this.#tokens[this.#at] === token
    if (isHere) this.#at++
    return isHere
  }

  #expect(token: string): void {
    if (!this.#skip(token)) throw this.#unexpected()
  }

  #next(kind: RegExp): string {
    const token = this.#tokens[this.#at]
    if (token === undefined || !kind.test(token)) throw this.#unexpected()
    this.#at++
    return token
  }

  #unexpected(): QueryError {
    return new QueryError('GRAPHQL_PARSE_FAILED', `Unexpected ${this.#tokens[this.#at] ?? 'end of query'}`)
  }

  #invalid(message: string): QueryError {
    return new QueryError('GRAPHQL_VALIDATION_FAILED', message)
  }
}
