/**
 * Runs servers as child processes, pinned to another core than their client, and reads
 * their processor time and memory. Linux only: it reads /proc and calls taskset.
 */
import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '../../src/sandbox/index.ts'
import type { Mode } from '../serve.ts'

export const SERVER_CORE = 0
/** The core of the clients and of the stub nodes; the servers' core where the machine has only one. */
export const CLIENT_CORE = Math.min(1, availableParallelism() - 1)

/** As taskset lists them. */
export const ALL_CORES = `0-${availableParallelism() - 1}`

const POLL_MS = 20
const START_TIMEOUT_MS = 15_000

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

/** The service as users run it: its bundle, next to the folder of the bundle that holds this file. */
export const GATEWAY = fileURLToPath(new URL('../main.js', import.meta.url))

/** The service as a container runs it: one file. */
export const IMAGE = fileURLToPath(new URL('../image/swapgate.cjs', import.meta.url))

/** The sandbox, stand-alone: every upstream, simulated. */
export const SANDBOX = fileURLToPath(new URL('../sandbox/main.js', import.meta.url))

/** A bundled program, with its arguments. */
export type Program = string | readonly [script: string, ...values: readonly string[]]

/** A server to compare the service with, or a stub of a node. */
export const peer = (mode: Mode): Program => [fileURLToPath(new URL('serve.js', import.meta.url)), mode]

/** Pins this process, with all its threads, to the clients' core. */
export function pinClient(): void {
  const { status } = spawnSync('taskset', ['-apc', String(CLIENT_CORE), String(process.pid)])
  if (status !== 0) throw new Error('All parts but micro need Linux with taskset.')
}

/**
 * Starts a program on a core, with this environment and PATH alone. A gateway's own sandbox answers at once.
 * @param stdout  whether its log is read
 */
export function launch(
  program: Program,
  core: number | string,
  environment: Readonly<Record<string, string>>,
  stdout: 'ignore' | 'pipe',
  stdin: 'ignore' | 'pipe' = 'ignore',
  node: string = process.execPath,
): ChildProcess {
  return launchCommand([node, ...[program].flat()], core, environment, [stdin, stdout, 'inherit'])
}

/** Starts any program on a core, with this environment and PATH alone. */
function launchCommand(
  command: readonly string[],
  core: number | string,
  environment: Readonly<Record<string, string>>,
  stdio: StdioOptions,
): ChildProcess {
  const env = { PATH: process.env.PATH, SANDBOX_PROVIDERS: 'ideal', ...environment }
  return leashed(spawn('taskset', ['-c', String(core), ...command], { env, stdio }))
}

const children = new Set<ChildProcess>()
const killAll = (): void => {
  for (const child of children) child.kill('SIGKILL')
}

/** Kills the child when this process exits. @returns the child */
function leashed(child: ChildProcess): ChildProcess {
  if (!process.listeners('exit').includes(killAll)) process.once('exit', killAll)
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Starts a process that loads a core with all the time it gets. */
export function acquire(core: number): ChildProcess {
  const args = ['-c', String(core), process.execPath, '--eval', 'for (;;);']
  return leashed(spawn('taskset', args, { stdio: 'ignore' }))
}

/** Starts a server, and resolves when it accepts connections; its log is discarded. */
export async function startServer(
  program: Program,
  environment: Readonly<Record<string, string>> = {},
  core: number | string = SERVER_CORE,
  node: string = process.execPath,
): Promise<ServerProcess> {
  const port = await freePort()
  const child = launch(program, core, { PORT: String(port), ...environment }, 'ignore', 'ignore', node)
  return listening(child, port)
}

/**
 * Starts a proxy before a server, on the servers' core.
 * @param command  of a proxy that stays in the foreground
 */
export async function startProxy(command: (port: number) => readonly string[]): Promise<ServerProcess> {
  const port = await freePort()
  return listening(launchCommand(command(port), SERVER_CORE, {}, ['ignore', 'ignore', 'inherit']), port)
}

async function listening(child: ChildProcess, port: number): Promise<ServerProcess> {
  const deadline = performance.now() + START_TIMEOUT_MS
  while (!(await takesConnections(port))) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error('A server did not start.')
    await sleep(POLL_MS)
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop: () => stop(child) }
}

/** The settings by which a gateway uses the sandbox's providers. */
export const providerUrls = ({ urls }: Sandbox): Record<string, string> => ({
  ...Object.fromEntries(Object.entries(urls).map(([name, url]) => [`${name.toUpperCase()}_URL`, url])),
  LOGOS: urls.logos!,
})

/** The first line that a process launched with a pipe writes; the rest is discarded. */
export function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', resolve)
    child.once('exit', () => reject(new Error('A server did not start.')))
  })
}

/** Kills a process, and resolves when it has exited. */
export async function stop(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  if (child.exitCode === null && child.kill('SIGKILL')) await gone
}

/**
 * The processor time so far of all threads of a process and its children, in user and kernel mode, ms. Neither Node.js
 * nor a proxy ends any of them.
 */
export function cpuMs(pid: number): number {
  let ms = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const read = (name: string): string => readFileSync(`/proc/${pid}/task/${thread}/${name}`, 'latin1')
    ms += Number(read('schedstat').split(' ')[0]) / 1e6
    for (const child of read('children').split(' ').filter(Boolean)) ms += cpuMs(Number(child))
  }
  return ms
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
