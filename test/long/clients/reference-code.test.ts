/** The programs that the reference shows for each operation: all are of their languages, and those of a build build. */
import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import typescript from 'typescript'
import { programsOf, requestOf } from '../../../src/clients/console/reference/code.ts'
import {
  type ApiDocument,
  type Entry,
  type Reference,
  referenceOf,
} from '../../../src/clients/console/reference/document.ts'
import { listen } from '../../fixtures/gateway.ts'
import { installClient } from '../../fixtures/programs.ts'

t.setTimeout(300_000)

const isDue = (command: string, flag: string): false | string =>
  process.env.CI === 'true' || spawnSync(command, [flag]).status === 0 ? false : `${command} is not installed`

const readReference = async (url: string): Promise<Reference> =>
  referenceOf((await (await fetch(`${url}/openapi.json`)).json()) as ApiDocument)

/** The programs of an entry as the page opens, or of one of its examples. */
function shownAt(
  entry: Entry,
  reference: Reference,
  origin: string,
  example = Object.keys(entry.inputs)[0]!,
) {
  const { quote: _, ...input } = entry.inputs[example]!
  const values = entry.parameters.map(({ name }) => [name, String(input[name] ?? '')])
  const filled = { values: Object.fromEntries(values), body: JSON.stringify(input, null, 2) }
  const request = requestOf(entry, filled, reference)
  return programsOf(request, origin)
}

t.test('each program can be compiled, and the client takes what TypeScript gives it', async (t) => {
  const { url } = await listen(t)
  const reference = await readReference(url)
  const folder = t.testdir()
  installClient(folder)
  const programs = reference.entries.flatMap((entry) =>
    Object.keys(entry.inputs).map((example) => shownAt(entry, reference, url, example)),
  )
  t.ok(programs.length > 70)
  const files = programs.map(({ TypeScript, Python, Go, curl }, i) => {
    writeFileSync(join(folder, `p${i}.ts`), `${TypeScript}\nexport {}\n`)
    writeFileSync(join(folder, `p${i}.py`), Python!)
    writeFileSync(join(folder, `p${i}.go`), `${Go}\n`)
    writeFileSync(join(folder, `p${i}.sh`), curl!)
    return join(folder, `p${i}.ts`)
  })
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: typescript.ScriptTarget.ES2022,
    module: typescript.ModuleKind.NodeNext,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    types: [],
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const program = typescript.createProgram(files, options)
  t.same(
    typescript
      .getPreEmitDiagnostics(program)
      .map(({ file, messageText }) => [
        file?.text,
        typescript.flattenDiagnosticMessageText(messageText, '\n'),
      ]),
    [],
  )
  const run = (kind: string, command: string, ...args: readonly string[]) => {
    const all = programs.map((_, i) => join(folder, `p${i}.${kind}`))
    const { stdout, stderr } = spawnSync(command, [...args, ...all], { encoding: 'utf8' })
    return stdout + stderr
  }
  t.equal(run('sh', 'sh', '-c', 'for file; do sh -n "$file"; done', 'sh'), '')
  t.equal(run('py', 'python3', '-m', 'py_compile'), '')
  if (isDue('go', 'version') === false) t.equal(run('go', 'gofmt', '-l'), '')
})

t.test('a build is of the quote that was just asked for, in each language', async (t) => {
  const { url } = await listen(t)
  const reference = await readReference(url)
  const build = reference.entries.find(({ path }) => path === '/api/build')!
  const { curl, Python, Go } = shownAt(build, reference, url)
  const folder = t.testdir({ 'main.go': Go! })
  for (const [command, args, flag] of [
    ['sh', ['-c', curl!], '-c'],
    ['python3', ['-c', Python!], '--version'],
    ['go', ['run', join(folder, 'main.go')], 'version'],
  ] as const) {
    if (command !== 'sh' && isDue(command, flag) !== false) continue
    const { stdout } = await promisify(execFile)(command, [...args])
    t.match(stdout, /["']verification["']: ?\{/, command)
  }
})
