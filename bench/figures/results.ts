/**
 * The format of RESULTS.md. Each part stands between two marks, and is replaced as a whole by a
 * run of that part: its tables, the machine, the date and the commit. Text outside the marks is written by hand and stays.
 *
 *   <!-- http: written by npm run bench -- http --write -->
 *   ...
 *   <!-- end of http -->
 */
import { type BenchReport, type Table, toTargets } from './report.ts'

/** One run of one part. */
export interface Run {
  readonly part: string
  readonly command: string
  /** The machine, the version of Node.js and the date, in one line. */
  readonly machine: string
  readonly commit: string
  readonly report: BenchReport
}

/** @param text  of RESULTS.md @returns the same with the part's last run @throws Error where it has no such part */
export function replacePart(text: string, run: Run): string {
  const { begin, end } = placeOf(text, run.part)
  return `${text.slice(0, begin)}${toSection(run)}${text.slice(end)}`
}

/** From the end of the line that begins the part to the start of the line that ends it. */
function placeOf(text: string, part: string): { readonly begin: number; readonly end: number } {
  const mark = `<!-- ${part}: `
  const begin = text.indexOf('\n', text.indexOf(mark)) + 1
  const end = text.indexOf(`<!-- end of ${part} -->`)
  if (!text.includes(mark) || end < begin) {
    throw new Error(`RESULTS.md must contain ${mark}... --> and <!-- end of ${part} -->, in order.`)
  }
  return { begin, end }
}

function toSection({ part, command, machine, commit, report }: Run): string {
  const { tables, claims } = report
  const all = claims.length === 0 ? tables : [...tables, toTargets(claims)]
  const parts = [`## ${part}`, `${machine}; commit ${commit}; \`${command}\``, ...all.map(toMarkdown)]
  return `\n${parts.join('\n\n')}\n\n`
}

function toMarkdown({ title, text, columns, rows }: Table): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  const rule = line(columns.map((_, i) => (i === 0 ? '---' : '--:')))
  return [
    `### ${title}`,
    ...(text === '' ? [] : ['', text]),
    '',
    line(columns),
    rule,
    ...rows.map(line),
  ].join('\n')
}
