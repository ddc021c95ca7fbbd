/**
 * The format of RESULTS.md. Each part stands between two marks, and is replaced as a whole by a
 * run of that part: its tables, the machine, the date, the commit, and digests of the code that
 * it measured. Text outside the marks is written by hand and stays.
 *
 *   <!-- http: written by npm run bench -- http --write -->
 *   ...
 *   <!-- end of http -->
 */
import { changedFolders, type Sources } from './measured.ts'
import { type BenchReport, type Table, toTargets } from './report.ts'

/** One run of one part. */
export interface Run {
  readonly part: string
  readonly command: string
  /** The machine, the version of Node.js and the date, in one line. */
  readonly machine: string
  readonly commit: string
  readonly sources: Sources
  readonly report: BenchReport
}

const MEASURED = /<!-- measured:([^>]*)-->/
const LINE_WIDTH = 110
const CURRENT = 'It measured the code as it is.'

/** @param text  of RESULTS.md @returns the same with the part's last run @throws Error where it has no such part */
export function replacePart(text: string, run: Run): string {
  const { begin, end } = placeOf(text, run.part)
  return `${text.slice(0, begin)}${toSection(run)}${text.slice(end)}`
}

/** What the run of a part measured; null if it did not record that. */
export function recordedSources(text: string, part: string): Sources | null {
  const { begin, end } = placeOf(text, part)
  const written = MEASURED.exec(text.slice(begin, end))?.[1]
  if (written === undefined) return null
  return new Map(
    written
      .trim()
      .split(/,\s+/)
      .map((pair) => pair.split(' ') as [folder: string, digest: string]),
  )
}

/** A sentence that says whether a part is older than the code it measures. */
export function ageOf(recorded: Sources | null, now: Sources): string {
  if (recorded === null)
    return '**Older than the code it measures**: the run did not record what it measured.'
  const changed = changedFolders(recorded, now)
  return changed.length === 0
    ? CURRENT
    : `**Older than the code it measures**: changed since in ${changed.join(', ')}.`
}

/** The name of the section that has this sentence; `npm run docs` keeps it up to date. */
export const ageSection = (part: string): string => `age of ${part}`

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

function toSection({ part, command, machine, commit, sources, report }: Run): string {
  const { tables, claims } = report
  const all = claims.length === 0 ? tables : [...tables, toTargets(claims)]
  const age = ageSection(part)
  const parts = [
    `## ${part}`,
    `${machine}; commit ${commit}; \`${command}\``,
    `<!-- begin: ${age} -->\n\n${CURRENT}\n\n<!-- end: ${age} -->`,
    ...all.map(toMarkdown),
    `<!-- measured: ${wrapped([...sources].map((pair) => pair.join(' ')))} -->`,
  ]
  return `\n${parts.join('\n\n')}\n\n`
}

/** Items in lines, with commas between them. */
function wrapped(items: readonly string[]): string {
  let column = '<!-- measured: '.length
  return items
    .map((item, i) => {
      const isNewLine = column + item.length + 2 > LINE_WIDTH
      column = (isNewLine ? 0 : column) + item.length + 2
      return `${i === 0 ? '' : isNewLine ? ',\n' : ', '}${item}`
    })
    .join('')
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
