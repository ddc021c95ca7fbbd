/** What the gateway asks Sui's nodes, and what the sandbox's node serves, by Sui's published schema. */
import { readdirSync, readFileSync } from 'node:fs'
import { buildSchema, getNamedType, isObjectType, parse, validate } from 'graphql'
import t from 'tap'
import { SIMULATE_QUERY } from '../../src/proof/simulation/sui.ts'
import { METADATA_QUERY, ORIGIN_QUERY, PACKAGES_QUERY } from '../../src/proof/sui/objects.ts'
import { SERVED } from '../../src/sandbox/sui/graphql.ts'
import { VERSIONS_QUERY } from '../../src/swap/tables/rows.ts'
import { BALANCE_QUERY, DECIMALS_QUERY } from '../../src/upstream/nodes/sui/rpc.ts'
import { readVectorText, skipWithout } from '../fixtures/vectors.ts'

const SCHEMA = 'sui-schema.graphql'
const QUERIES = {
  SIMULATE_QUERY,
  METADATA_QUERY,
  ORIGIN_QUERY,
  PACKAGES_QUERY,
  BALANCE_QUERY,
  DECIMALS_QUERY,
  VERSIONS_QUERY,
}
const SRC = new URL('../../src/', import.meta.url)

t.test('every query is known to this test', async (t) => {
  const found = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) => [
      ...readFileSync(new URL(name.replaceAll('\\', '/'), SRC), 'utf8').matchAll(/(\w+) =\s+['`]query[ ({]/g),
    ])
    .map(([, name]) => name!)
  t.same(found.sort(), Object.keys(QUERIES).sort())
})

t.test('every query is valid', { skip: skipWithout(SCHEMA) }, async (t) => {
  const schema = buildSchema(readVectorText(SCHEMA))
  for (const [name, query] of Object.entries(QUERIES)) {
    t.same(
      validate(schema, parse(query)).map(({ message }) => message),
      [],
      name,
    )
  }
  const [refused] = validate(schema, parse(SIMULATE_QUERY.replace('effects {', 'error effects {')))
  t.match(refused, { message: /Cannot query field "error" on type "SimulationResult"/ })
})

t.test("what the sandbox's node serves is in the schema", { skip: skipWithout(SCHEMA) }, async (t) => {
  const schema = buildSchema(readVectorText(SCHEMA))
  for (const [typeName, fields] of Object.entries(SERVED)) {
    const type = schema.getType(typeName)
    if (!isObjectType(type)) return t.fail(`${typeName} is no object type`)
    for (const [name, field] of Object.entries(fields)) {
      const published = type.getFields()[name]
      if (published === undefined) return t.fail(`${typeName} has no ${name}`)
      const args = published.args.map((arg) => arg.name)
      t.same(field.args?.filter((arg) => !args.includes(arg)) ?? [], [], `${typeName}.${name}`)
      const named = getNamedType(published.type)
      t.equal(field.type, isObjectType(named) ? named.name : undefined, `${typeName}.${name}`)
    }
  }
})
