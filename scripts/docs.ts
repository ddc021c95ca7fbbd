/**
 * `npm run docs`: writes what the code knows into README.md and docs/, between
 * the markers of each section. A test compares the pages with what this writes.
 */
import { writeFileSync } from 'node:fs'
import { changedPages } from './docs/pages.ts'
import { writeSections } from './docs/sections.ts'

for (const { path, name, text } of changedPages(await writeSections())) {
  writeFileSync(path, text)
  console.log(`wrote ${name}`)
}
