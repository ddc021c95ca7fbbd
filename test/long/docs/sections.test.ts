import t from 'tap'
import { changedPages, fill, readPages, sectionsOf } from '../../../scripts/docs/pages.ts'
import { writeSections } from '../../../scripts/docs/sections.ts'

t.test("the pages contain the code's own figures", async (t) => {
  const sections = await writeSections()
  t.same(
    changedPages(sections).map(({ name }) => name),
    [],
    'run `npm run docs`',
  )
  const used = new Set(readPages().flatMap(sectionsOf))
  for (const name of sections.keys()) t.ok(used.has(name), `the section ${name} stands on a page`)
  const page = { path: '', name: 'a page', text: '<!-- begin: nothing -->\n<!-- end: nothing -->' }
  t.throws(() => fill(page, sections), /nothing writes/)
})
