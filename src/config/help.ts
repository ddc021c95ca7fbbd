/** The table of settings that `--help` prints. */
import { settingsIn } from './setting.ts'
import { SETTINGS } from './settings.ts'

export function helpText(): string {
  const settings = settingsIn(SETTINGS)
  const width = Math.max(...settings.map(({ variable }) => variable.length))
  const lines = settings.flatMap(({ variable, fallback, meaning, format }) => [
    `  ${variable.padEnd(width)}  ${meaning}`,
    `  ${''.padEnd(width)}  accepts ${format.accepts}${fallback === undefined ? '' : `; default ${fallback}`}`,
  ])
  return ['swapgate: configuration by environment variables', '', ...lines, ''].join('\n')
}
