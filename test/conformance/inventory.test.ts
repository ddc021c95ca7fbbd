import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { inventory } from '../fixtures/inventory.ts'

const SPECIFICATION = new URL('../../../shared/spec.md', import.meta.url)
const skip = existsSync(SPECIFICATION) ? false : '../shared/spec.md is not there'

t.test('the rows are those of the specification', { skip }, async (t) => {
  const text = readFileSync(SPECIFICATION, 'utf8')
  const section = text.slice(text.indexOf('### 4.10 '), text.indexOf('### 4.11 '))
  const rows = [...section.matchAll(/^\| (\/api\/\S+)(?: \(extra\))? \| (.+) \|$/gm)]
    .map(([, path, parameters]) => [path!, parameters!.replace(/\(.*\)/, '').trim()] as const)
    .map(([path, parameters]) => [path, parameters === 'none' ? [] : parameters.split(', ')])
  t.ok(rows.length > 55)
  const ours = Object.entries(inventory('')).map(([path, { parameters }]) => [path, parameters])
  t.same(Object.fromEntries(rows), Object.fromEntries(ours))
})
