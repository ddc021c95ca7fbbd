import { execFileSync } from 'node:child_process'
import t from 'tap'
import { connectionsWithin, openFileLimit, perPeerOf } from '../../../src/http/connections/open-files.ts'

const MODULE = new URL('../../../src/http/connections/open-files.ts', import.meta.url).href
const LOADER = new URL('../../../scripts/ts-loader.mjs', import.meta.url).href

t.test('the limit is that of this process', { skip: process.platform === 'win32' }, async (t) => {
  const script = `import(${JSON.stringify(MODULE)}).then(({ openFileLimit }) => console.log(openFileLimit()))`
  const command = 'ulimit -S -n 600; ulimit -H -n 700; exec "$0" --import="$1" -e "$2"'
  const shown = execFileSync('sh', ['-c', command, process.execPath, LOADER, script], { encoding: 'utf8' })
  t.equal(Number(shown), 700, 'node raises the soft limit to the hard one')
  t.ok(openFileLimit() > 0)
})

t.test('elsewhere it is what the report of node says', async (t) => {
  t.equal(openFileLimit('darwin'), openFileLimit())
})

t.test('caps follow from it', async (t) => {
  const cases: [openFiles: number, connections: number, perPeer: number][] = [
    [128, 64, 8],
    [1_024, 768, 96],
    [4_096, 3_840, 256],
    [1_048_576, 10_000, 256],
    [Infinity, 10_000, 256],
  ]
  for (const [openFiles, connections, perPeer] of cases) {
    t.equal(connectionsWithin(openFiles), connections)
    t.equal(perPeerOf(connections), perPeer)
  }
})
