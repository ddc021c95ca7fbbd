/** Reads the environment into one frozen Config. No other file of the service reads environment variables. */
import { shown } from '../runtime/shown.ts'
import { type Given, givenIn } from './given.ts'
import { misspelled } from './misspelled.ts'
import { isSetting, type Setting, type SettingGroup, settingsIn, type Values } from './setting.ts'
import { SETTINGS } from './settings.ts'

export type Config = Values<typeof SETTINGS> & {
  /** The settings as a recording names them; null without RECORD_DIR. */
  readonly given: Given | null
}

type Environment = Readonly<Record<string, string | undefined>>

/** A start-up failure that names every bad value at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the configuration. An empty variable counts as not set, because container tools cannot unset one.
 *
 * @throws ConfigError  lists each variable that is wrong or misspelled, its value and what is accepted
 */
export function readConfig(environment: Environment): Config {
  const problems: string[] = []
  const config = readGroup(SETTINGS, environment, problems) as Values<typeof SETTINGS>
  const { key, secret } = config.goplusApp
  if ((key === null) !== (secret === null)) problems.push(APP_HALF)
  problems.push(...misspelled(environment, [...variableNames(), ...inLowerCase()]))
  const isSharedUnsealed = environment.REDIS_URL?.trim() && !environment.QUOTE_SECRET?.trim()
  if (isSharedUnsealed) problems.push(SECRET_NEEDED)
  const isAdminMissing = config.operations === 'admin' && config.adminPort === null
  if (isAdminMissing) problems.push(ADMIN_NEEDED)
  const isRecorded = config.record.dir !== null
  if (isRecorded && config.workers > 1) problems.push(ONE_WORKER)
  if (problems.length > 0) throw new ConfigError(`bad configuration:\n  ${problems.join('\n  ')}`)
  return Object.freeze({ ...config, given: isRecorded ? givenIn(environment) : null })
}

/** Instances seal what they share with the secret, so they cannot each make up their own. */
const SECRET_NEEDED =
  'REDIS_URL needs QUOTE_SECRET, the same for all instances: openssl rand -base64 32 makes one'

const APP_HALF = 'GOPLUS_APP_KEY and GOPLUS_APP_SECRET go together: set both, or neither'

const ONE_WORKER = 'RECORD_DIR needs WORKERS=1: a recording has the state of one thread'

const ADMIN_NEEDED = 'OPERATIONS=admin needs ADMIN_PORT, the port of the listener that answers them'

function readGroup(group: SettingGroup, environment: Environment, problems: string[]): object {
  const values = Object.entries(group).map(([name, member]) => [
    name,
    isSetting(member) ? readSetting(member, environment, problems) : readGroup(member, environment, problems),
  ])
  return Object.freeze(Object.fromEntries(values))
}

function readSetting(
  { variable, fallback = '', format, isSecret, isShared }: Setting<unknown>,
  environment: Environment,
  problems: string[],
): unknown {
  const lower = isShared ? environment[variable.toLowerCase()]?.trim() : ''
  const text = environment[variable]?.trim() || lower || fallback
  try {
    const value = format.parse(text)
    if (value !== undefined) return value
    throw new TypeError(`expected ${format.accepts}`)
  } catch (error) {
    problems.push(`${variable}=${isSecret ? '(not shown)' : `"${shown(text)}"`}: ${(error as Error).message}`)
    return undefined
  }
}

/** The names in lower case under which shared variables are read as well. */
const inLowerCase = (): readonly string[] =>
  settingsIn(SETTINGS).flatMap(({ variable, isShared }) => (isShared ? [variable.toLowerCase()] : []))

/** The names of all variables that are read. */
export function variableNames(): readonly string[] {
  return settingsIn(SETTINGS).map(({ variable }) => variable)
}
