import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { ROOT, readPages } from '../../scripts/docs/pages.ts'
import { CODES } from '../../src/runtime/errors.ts'

const pages = readPages()

t.test('every link leads to a page, and to a heading of it', async (t) => {
  const headings = new Map(pages.map(({ name, text }) => [name, anchorsOf(text)]))
  for (const { name, text } of pages) {
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      const [file, anchor] = target!.split('#')
      const path = file === '' ? name : join(dirname(name), file!)
      t.ok(existsSync(join(ROOT, path)), `${name}: ${target}`)
      if (anchor !== undefined) t.ok(headings.get(path)?.has(anchor), `${name}: ${target}`)
    }
  }
})

t.test('the index lists every page', async (t) => {
  const index = pages.find(({ name }) => name === 'docs/README.md')!.text
  for (const { name } of pages) {
    if (name.startsWith('docs/') && name !== 'docs/README.md')
      t.match(index, `](${name.slice('docs/'.length)})`, name)
  }
})

t.test('troubleshooting has every code that an operator meets, and none that there is not', async (t) => {
  const page = pages.find(({ name }) => name === 'docs/troubleshooting.md')!.text
  const told = [...page.matchAll(/^### `(\w+)`$/gm)].map(([, code]) => code!)
  for (const code of told) t.ok(code in CODES, code)
  for (const [code, { status }] of Object.entries(CODES)) {
    if (status >= 500 || status === 429) t.ok(told.includes(code), code)
  }
})

t.test('the files that CONTRIBUTING.md names are there', async (t) => {
  const { text } = pages.find(({ name }) => name === 'CONTRIBUTING.md')!
  const written = text.replace(/<!-- begin: plan -->[\s\S]*<!-- end: plan -->/, '')
  const named = [...written.matchAll(/(?<![\w/.-])\w[\w./-]*\.ts(?!\w)/g)].map(([path]) => path)
  t.ok(named.length > 20)
  const files = ['src', 'bench', 'test', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (name) => `/${folder}/${name}`,
    ),
  )
  // A file may be named by the end of its path.
  for (const path of new Set(named)) {
    t.ok(
      files.some((file) => file.endsWith(`/${path}`)),
      path,
    )
  }
})

/** As GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title!)
  return new Set(
    titles.map((title) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  )
}
