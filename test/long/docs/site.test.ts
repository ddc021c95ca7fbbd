/** The documents as a site: it is built, and read as a browser would find it. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ROOT, readPages } from '../../../scripts/docs/pages.ts'

// It installs the generator once, and builds for half a minute.
t.setTimeout(900_000)

const folder = t.testdir()
// A dead link ends the build.
execFileSync(process.execPath, ['scripts/site.mjs', folder], { cwd: ROOT, stdio: 'pipe' })
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

t.test('every page is there, and as Markdown', async (t) => {
  for (const { name, text } of readPages()) {
    t.ok(existsSync(join(folder, name.replace(/\.md$/, '.html'))), name)
    t.equal(read(name), text, `${name} as Markdown`)
  }
})

t.test('each entry of the sidebar leads to a page', async (t) => {
  const sidebar = /<nav[^>]+id="VPSidebarNav"[\s\S]*?<\/nav>/.exec(read('docs/swaps.html'))![0]
  const links = [...sidebar.matchAll(/href="\/([^"#]+)"/g)].map(([, link]) => link!)
  t.ok(links.length >= 25, `${links.length} entries`)
  for (const link of links) t.ok(existsSync(join(folder, link)), link)
})

t.test('the search has an index of the pages, loaded from the same site', async (t) => {
  const [index] = files.filter((name) => /@localSearchIndex[^/]*\.js$/.test(name))
  t.match(read(index!), /your-first-swap-in-a-wallet-app/)
})

t.test('nothing is fetched from elsewhere', async (t) => {
  for (const name of files.filter((name) => name.endsWith('.html')))
    t.same(
      read(name).match(/<(?:script|link|img|iframe)\b[^>]*(?:src|href)="(?:https?:)?\/\/[^"]*/g),
      null,
      name,
    )
  for (const name of files.filter((name) => name.endsWith('.css')))
    t.same(read(name).match(/(?:url\(|@import )['"]?(?:https?:)?\/\/[^)'"]*/g), null, name)
})

t.test('the anchors that pages had still lead somewhere', async (t) => {
  const anchors = readFileSync(join(ROOT, 'docs/site/anchors.txt'), 'utf8').trim().split('\n')
  const lost = anchors.filter((anchor) => {
    const [page, id] = anchor.split('#')
    return !read(page!.replace(/\.md$/, '.html')).includes(`id="${id}"`)
  })
  t.same(lost, [])
})
