/** The part below the quickstart: the groups of operations, and the errors that most callers meet. */
import usual from './usual-errors.json' with { type: 'json' }

/** The parts of the document that the landing page uses. */
interface Described {
  readonly info: { description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Record<string, Record<string, { readonly tags: readonly string[] }>>
}

/** A row of the table of errors in the document's description. */
const ROW = /^\| `(?<code>\w+)` \| (?<status>\d+) \| (?<meaning>.*) \|$/gm

type Row = Readonly<Record<'code' | 'status' | 'meaning', string>>

/** As RapiDoc names an operation in its URL. */
export const nameOf = (method: string, path: string): string =>
  `${method}-${path.replace(/[\s#:?&={}]/g, '-')}`

/** Fills the page's own parts from the document, and removes the document's description. */
export function fillLanding({ info, tags, paths }: Described): void {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { tags }]) => ({ group: tags[0]!, link: `#${nameOf(method, path)}` })),
  )
  const groups = tags.map(({ name, description }) => {
    const own = operations.filter(({ group }) => group === name)
    const link = make('a', name)
    link.setAttribute('href', own[0]!.link)
    const [summary = ''] = description.split('. ')
    return make('li', link, make('span', String(own.length)), make('small', summary))
  })
  document.getElementById('groups')!.replaceChildren(...groups)

  const rows = [...info.description.matchAll(ROW)].map(({ groups }) => groups as unknown as Row)
  // All are folded below.
  fill(
    'usual-errors',
    usual.map((code) => rows.find((row) => row.code === code)!),
  )
  fill('all-errors', rows)
  document.getElementById('count-of-errors')!.textContent = String(rows.length)
  info.description = ''
}

function fill(id: string, rows: readonly Row[]): void {
  const lines = rows.map(({ code, status, meaning }) =>
    make('tr', make('td', make('code', code)), make('td', status), make('td', ...inline(meaning))),
  )
  document.getElementById(id)!.replaceChildren(...lines)
}

/** Text of Markdown, in which the only marks are those of code. */
const inline = (text: string): (Node | string)[] =>
  text.split('`').map((part, i) => (i % 2 === 0 ? part : make('code', part)))

function make(name: string, ...children: readonly (Node | string)[]): HTMLElement {
  const element = document.createElement(name)
  element.append(...children)
  return element
}
