/**
 * The mutants of a script for Redis. There is no parser of Lua here: what is
 * changed are comparisons, `and` and `or`, signs between spaces, small numbers,
 * min and max, floor and ceil. The module that stands in for the file is the text
 * with the one change that is switched on.
 */
import type { MutableFile, Mutant } from './mutants.ts'

const OTHER = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['==', '~='],
  ['~=', '=='],
  ['and', 'or'],
  ['or', 'and'],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['not', ''],
  ['true', 'false'],
  ['false', 'true'],
  ['math.min', 'math.max'],
  ['math.max', 'math.min'],
  ['math.floor', 'math.ceil'],
  ['math.ceil', 'math.floor'],
])
const TOKEN =
  /(?<= )(?:[<>]=?|[=~]=|[-+*/]|and|or)(?= )|\b(?:not|true|false)\b|math\.\w+|(?<![\w.%'])\d+(?![\w.f'])/g

export function mutableLua(file: string, text: string): MutableFile {
  const changes = changesOf(file, text)
  return {
    mutants: changes,
    instrument: (ids) => {
      const texts = changes.flatMap((one) => (ids.has(one) ? [[ids.get(one), one.text]] : []))
      return `const texts = new Map(${JSON.stringify(texts)})
export default [...texts.keys()].reduce((text, id) => globalThis.__mutant(id) ? texts.get(id) : text, ${JSON.stringify(text)})
`
    },
  }
}

function changesOf(file: string, text: string): readonly (Mutant & { readonly text: string })[] {
  const seen = new Map<string, number>()
  return text.split('\n').flatMap((row, at, rows) =>
    [...(row.trimStart().startsWith('--') ? [] : row.matchAll(TOKEN))].map((found) => {
      const [token] = found
      const other = OTHER.get(token) ?? (/^\d/.test(token) ? `${Number(token) + 1}` : token)
      const changed = row.slice(0, found.index) + other + row.slice(found.index + token.length)
      const [before, after] = [row.trim(), changed.trim()]
      const named = [file, 'script', before, after].join('\t')
      const count = (seen.get(named) ?? 0) + 1
      seen.set(named, count)
      const key = count === 1 ? named : `${named} #${count}`
      return { key, file, line: at + 1, before, after, text: rows.with(at, changed).join('\n') }
    }),
  )
}
