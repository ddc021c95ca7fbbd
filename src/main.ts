/**
 * Reads the configuration, starts the gateway, and stops it on a signal. The program is loaded once SIGHUP has
 * a listener: without one, the signal ends the process.
 */
import { isMainThread } from 'node:worker_threads'
import type { Config } from './config/config.ts'

/** Handles SIGHUP once the gateway has started: earlier signals are kept until then. */
let onStarted: (reload: () => Promise<void>) => void
const started = new Promise<() => Promise<void>>((resolve) => {
  onStarted = resolve
})
if (isMainThread) process.on('SIGHUP', () => void started.then((reload) => reload()).catch(exit))

/** Errors that the operator can fix; their messages say how. */
const EXPECTED = ['ConfigError', 'StartError']

async function main(): Promise<void> {
  if (!isMainThread) return runThread()
  const { readConfig } = await import('./config/config.ts')
  const { readFlags } = await import('./config/flags.ts')
  const { VERSION } = await import('./runtime/version.ts')
  const flag = readFlags(process.argv.slice(2))
  if (flag === '--help') return void process.stdout.write((await import('./config/help.ts')).helpText())
  if (flag === '--version') return void process.stdout.write(`${VERSION}\n`)

  const config = readConfig(process.env)
  if (flag === '--check') return process.exit((await checkAll(config)) ? 0 : 1)
  const { forPeople } = await import('./config/terminal.ts')
  const { createLogger } = await import('./runtime/log.ts')
  const { startGateway } = await import('./gateway.ts')
  const { log, flush, end, dropped } = createLogger({ ...config, forPeople })
  process.on('uncaughtExceptionMonitor', (error) => {
    log.fatal({ err: error }, 'uncaught exception')
    flush()
  })
  const starting = startGateway(config, log, { droppedLines: dropped, program: process.argv[1]! })

  let stopping = false
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    const gateway = await starting
    const whole = await gateway.stop()
    log.info({ whole }, 'stopped')
    await end()
    process.exit(0)
  }
  // Before the gateway has started: the first process of a container gets only signals that it listens to.
  process.on('SIGTERM', (signal) => void stop(signal).catch(exit))
  process.on('SIGINT', (signal) => void stop(signal).catch(exit))
  const { reload } = await starting
  onStarted(async () => {
    await reload()
    flush()
  })
  // Only after the signals have listeners: a supervisor that reads `listening` may send one at once.
  flush()
}

/** Serves as one of WORKERS. */
async function runThread(): Promise<void> {
  const { runWorker } = await import('./gateway/threads/worker.ts')
  const { startGateway } = await import('./gateway.ts')
  await runWorker(startGateway)
}

/** @returns whether every family of chains can build */
async function checkAll(config: Config): Promise<boolean> {
  const { check } = await import('./gateway/check.ts')
  const { loadSandbox } = await import('./gateway.ts')
  const { CLOCK } = await import('./runtime/clock.ts')
  const { createLogger } = await import('./runtime/log.ts')
  const sandbox = config.mode === 'sandbox' ? await loadSandbox(config, CLOCK) : null
  const { log } = createLogger({ logLevel: 'silent' })
  const { text, canBuild } = await check(config, log, sandbox)
  await sandbox?.close()
  await new Promise<void>((done) => process.stdout.write(text, () => done()))
  return canBuild
}

/** Ends the thread, and tells the primary. */
function rethrow(error: unknown): void {
  process.nextTick(() => {
    throw error
  })
}

function exit(error: unknown): void {
  const { name, message, stack } = error as Error
  process.stderr.write(`swapgate: ${EXPECTED.includes(name) ? message : stack}\n`)
  process.exit(1)
}

main().catch(isMainThread ? exit : rethrow)
