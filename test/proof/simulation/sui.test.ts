/** What a Sui node says of a transaction, and what becomes of it, whatever it says. */

import t from 'tap'
import { simulateSui } from '../../../src/proof/simulation/sui.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import { sui } from '../../../src/sandbox/sui/node.ts'
import { SuiRpc } from '../../../src/upstream/nodes/sui/rpc.ts'
import fc from '../../fixtures/fast-check.ts'
import { hostileUpstream, resets, status } from '../../fixtures/hostile-upstream.ts'
import { failureOf, OPTIONS, startProvider } from '../../fixtures/provider.ts'
import { BUY, builtFor, FROM, minOutOf, SELL, STRANGER, USDC } from '../../fixtures/sui.ts'

const change = (owner: string, repr: string, amount: string) => ({
  owner: { address: owner },
  coinType: { repr },
  amount,
})

const reply = (nodes: readonly object[], effects: object = {}) => ({
  data: {
    checkpoint: { sequenceNumber: 7 },
    simulateTransaction: {
      effects: {
        status: 'SUCCESS',
        gasEffects: { gasSummary: { computationCost: 5, storageCost: '7', storageRebate: 2 } },
        balanceChanges: { nodes, pageInfo: { hasNextPage: false } },
        ...effects,
      },
    },
  },
})

const simulate = (answer: unknown) => simulateSui('AA==', FROM, async () => JSON.stringify(answer))

t.test('the wallet’s changes are reported, each coin once, by canonical names', async (t) => {
  const nodes = [
    change(FROM, '0x2::sui::SUI', '-5'),
    change(FROM, `0x${'2'.padStart(64, '0')}::sui::SUI`, '-2'),
    change(FROM.toUpperCase().replace('0X', '0x'), USDC.address, '9'),
    change(STRANGER, USDC.address, '100'),
    change(FROM, '0x2::coin::LP<0x2::sui::SUI>', '-1'),
  ]
  t.same(await simulate(reply(nodes)), {
    by: 'simulateTransaction over GraphQL',
    at: 7,
    changes: [
      { token: null, amount: -7n },
      { token: USDC.address, amount: 9n },
      { token: '0x2::coin::LP<0x2::sui::SUI>', amount: -1n },
    ],
    gas: 10n,
  })
})

t.test('a failed or incomplete simulation does not count', async (t) => {
  t.equal(await simulate(reply([], { status: 'FAILURE' })), null)
  t.equal(await simulate({ data: { checkpoint: null, simulateTransaction: { effects: null } } }), null)
  const more = { balanceChanges: { nodes: [], pageInfo: { hasNextPage: true } } }
  t.equal(await simulate(reply([], more)), null)
  t.equal(await simulateSui('AA==', FROM, async () => null), null)
})

t.test('an answer of another shape is refused', async (t) => {
  const page = (nodes: unknown) => ({ balanceChanges: { nodes, pageInfo: { hasNextPage: false } } })
  const bad: unknown[] = [
    {},
    { data: {} },
    reply([], { status: 'MAYBE' }),
    reply([], page('none')),
    reply([], { gasEffects: null }),
    reply([], { gasEffects: { gasSummary: { computationCost: 5, storageCost: 7 } } }),
    reply([], { gasEffects: { gasSummary: { computationCost: -5, storageCost: 7, storageRebate: 0 } } }),
    reply([{ ...change(FROM, '0x2::sui::SUI', '1'), owner: null }]),
    reply([{ ...change(FROM, '0x2::sui::SUI', '1'), coinType: null }]),
    reply([change(FROM, '0x2::sui::SUI', '1.5')]),
    reply([change(FROM, '0x2::sui::SUI', '9'.repeat(41))]),
    reply([change('0xg', '0x2::sui::SUI', '1')]),
    reply(Array.from({ length: 51 }, () => change(FROM, '0x2::sui::SUI', '1'))),
  ]
  for (const answer of bad) t.match(await failureOf(simulate(answer)), { code: 'upstream_unusable' })
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (answer) => {
      try {
        return (await simulate(answer)) === null
      } catch (error) {
        return error instanceof GatewayError && error.code === 'upstream_unusable'
      }
    }),
    { numRuns: 300 },
  )
})

t.test("the sandbox's node executes by the bytes, and says that it is a ledger", async (t) => {
  const { url, requests } = await startProvider(t, sui)
  const rpc = new SuiRpc({ urls: [`${url}/graphql`] })
  t.teardown(() => rpc.close())
  const run = (base64: string) =>
    simulateSui(base64, FROM, (query, variables) => rpc.query(query, variables, OPTIONS))
  const bought = await run(builtFor(BUY))
  t.match(bought, { by: /by the sandbox's ledger$/, at: Number, gas: 2_000_000n })
  t.same(bought!.changes[0], { token: null, amount: -BUY.amountIn - 2_000_000n })
  t.equal(bought!.changes[1]!.token, USDC.address)
  t.ok(bought!.changes[1]!.amount >= minOutOf(BUY))
  const sold = await run(builtFor(SELL))
  t.match(
    new Map(sold!.changes.map(({ token, amount }) => [token, amount])).get(USDC.address),
    -SELL.amountIn,
  )
  t.equal(await run(builtFor({ ...SELL, amountIn: 10n ** 13n })), null, 'a wallet does not hold as much')
  t.match(requests[0]!.body, { variables: { transaction: { bcs: { value: builtFor(BUY) } } } })
})

t.test('one node is asked after the other', async (t) => {
  const [first, second] = [await hostileUpstream(t), await hostileUpstream(t)]
  const rpc = new SuiRpc({ urls: [first.url, second.url] })
  t.teardown(() => rpc.close())
  const whole = JSON.stringify(reply([]))
  second.behaviour = status(200, whole)
  const errorOf = (code: string) =>
    `{"data":null,"errors":[{"message":"no","extensions":{"code":"${code}"}}]}`
  for (const failing of [
    resets,
    status(200, '{"data":null,"errors":[{"message":"no"}]}'),
    status(200, errorOf('BAD_USER_INPUT')),
    status(400, '{"errors":[]}'),
  ]) {
    first.behaviour = failing
    t.equal(await rpc.query('{x}', {}, OPTIONS), whole)
  }
  for (const garbage of ['{"data":null}', 'garbage', '7', 'null', '[]']) {
    second.behaviour = status(200, garbage)
    t.match(await failureOf(rpc.query('{x}', {}, OPTIONS)), { code: /^upstream_/ }, garbage)
  }
})

t.test("a node's errors are reported as such, and its refusal of a transaction is not one", async (t) => {
  const node = await hostileUpstream(t)
  const rpc = new SuiRpc({ urls: [node.url] })
  t.teardown(() => rpc.close())
  const run = () => simulateSui('AA==', FROM, (query, variables) => rpc.query(query, variables, OPTIONS))
  const cases = [
    [{ code: 'GRAPHQL_PARSE_FAILED' }, /\(GRAPHQL_PARSE_FAILED\)\. Its schema lacks/],
    [{ code: 'INTERNAL_SERVER_ERROR' }, /\(INTERNAL_SERVER_ERROR\)\. Try again/],
    [{ code: '<https://key@node.example>' }, /\(no code\)/],
    [null, /\(no code\)/],
  ] as const
  for (const [extensions, message] of cases) {
    const errors = [{ message: 'secret words', extensions }]
    node.behaviour = status(200, JSON.stringify({ data: null, errors }))
    t.match(await failureOf(run()), { code: 'upstream_failed', message })
  }
  const errors = [{ message: 'Invalid argument: no gas', extensions: { code: 'BAD_USER_INPUT' } }]
  node.behaviour = status(200, JSON.stringify({ data: null, errors }))
  t.equal(await run(), null)
})
