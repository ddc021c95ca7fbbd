/** Starts a lane and waits for its end. */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { processesOf } from './processes.mjs'

const LOADER = new URL('../ts-loader.mjs', import.meta.url).href
const LANE = fileURLToPath(new URL('lane.mjs', import.meta.url))

/**
 * The cores have other lanes, from which a collection's own threads would take; and most of what a test allocates is
 * garbage before a young generation of this size is full.
 */
const FLAGS = [
  '--enable-source-maps',
  '--single-threaded-gc',
  '--max-semi-space-size=64',
  '--initial-heap-size=1024',
]
/** Most code of a run is hot for a moment only: optimizing it later takes a tenth off. Newer versions refuse the flag. */
const FLAGS_OF_20 = ['--interrupt-budget=1000000']

/** Until what a test has killed is gone. */
const GONE_MS = 4_000

/** Lanes lead sessions of their own, which a terminal's Ctrl+C does not reach. */
const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const { pid } of running) killSession(pid)
    process.exit(1)
  })
}

/**
 * @param {string[]} files
 * @param {{ node: string, seed: string, samples: string, isShown?: boolean, onMessage?: (message: object) => void }} options  `isShown` writes the
 *   lane's TAP
 * @returns {Promise<{ code: number | null, signal: string | null, output: string, orphans: string[] }>}
 *   the commands of processes that were left behind, and ended
 */
export async function runLane(files, { node, seed, samples, isShown = false, onMessage }) {
  const child = spawn(node, [...flagsOf(node), `--import=${LOADER}`, LANE], {
    env: {
      ...process.env,
      LANE_FILES: JSON.stringify(files),
      LANE_SEED: seed,
      LANE_SAMPLES: samples,
      TAP: isShown ? '1' : '0',
      TAP_TYPE_STRIP_ONLY: '1',
    },
    stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe', 'ipc'],
    detached: true,
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  child.on('message', (message) => onMessage?.(message))
  // Not `close`: what a lane leaves behind may hold its pipes.
  const [code, signal] = await new Promise((resolve) => child.once('exit', (...end) => resolve(end)))
  const orphans = await endOrphans(child.pid)
  running.delete(child)
  return { code, signal, output, orphans }
}

function flagsOf(node) {
  const isOf20 = node === process.execPath && process.versions.node.startsWith('20.')
  return isOf20 ? [...FLAGS, ...FLAGS_OF_20] : FLAGS
}

async function endOrphans(session) {
  for (let left = GONE_MS; left > 0; left -= 50) {
    if (processesOf(session).length === 0) return []
    await sleep(50)
  }
  const commands = processesOf(session).map(({ command }) => command)
  killSession(session)
  return commands
}

function killSession(session) {
  for (const { pid } of processesOf(session)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}
