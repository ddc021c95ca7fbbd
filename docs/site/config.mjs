/** VitePress' configuration: scripts/site.mjs puts it beside a copy of the pages. */
import { readFileSync } from 'node:fs'

/** The sidebar is the index of docs/README.md: its sections, and the first link of each row. */
function sidebar() {
  const index = readFileSync(new URL('../docs/README.md', import.meta.url), 'utf8')
  const [, ...sections] = index.split(/^## /m)
  return sections
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/^\| \[([^\]]+)\]\(([^)]+\.md)\)/gm)].map(([, text, path]) => ({
        text: text[0].toUpperCase() + text.slice(1),
        link: new URL(path, 'file:///docs/').pathname.replace(/\.md$/, ''),
      })),
    }))
    .filter(({ items }) => items.length > 0)
}

/** As GitHub makes them, so that a link to a heading works in both. */
const slugify = (title) =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

export default {
  title: 'swapgate',
  description: 'Check a swap before you sign it: a self-hosted gateway for wallets, bots and dapps.',
  lang: 'en',
  // It may be served from any path, and from a folder.
  base: process.env.SITE_BASE ?? '/',
  outDir: process.env.SITE_OUT,
  cleanUrls: false,
  // The pages as Markdown.
  srcExclude: ['public/**'],
  // Of the reader's own gateway, and of files that scripts/site.mjs has found.
  ignoreDeadLinks: [/^http:\/\/localhost:/, /\.(go|py|rs|service)$/, /Caddyfile$/],
  // Braces in a heading are a path's parameters.
  markdown: { attrs: { disable: true }, anchor: { slugify }, toc: { slugify }, headers: { slugify } },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/docs/README#guides' },
      { text: 'Swaps', link: '/docs/swaps' },
      { text: 'Go live', link: '/docs/deployment' },
      { text: 'What is verified', link: '/docs/verification' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
}
