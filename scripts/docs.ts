/**
 * `npm run docs`: writes what the code knows into README.md and docs/, between
 * the markers of each section, and the client's types. Tests compare the files
 * with what this writes.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientFiles, type Document } from './client/operations.ts'
import { changedPages, ROOT } from './docs/pages.ts'
import { askGateway, writeSections } from './docs/sections.ts'

for (const { path, name, text } of changedPages(await writeSections())) {
  writeFileSync(path, text)
  console.log(`wrote ${name}`)
}

for (const [name, text] of clientFiles((await askGateway<Document>()).document)) {
  const path = join(ROOT, name)
  if (text === readFileSync(path, 'utf8')) continue
  writeFileSync(path, text)
  console.log(`wrote ${name}`)
}
