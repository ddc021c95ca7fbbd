import t from 'tap'
import { readConfig } from '../../../src/config/config.ts'
import { partOf } from '../../../src/gateway/threads/worker.ts'

const LOG = { warn: () => {} } as never
const START = { workers: 4, secret: 's'.repeat(32), ports: { http: 8_080, ws: null } }

t.test(
  "a worker's part: bounds of the process are divided, and a client has twice an equal part",
  async (t) => {
    const whole = readConfig({
      MODE: 'live',
      PORT: '0',
      MAX_CONNECTIONS: '1001',
      MAX_CONNECTIONS_PER_CLIENT: '10',
      MAX_STREAMS: '100',
      IN_FLIGHT: '8/256',
    })
    t.match(partOf(whole, LOG, START), {
      port: 8_080,
      wsPort: 'off',
      quoteSecret: START.secret,
      maxConnections: 251,
      maxConnectionsPerClient: 5,
      maxStreams: 25,
      inFlight: { client: 8, global: 64 },
      limits: whole.limits,
    })
  },
)

t.test(
  'a client gets no more of one worker than of the process, and what one client may have is left to it',
  async (t) => {
    const whole = readConfig({ MODE: 'live', MAX_CONNECTIONS_PER_CLIENT: '1', IN_FLIGHT: '8/16' })
    t.match(partOf(whole, LOG, START), { maxConnectionsPerClient: 1, inFlight: { client: 8, global: 8 } })
  },
)
