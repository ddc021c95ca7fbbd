/**
 * Counts the instructions that a process executes, by Linux's perf. They vary far less than
 * processor time, but virtual machines and containers seldom let a program count them.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** The process's own; what the kernel does for it needs more rights. */
const EVENT = 'instructions:u'

export function canCountInstructions(): boolean {
  const { status, stderr } = spawnSync('perf', ['stat', '-x,', '-e', EVENT, 'true'], { encoding: 'utf8' })
  return status === 0 && countOf(stderr) !== null
}

/** @returns what the work returns, and the instructions of all the process's threads during it */
export async function countInstructions<Result>(
  pid: number,
  work: () => Promise<Result>,
  event = EVENT,
): Promise<[result: Result, instructions: number]> {
  // Two more pipes carry commands and their acknowledgements; counting starts at the first command.
  const args = ['stat', '-x,', '-e', event, '-p', String(pid), '-D', '-1', '--control', 'fd:3,4']
  const perf = spawn('perf', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] })
  const [, , , commands, acknowledgements] = perf.stdio as unknown as [
    null,
    null,
    Readable,
    Writable,
    Readable,
  ]
  const command = async (name: string): Promise<void> => {
    const acknowledged = once(acknowledgements, 'data')
    commands.write(`${name}\n`)
    await Promise.race([acknowledged, failed])
  }
  let output = ''
  perf.stderr!.on('data', (chunk) => (output += chunk))
  const ended = once(perf, 'close')
  const failed = ended.then(() => {
    throw new Error(`perf ended: ${output.trim()}`)
  })
  // Where perf ends, its pipes break, too.
  failed.catch(() => {})
  for (const pipe of [commands, acknowledgements]) pipe.on('error', () => {})
  try {
    await command('enable')
    const result = await work()
    await command('disable')
    perf.kill('SIGINT')
    await ended
    const count = countOf(output)
    if (count === null) throw new Error(`perf did not count: ${output.trim()}`)
    return [result, count]
  } finally {
    perf.kill('SIGKILL')
  }
}

/** @param output  of `perf stat -x,`; its last line is count, unit, event, ... @returns null if nothing was counted */
export function countOf(output: string): number | null {
  const count = Number.parseFloat(output.trim().split('\n').at(-1)!)
  return Number.isNaN(count) ? null : count
}
