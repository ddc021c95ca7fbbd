/**
 * Reads the configuration, starts the gateway, and stops it on a signal.
 */
import { type Config, ConfigError, readConfig } from './config/config.ts'
import { readFlags } from './config/flags.ts'
import { helpText } from './config/help.ts'
import { StartError } from './gateway/start-error.ts'
import { loadSandbox, startGateway } from './gateway.ts'
import { CLOCK } from './runtime/clock.ts'
import { createLogger } from './runtime/log.ts'
import { VERSION } from './runtime/version.ts'

async function main(): Promise<void> {
  const flag = readFlags(process.argv.slice(2))
  if (flag === '--help') return void process.stdout.write(helpText())
  if (flag === '--version') return void process.stdout.write(`${VERSION}\n`)

  const config = readConfig(process.env)
  if (flag === '--check') return process.exit((await checkAll(config)) ? 0 : 1)
  const { log, flush, end, dropped } = createLogger(config.logLevel)
  process.on('uncaughtExceptionMonitor', (error) => {
    log.fatal({ err: error }, 'uncaught exception')
    flush()
  })
  const starting = startGateway(config, log, { droppedLines: dropped })

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
  const reload = async (): Promise<void> => {
    await (await starting).reload()
    flush()
  }
  process.on('SIGHUP', () => void reload().catch(exit))
  await starting
  // Only after the signals have listeners: a supervisor that reads `listening` may send one at once.
  flush()
}

/** @returns whether every family of chains can build */
async function checkAll(config: Config): Promise<boolean> {
  const { check } = await import('./gateway/check.ts')
  const sandbox = config.mode === 'sandbox' ? await loadSandbox(config, CLOCK) : null
  const { log } = createLogger('silent')
  const { text, canBuild } = await check(config, log, sandbox)
  await sandbox?.close()
  await new Promise<void>((done) => process.stdout.write(text, () => done()))
  return canBuild
}

function exit(error: unknown): void {
  const isExpected =
    error instanceof ConfigError ||
    error instanceof StartError ||
    (error as NodeJS.ErrnoException).syscall === 'listen'
  process.stderr.write(`swapgate: ${isExpected ? (error as Error).message : (error as Error).stack}\n`)
  process.exit(1)
}

main().catch(exit)
