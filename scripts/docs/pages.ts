/**
 * The pages of the documentation, and the parts of them that are written by
 * machine:
 *
 *   <!-- begin: errors -->
 *   ...
 *   <!-- end: errors -->
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Page {
  readonly path: string
  /** Below the root of the repository. */
  readonly name: string
  readonly text: string
}

/** The pages at the top, the results of the benchmarks, and every page of docs/, docs/guides/ and docs/dev/. */
export function readPages(): readonly Page[] {
  const docs = ['docs', 'docs/guides', 'docs/dev'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .sort()
      .map((name) => `${folder}/${name}`),
  )
  const top = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/RESULTS.md']
  return [...top, ...docs].map((name) => {
    const path = join(ROOT, name)
    return { path, name, text: readFileSync(path, 'utf8') }
  })
}

const SECTION = /(<!-- begin: ([^\n]+?) -->\n)[\s\S]*?(<!-- end: \2 -->)/g

/** @throws Error  where a page asks for a section that nobody writes */
export function fill(page: Page, sections: ReadonlyMap<string, string>): string {
  return page.text.replace(SECTION, (_, begin: string, name: string, end: string) => {
    const section = name.startsWith('code ') ? codeOf(name.slice('code '.length)) : sections.get(name)
    if (section === undefined) throw new Error(`${page.name}: nothing writes the section ${name}.`)
    return `${begin}\n${section.trim()}\n\n${end}`
  })
}

/** The pages whose sections are not what they would be written as, written anew. */
export function changedPages(sections: ReadonlyMap<string, string>): readonly Page[] {
  return readPages()
    .map((page) => ({ page, text: fill(page, sections) }))
    .filter(({ page, text }) => text !== page.text)
    .map(({ page, text }) => ({ ...page, text }))
}

/** The names of the sections that a page has. */
export const sectionsOf = ({ text }: Page): readonly string[] =>
  [...text.matchAll(SECTION)].map(([, , name]) => name!)

/** How a block of a file is marked, by the end of the file's name. */
const LANGUAGES: Readonly<Record<string, string>> = {
  mjs: 'js',
  py: 'python',
  go: 'go',
  rs: 'rust',
  conf: 'nginx',
  Caddyfile: 'txt',
}

/** @param file  below the root of the repository */
function codeOf(file: string): string {
  return `\`\`\`${LANGUAGES[file.split(/[./]/).at(-1)!]}\n${readFileSync(join(ROOT, file), 'utf8').trim()}\n\`\`\``
}
