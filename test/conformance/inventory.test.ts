import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { COMMUNITY } from '../fixtures/community.ts'

const SPECIFICATION = new URL('../../../shared/spec.md', import.meta.url)
const skip = existsSync(SPECIFICATION) ? false : '../shared/spec.md is not there'

const FAMILIES = /^\/api\/(announcements|reels|social|game|arcade|referrals|onramp|push|recovery)(\/|$)/

t.test("the community's rows are those of the specification", { skip }, async (t) => {
  const text = readFileSync(SPECIFICATION, 'utf8')
  const section = text.slice(text.indexOf('### 4.10 '), text.indexOf('### 4.11 '))
  const rows = [...section.matchAll(/^\| (\/api\/\S+) \| (.+) \|$/gm)]
    .map(([, path, parameters]) => [path!, parameters!.replace(/\(.*\)/, '').trim()] as const)
    .filter(([path]) => FAMILIES.test(path))
    .map(([path, parameters]) => [path, parameters === 'none' ? [] : parameters.split(', ')])
  t.ok(rows.length > 30)
  t.same(Object.fromEntries(rows), COMMUNITY)
})
