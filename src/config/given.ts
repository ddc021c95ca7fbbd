/** The settings that were given, as a recording of RECORD_DIR may name them. */
import { createHash } from 'node:crypto'
import { basicTokenOf, secretsOf } from '../upstream/secrets.ts'
import { settingsIn } from './setting.ts'
import { SETTINGS } from './settings.ts'

export type Given = ReturnType<typeof givenIn>

/** They are of this machine or of this process: a replay has its own, or none. */
const LEFT_OUT =
  /^(HOST|PORT|WS_PORT|ADMIN_\w+|RECORD_\w+|REDIS_\w+|LOG_\w+|CLIENT_ADDRESS_HEADER|\w+_(PROXY|FILE|DIR))$/
/** In place of a key: long enough for each. */
const KEY = 'x'.repeat(32)
const URL_IN = /\b\w+:\/\/[^\s,]+/g
/** A shorter text is in every other one. */
const MIN_SECRET_LENGTH = 4

/**
 * @returns the public settings by variable, without keys and hosts; their digest; and the texts, in lower case, that no
 * recording may have
 */
export function givenIn(environment: Readonly<Record<string, string | undefined>>) {
  const hosts: string[] = []
  const secrets = new Set<string>()
  const settings: Record<string, string> = {}
  let count = 0
  /** One host stays one host, and what its path stands for stays. */
  const named = (text: string): string => {
    const { host, pathname } = new URL(text)
    if (!hosts.includes(host)) hosts.push(host)
    const path = /\/jsonrpc\/?$/i.test(pathname) ? '/jsonRPC' : ''
    // One host may have several URLs, which differ.
    return `http://upstream-${hosts.indexOf(host) + 1}.invalid/${count++}${path}`
  }
  for (const { variable, isSecret } of settingsIn(SETTINGS)) {
    const text = environment[variable]?.trim()
    if (!text) continue
    const isHidden = isSecret && text !== 'off'
    const urls = isHidden ? (text.match(URL_IN) ?? []).map((url) => new URL(url)) : []
    if (isHidden && urls.length === 0) secrets.add(text.toLowerCase())
    for (const url of urls) for (const one of secretsOf(url, [basicTokenOf(url)], [])) secrets.add(one)
    if (LEFT_OUT.test(variable)) continue
    settings[variable] = !isHidden ? text : urls.length === 0 ? KEY : text.replace(URL_IN, named)
  }
  const digest = createHash('sha256').update(JSON.stringify(settings)).digest('hex')
  return { settings, digest, secrets: [...secrets].filter(({ length }) => length >= MIN_SECRET_LENGTH) }
}
