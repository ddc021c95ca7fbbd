/** The command line has three flags. Everything else is configured by environment variables. */
import { nearest } from '../runtime/nearest.ts'
import { shown } from '../runtime/shown.ts'
import { ConfigError, variableNames } from './config.ts'

const FLAGS = ['--help', '--version', '--check'] as const
type CommandFlag = (typeof FLAGS)[number]

/**
 * @returns the first flag; null if there is none, which starts the service
 * @throws ConfigError  for any other argument; names what was probably meant
 */
export function readFlags(given: readonly string[]): CommandFlag | null {
  for (const text of given) {
    if (FLAGS.includes(text as CommandFlag)) continue
    // The text after the `=` may be a key, so it is not repeated.
    const [name = ''] = text.split('=', 1)
    throw new ConfigError(`"${shown(name)}" is not a flag: ${meantBy(name)}`)
  }
  return (given[0] as CommandFlag | undefined) ?? null
}

function meantBy(name: string): string {
  const flag = nearest(name, FLAGS)
  if (flag !== null) return `${flag} is`
  const variable = nearest(name, variableNames())
  const all = `${FLAGS.join(', ')} are, and settings are environment variables`
  return variable === null ? all : `${all}, such as ${variable}`
}
