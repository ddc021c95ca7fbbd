/** What a gateway calls outside where its operator names nothing. */
import pino from 'pino'
import t from 'tap'
import { OPEN_ACCESS } from '../../src/chains/access.ts'
import { readConfig } from '../../src/config/config.ts'
import { HeldBytes } from '../../src/flow/held-bytes.ts'
import { createUpstreams } from '../../src/gateway/upstreams.ts'
import { CLOCK } from '../../src/runtime/clock.ts'

t.test('without nodes of the operator, two parties of Solana can be asked in live mode', async (t) => {
  const unused = null as never
  const { solana } = createUpstreams({
    config: readConfig({ MODE: 'live' }),
    access: OPEN_ACCESS,
    log: pino({ enabled: false }),
    clock: CLOCK,
    deadlines: unused,
    nameClient: unused,
    sandbox: null,
    shareLimits: null,
    metrics: null,
    limitsAsPublic: false,
    held: new HeldBytes(),
  })
  t.equal(solana.voters.length, 2)
  await solana.close()
})
