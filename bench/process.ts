/**
 * Servers as child processes, each pinned to a core that its client does not
 * use, and what the kernel says of them. Linux only: it reads /proc and calls
 * taskset.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Mode } from './serve.ts'

export const SERVER_CORE = 0
/** For whoever asks, and for the stub of a node. The same core where there is only one. */
export const CLIENT_CORE = Math.min(1, availableParallelism() - 1)

/** /proc counts processor time in these, on every Linux that Node.js runs on. */
const TICK_MS = 10
const POLL_MS = 20
const START_TIMEOUT_MS = 15_000

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** The service as users run it; beside this file's own bundle. */
export const GATEWAY = fileURLToPath(new URL('../main.js', import.meta.url))

/** The same as a container runs it: one file. */
export const IMAGE = fileURLToPath(new URL('../image/swapgate.cjs', import.meta.url))

/** The simulated outside world, alone. */
export const SANDBOX = fileURLToPath(new URL('../sandbox/main.js', import.meta.url))

/** A program of this project: its bundle, and its arguments where it has any. */
export type Program = string | readonly [script: string, mode: Mode]

/** A server to compare with, or a stub of a node. */
export const peer = (mode: Mode): Program => [fileURLToPath(new URL('serve.js', import.meta.url)), mode]

/** Puts this process, with all of its threads, on the client's core. */
export function pinClient(): void {
  const { status } = spawnSync('taskset', ['-apc', String(CLIENT_CORE), String(process.pid)])
  if (status !== 0) throw new Error('All parts but micro need Linux with taskset.')
}

/** Starts a program on a core, with a clean environment. @param stdout  what becomes of its log */
export function launch(
  program: Program,
  core: number,
  environment: Readonly<Record<string, string>>,
  stdout: 'ignore' | 'pipe',
): ChildProcess {
  const child = spawn('taskset', ['-c', String(core), process.execPath, ...[program].flat()], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', stdout, 'inherit'],
  })
  return leashed(child)
}

/** The same child, which does not outlive this process. */
function leashed(child: ChildProcess): ChildProcess {
  const kill = (): unknown => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

/** A process that takes all that it gets of a core. */
export function occupy(core: number): ChildProcess {
  const args = ['-c', String(core), process.execPath, '--eval', 'for (;;);']
  return leashed(spawn('taskset', args, { stdio: 'ignore' }))
}

/** A server that takes connections; what it logs is written to nowhere. */
export async function startServer(
  program: Program,
  environment: Readonly<Record<string, string>> = {},
  core: number = SERVER_CORE,
): Promise<ServerProcess> {
  const port = await freePort()
  const child = launch(program, core, { PORT: String(port), ...environment }, 'ignore')
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error('A server did not start.')
    await sleep(POLL_MS)
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => stop(child) }
}

/** What a process that was launched with a pipe says first; the rest is thrown away. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', resolve)
    child.once('exit', () => reject(new Error('A server did not start.')))
  })
}

/** Resolves when the process is gone. */
export async function stop(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode === null && child.kill('SIGKILL')) await gone
}

/** Processor time that a process has used, in user and kernel mode, in ms. */
export function cpuMs(pid: number): number {
  // Behind the name, which is in parentheses and may contain spaces, utime and stime are the 12th and 13th.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))![1]) / 1_024
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
