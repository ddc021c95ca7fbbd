import t from 'tap'
import { answer, QueryError } from '../../../src/sandbox/sui/graphql.ts'

const ROOTS = {
  checkpoint: () => ({ sequenceNumber: 7, digest: 'x' }),
  address: ({ address }: { readonly address?: unknown }) => ({
    address,
    balance: ({ coinType }: { coinType: unknown }) => ({ totalBalance: `${address} ${coinType}` }),
  }),
  coinMetadata: () => null,
}

t.test('the asked fields are answered, by their aliases and no others', async (t) => {
  const query = `query ($owner: SuiAddress!, $coin: String) {
    checkpoint { sequenceNumber }
    mine: address(address: $owner) { balance(coinType: $coin) { all: totalBalance } }
    coinMetadata(coinType: $coin) { decimals }
  }`
  t.same(answer(query, { owner: '0x1', coin: 'C' }, ROOTS), {
    checkpoint: { sequenceNumber: 7 },
    mine: { balance: { all: '0x1 C' } },
    coinMetadata: null,
  })
})

t.test('what the schema lacks is refused as a node refuses it', async (t) => {
  const cases = [
    ['{ checkpoint { error } }', 'GRAPHQL_VALIDATION_FAILED', 'Unknown field "error" on type "Checkpoint".'],
    ['{ checkpoint { toString } }', 'GRAPHQL_VALIDATION_FAILED', /Unknown field "toString"/],
    ['{ checkpoint(at: 1) { sequenceNumber } }', 'GRAPHQL_VALIDATION_FAILED', /Unknown argument "at"/],
    ['{ checkpoint }', 'GRAPHQL_VALIDATION_FAILED', /must have a selection/],
    ['{ checkpoint { sequenceNumber { x } } }', 'GRAPHQL_VALIDATION_FAILED', /must not have a selection/],
    ['{ address(address: $a) { address } }', 'GRAPHQL_VALIDATION_FAILED', /Variable "\$a" is not defined/],
    ['{ checkpoint { sequenceNumber }', 'GRAPHQL_PARSE_FAILED', /end of query/],
    ['{ checkpoint { sequenceNumber } } }', 'GRAPHQL_PARSE_FAILED', /Unexpected }/],
    ['mutation { x }', 'GRAPHQL_PARSE_FAILED', /Unexpected mutation/],
  ] as const
  for (const [query, code, message] of cases) {
    let thrown: unknown
    try {
      answer(query, {}, ROOTS)
    } catch (error) {
      thrown = error
    }
    t.ok(thrown instanceof QueryError, query)
    t.match(thrown, { code, message })
  }
})
