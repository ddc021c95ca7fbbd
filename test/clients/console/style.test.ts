/** The roles of colour: what is written in them can be read, and each that is used exists. And the words in use. */
import { readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import ts from 'typescript'

const CONSOLE = new URL('../../../src/clients/console/', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, CONSOLE), 'utf8')
const base = read('style/base.css')

/** A theme's colours by their roles. */
function colours(theme: 0 | 1): Record<string, string> {
  const pairs = base.matchAll(/--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/g)
  return Object.fromEntries([...pairs].map(([, role, ...both]) => [role, both[theme]!]))
}

/** Relative luminance, WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

t.test('text has a contrast of 4.5, and the edge of a control one of 3, in both themes', async (t) => {
  t.equal(contrast('#000000', '#ffffff'), 21)
  for (const theme of [0, 1] as const) {
    const of = colours(theme)
    t.ok(Object.keys(of).length > 20)
    const pairs = ['text', 'text-2', 'text-3', 'accent', 'up', 'down', 'ok', 'warn', 'danger'].flatMap(
      (role) =>
        ['page', 'surface', ...(`${role}-soft` in of ? [`${role}-soft`] : [])].map(
          (on) => [role, on, 4.5] as const,
        ),
    )
    const edges = ['page', 'surface'].map((on) => ['edge', on, 3] as const)
    for (const [role, on, least] of [
      ...pairs,
      ...edges,
      ['on-accent', 'accent', 4.5],
      ['text-3', 'hover', 4.5],
    ] as const) {
      const ratio = contrast(of[role]!, of[on]!)
      t.ok(ratio >= least, `${role} on ${on}: ${ratio.toFixed(2)}`)
    }
  }
})

/** What is pressed or filled in, unless it is disabled. */
const CONTROL = /(?:^|[\s,>(.])(?:button|summary|input|select|textarea|label|filter)\b(?!:disabled)/

t.test('no control has the pale edge that parts what is shown', async (t) => {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.css$/.test(file),
  )
  let count = 0
  for (const file of files) {
    const text = read(file).replaceAll(/\/\*.*?\*\//gs, '')
    for (const [, selector = '', body = ''] of text.matchAll(/([^{};]+)\{([^{}]*)\}/g)) {
      if (!CONTROL.test(selector) || !/\bborder(-color)?:/.test(body)) continue
      count++
      if (/\bborder[a-z-]*:[^;]*var\(--line\)/.test(body)) t.fail(`${file}: ${selector.trim()}`)
    }
  }
  t.ok(count > 5, `${count} edges`)
})

t.test('each custom property that is used is defined', async (t) => {
  const files = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  const all = (ends: RegExp): string =>
    files
      .filter((file) => ends.test(file))
      .map(read)
      .join('\n')
  const [styles, scripts] = [all(/\.css$/), all(/\.(tsx?|json)$/)]
  const defined = new Set([...styles.matchAll(/^\s*(--[a-z0-9-]+):/gm)].map(([, name]) => name))
  const used = new Set([...styles.matchAll(/var\((--[a-z0-9-]+)/g)].map(([, name]) => name))
  for (const [, name] of scripts.matchAll(/['"](--[a-z0-9-]+)['"]/g)) used.add(name)
  t.same(
    [...used].filter((name) => !defined.has(name)),
    [],
  )
})

/** What the glossary has other words for. */
const RIDDLES = /\b(whoever|whom|crossings?|at hand|told|throw-?away|risk gate)\b/i

t.test('no text of the console has a word that the glossary replaces', async (t) => {
  t.same(textsOf('<p title="not told">{told} at hand</p>'), ['not told', ' at hand'])
  const folders = [CONSOLE, new URL('../../explain/', CONSOLE)]
  let count = 0
  for (const folder of folders) {
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(tsx?|json)$/.test(file)) continue
      const source = readFileSync(new URL(file, folder), 'utf8')
      // Braces alone would be a block of statements.
      for (const text of textsOf(file.endsWith('.json') ? `(${source})` : source)) {
        count++
        if (RIDDLES.test(text)) t.fail(`${file}: ${text.trim()}`)
      }
    }
  }
  t.ok(count > 500, `${count} texts`)
})

/** What a program may say: its texts of more than a word, and those between its elements. */
function textsOf(source: string): readonly string[] {
  const texts: string[] = []
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isJsxText(node) ||
      ts.isStringLiteral(node) ||
      ts.isNoSubstitutionTemplateLiteral(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node)
    if (isText && /\w\s+\w/.test(node.text)) texts.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('any.tsx', source, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX))
  return texts
}
