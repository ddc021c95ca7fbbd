/** The service is restarted under load, and no client loses a request. `npm run soak -- restarts` does it a hundred times. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { restartUnderLoad } from '../../bench/load/restarts.ts'
import { buildPrograms } from '../fixtures/dist.ts'

const RESTARTS = 20

t.setTimeout(1_200_000)

t.test('restarts lose no request of clients that keep their connections', async (t) => {
  t.setTimeout(1_200_000)
  const dist = mkdtempSync(join(tmpdir(), 'swapgate-'))
  t.teardown(() => rmSync(dist, { recursive: true }))
  buildPrograms(dist)
  const { requests, failures, farewells, stopMs } = await restartUnderLoad(join(dist, 'main.js'), RESTARTS)
  t.same(failures, [])
  t.ok(requests > 100, `${requests} requests`)
  t.equal(farewells, 2 * RESTARTS, 'each event stream and each WebSocket ended with its sign')
  t.comment('ms from the signal to the exit', stopMs.map(Math.round))
})
