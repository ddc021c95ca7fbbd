import t from 'tap'
import { createUpstreamContext } from '../../../../src/upstream/context.ts'
import { jitoTips } from '../../../../src/upstream/nodes/solana/jito-tips.ts'
import { LANDING_SERVICES } from '../../../../src/upstream/nodes/solana/landing-services.ts'
import { hostileUpstream, status } from '../../../fixtures/hostile-upstream.ts'

const ROWS = LANDING_SERVICES.map((row) => (row.name === 'Jito' ? { ...row, host: /^127\.0\.0\.1$/ } : row))

t.test("Jito's accounts are asked of Jito, where a submission service is its", async (t) => {
  const server = await hostileUpstream(t)
  const open = (path: string) => {
    const tips = jitoTips([server.url + path], createUpstreamContext(), ROWS)!
    t.teardown(() => tips.close())
    return tips.accounts.renew()
  }
  server.behaviour = status(200, '{"jsonrpc":"2.0","id":1,"result":["one","two"]}')
  t.same([...(await open('/?uuid=key'))!], ['one', 'two'])
  t.match(server.requests.at(-1)!.head, /^POST \/api\/v1\/getTipAccounts\?uuid=key HTTP/)
  t.match(server.requests.at(-1)!.body, /"method":"getTipAccounts"/)
  for (const body of ['{"result":[]}', '{"result":[7]}', '{"error":{"code":-32097}}', '[]', 'x']) {
    server.behaviour = status(200, body)
    t.equal(await open(''), null, body)
  }
  t.equal(jitoTips(['https://other.example'], createUpstreamContext(), ROWS), null)
  t.equal(jitoTips([], createUpstreamContext()), null)
})
