/** The table of docs/console.md that says what each journey takes, as test/long/clients/console/journeys.test.ts measures it. */
import { readFileSync } from 'node:fs'
import { table } from './table.ts'

export interface Journey {
  readonly seconds: number
  readonly bytes: number
  readonly requests: number
}

export interface Recorded {
  /** A day. */
  readonly measured: string
  readonly machine: string
  readonly journeys: Readonly<Record<string, Journey>>
}

export function journeys(): string {
  const recorded: Recorded = JSON.parse(readFileSync(new URL('journeys.json', import.meta.url), 'utf8'))
  const rows = Object.entries(recorded.journeys).map(([name, { seconds, bytes, requests }]) => [
    name,
    `${seconds.toFixed(1)} s`,
    `${Math.round(bytes / 1_024)} KiB`,
    String(requests),
  ])
  return `${table(['journey', 'time', 'over the wire', 'requests'], rows)}\n\nMeasured ${recorded.measured} on ${recorded.machine}.`
}
