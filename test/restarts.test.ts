/** The service is restarted under load, and no client loses a request. test/long/ has the hundred restarts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { restartUnderLoad } from '../bench/restarts.ts'
import { buildPrograms } from './fixtures/programs.ts'

/** One of each instance. */
const RESTARTS = 2
/** Clients on a busy machine notice as well that an instance is not ready. */
const DRAIN_DELAY_MS = 4_000

t.test('restarts lose no request of clients that keep their connections', async (t) => {
  const dist = mkdtempSync(join(tmpdir(), 'swapgate-'))
  t.teardown(() => rmSync(dist, { recursive: true }))
  buildPrograms(dist)
  const script = join(dist, 'main.js')
  const { requests, failures, farewells } = await restartUnderLoad(script, RESTARTS, DRAIN_DELAY_MS)
  t.same(failures, [])
  t.ok(requests > 100, `${requests} requests`)
  t.equal(farewells, 2 * RESTARTS, 'each event stream and each WebSocket ended with its sign')
})
