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

t.test('the tables of wallets agree: each row of the relay is one of the verifier', async (t) => {
  const rowsOf = (name: string): string[] => {
    const { text } = readPages().find((page) => page.name === name)!
    return /\| wallet \| version \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(text)![1]!.trim().split('\n')
  }
  const [relay, all] = [rowsOf('docs/relay.md'), rowsOf('docs/verify.md')]
  t.ok(relay.length > 3 && all.length > relay.length)
  t.same(
    relay.filter((row) => !all.includes(row)),
    [],
  )
})
