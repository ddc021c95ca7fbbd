/** The files that the build writes follow what they are made of. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'

interface Generated {
  generated(folder: string): Promise<readonly string[]>
}

interface MadeOf {
  readonly inputs: Record<string, string>
}

const { generated } = (await import(
  new URL('../../../scripts/client/generated.mjs', import.meta.url).href
)) as Generated

t.test('outdated files are written again, and nothing else', async (t) => {
  const folder = join(t.testdir(), 'generated')
  const record = join(folder, 'made-of.json')
  const madeOf = (): MadeOf => JSON.parse(readFileSync(record, 'utf8'))

  t.same([...(await generated(folder))].sort(), ['codes.ts', 'operations.ts'])
  t.same(readdirSync(folder).sort(), ['codes.ts', 'made-of.json', 'operations.ts'])
  t.same(await generated(folder), [])

  const { inputs } = madeOf()
  for (const path of [
    'package-lock.json',
    'scripts/client/generated.mjs',
    'scripts/client/types.ts',
    'src/routes/swap/quote.ts',
    'src/runtime/errors.ts',
    'src/runtime/resources/quote.ts',
  ])
    t.match(inputs[path], /^[\w-]{12}$/, path)

  const whole = readFileSync(join(folder, 'codes.ts'), 'utf8')
  writeFileSync(join(folder, 'codes.ts'), 'damaged')
  t.same(await generated(folder), ['codes.ts'])
  t.equal(readFileSync(join(folder, 'codes.ts'), 'utf8'), whole)
  rmSync(join(folder, 'operations.ts'))
  t.same(await generated(folder), ['operations.ts'])

  const other = { ...madeOf(), inputs: { ...inputs, 'src/runtime/errors.ts': 'another' } }
  writeFileSync(record, JSON.stringify(other))
  t.same(await generated(folder), [], 'another source that gives the same text')
  t.same(madeOf().inputs, inputs, 'it was looked at')
})
