/** The settings that were given, as a recording of RECORD_DIR may name them. */
import { createHash } from 'node:crypto'
import { secretsOf } from '../upstream/secrets.ts'
import { settingsIn } from './setting.ts'
import { SETTINGS } from './settings.ts'

export type Given = ReturnType<typeof givenIn>

/** They are of this machine or of this process: a replay has its own, or none. */
const LEFT_OUT =
  /^(HOST|PORT|WORKERS|WS_PORT|ADMIN_HOST|ADMIN_PORT|RECORD_\w+|REDIS_\w+|\w+_PROXY|LOG_\w+|\w+_FILE|\w+_DIR)$/
/** In place of a key: long enough for each. */
const KEY = 'x'.repeat(32)
const URL_IN = /https?:\/\/[^\s,]+/gi

/** @returns the public settings by variable, without keys and hosts; their digest; and the texts that no recording may have */
export function givenIn(environment: Readonly<Record<string, string | undefined>>) {
  const hosts: string[] = []
  let count = 0
  const secrets = new Set<string>()
  const settings: Record<string, string> = {}
  for (const { variable, isSecret } of settingsIn(SETTINGS)) {
    const text = environment[variable]?.trim()
    if (!text) continue
    const urls = isSecret ? (text.match(URL_IN) ?? []).filter((url) => URL.canParse(url)) : []
    if (isSecret && text !== 'off') {
      for (const url of urls) for (const secret of secretsOf(new URL(url), [], [])) secrets.add(secret)
      if (urls.length === 0) secrets.add(text.toLowerCase())
    }
    if (LEFT_OUT.test(variable)) continue
    settings[variable] =
      !isSecret || text === 'off' ? text : urls.length === 0 ? KEY : text.replace(URL_IN, named)
  }
  const digest = createHash('sha256').update(JSON.stringify(settings)).digest('hex')
  return { settings, digest, secrets: [...secrets] }

  /** One host stays one host, and the interface that its path stands for stays. */
  function named(text: string): string {
    if (!URL.canParse(text)) return text
    const { host, pathname } = new URL(text)
    if (!hosts.includes(host)) hosts.push(host)
    const path = /\/jsonrpc\/?$/i.test(pathname) ? '/jsonRPC' : ''
    // One host may have several URLs, which differ.
    return `http://upstream-${hosts.indexOf(host) + 1}.invalid/${count++}${path}`
  }
}
