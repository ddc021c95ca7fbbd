import t from 'tap'
import { sui as sandboxSui } from '../../../../src/sandbox/sui/node.ts'
import { SuiRpc } from '../../../../src/upstream/nodes/sui/rpc.ts'
import { hostileUpstream, status } from '../../../fixtures/hostile-upstream.ts'
import { failureOf, OPTIONS, startProvider } from '../../../fixtures/provider.ts'

t.test("a coin's decimals are those of its metadata on the chain", async (t) => {
  const { url, market } = await startProvider(t, sandboxSui)
  const sui = new SuiRpc({ urls: [`${url}/graphql`] })
  t.teardown(() => sui.close())
  for (const token of market.tokens('sui').slice(0, 4)) {
    t.equal(await sui.decimals(token.address, OPTIONS), token.decimals, token.symbol)
  }
  const nowhere = `0x${'7'.repeat(64)}::none::NONE`
  t.equal((await failureOf(sui.decimals(nowhere, OPTIONS))).code, 'unknown_token')
})

t.test('a node that answers something else is unusable', async (t) => {
  const cases = [
    '"data":{"coinMetadata":{"decimals":"6"}}',
    '"data":{"coinMetadata":{"decimals":256}}',
    '"data":{"coinMetadata":{"decimals":-1}}',
    '"data":{"coinMetadata":6}',
    '"data":{}',
  ]
  for (const reply of cases) {
    const node = await hostileUpstream(t, status(200, `{${reply}}`))
    const sui = new SuiRpc({ urls: [node.url] })
    t.teardown(() => sui.close())
    t.equal((await failureOf(sui.decimals('0x2::sui::SUI', OPTIONS))).code, 'upstream_unusable', reply)
  }
})

t.test('what a node could not answer goes to the next one, and nothing else does', async (t) => {
  const good = '"data":{"coinMetadata":{"decimals":6}}'
  const cases: [first: string, asksSecond: boolean][] = [
    [good, false],
    [`"errors":[{"message":"busy"}],${good}`, true],
    ['"data":null', true],
    ['"data":"6"', true],
  ]
  for (const [first, asksSecond] of cases) {
    const [one, two] = [
      await hostileUpstream(t, status(200, `{${first}}`)),
      await hostileUpstream(t, status(200, `{${good}}`)),
    ]
    const sui = new SuiRpc({ urls: [one.url, two.url] })
    t.teardown(() => sui.close())
    t.equal(await sui.decimals('0x2::sui::SUI', OPTIONS), 6, first)
    t.same([one.requests.length, two.requests.length], [1, asksSecond ? 1 : 0], first)
  }
})

t.test('where no node can be asked, that is said', async (t) => {
  const node = await hostileUpstream(t, status(200, '{"data":{}}'))
  const sui = new SuiRpc({ urls: [node.url] })
  t.teardown(() => sui.close())
  const asked = sui.query('{ checkpoint { sequenceNumber } }', {}, OPTIONS.within(0))
  t.match(await failureOf(asked), { code: 'upstream_unavailable' })
  t.equal(node.requests.length, 0)
})
