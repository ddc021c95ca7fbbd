/**
 * `npm run docs:site`: builds the documents as a site, in docs/site/dist or the folder that is named. The site has the
 * paths of the repository, so that the pages' links hold in both; each page is also there as Markdown, and so are the
 * files that pages link to. The gateway does not serve it.
 */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installLocked } from './packages.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/RESULTS.md']
const WINGS = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
const FOLDERS = ['docs', 'docs/guides', 'docs/dev', ...WINGS.map(({ name }) => `src/${name}`)]
const LINK = /(\]\(|(?:src|srcset)=")((?!https?:|#)[^)\s#"]+)/g

const out = resolve(process.argv[2] ?? join(ROOT, 'docs/site/dist'))
const installed = installLocked('docs/site')
// Below the packages, which what is built of the pages imports.
const site = mkdtempSync(join(installed, 'pages-'))
try {
  const pages = [
    ...PAGES,
    ...FOLDERS.flatMap((folder) =>
      readdirSync(join(ROOT, folder))
        .filter((name) => name.endsWith('.md'))
        .map((name) => `${folder}/${name}`),
    ),
  ]
  for (const page of pages) copyPage(page)
  put('index.md', readFileSync(join(site, 'README.md'), 'utf8'))
  put('.vitepress/config.mjs', readFileSync(join(ROOT, 'docs/site/config.mjs'), 'utf8'))
  put('.vitepress/theme/index.mjs', readFileSync(join(ROOT, 'docs/site/theme.mjs'), 'utf8'))
  execFileSync(
    process.execPath,
    [join(installed, 'node_modules/vitepress/bin/vitepress.js'), 'build', site],
    {
      env: { ...process.env, SITE_OUT: out },
      stdio: ['ignore', 2, 2],
    },
  )
} finally {
  rmSync(site, { recursive: true })
}
process.stdout.write(`${out}\n`)

/** A page, as it is and as the site's source, and what it links to. */
function copyPage(page) {
  const text = readFileSync(join(ROOT, page), 'utf8')
  put(posix.join('public', page), text)
  put(
    page,
    text.replace(LINK, (whole, begin, target) => begin + linked(page, target, whole)),
  )
}

/** @returns the target within the site: of a folder, a page that lists its files */
function linked(page, target) {
  const path = posix.join(posix.dirname(page), target)
  if (path.endsWith('.md')) return target
  const source = join(ROOT, path)
  if (!existsSync(source)) throw new Error(`${page} links to ${target}, which is not there.`)
  if (!statSync(source).isDirectory()) {
    copyInto(join(site, 'public', path), source)
    // A picture is built into the page.
    if (/\.(png|svg)$/.test(path)) copyInto(join(site, path), source)
    return target
  }
  cpSync(source, join(site, 'public', path), { recursive: true })
  const files = readdirSync(source, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const names = files.map(({ parentPath, path: from, name }) =>
    posix.relative(source, posix.join(parentPath ?? from, name)),
  )
  const list = names.sort().map((name) => `- [${name}](${name})`)
  put(posix.join(path, 'index.md'), `# ${path}\n\n${list.join('\n')}\n`)
  return posix.join(target, 'index.md')
}

function copyInto(file, source) {
  mkdirSync(dirname(file), { recursive: true })
  copyFileSync(source, file)
}

function put(path, text) {
  const file = join(site, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
