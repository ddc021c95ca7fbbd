/** Finds entries and codes of errors by words of their names, parameters, members and texts. */
import type { Reference, Schema } from './document.ts'

/** A line of the contents. Its note has the parameters or members that were found; of an error, its meaning. */
export type Line = Readonly<Record<'id' | 'title' | 'label' | 'note', string>>

/** @returns finds what has each word of a query, first what has them in its name */
export function searchOf(reference: Reference): (query: string) => readonly Line[] {
  const all = indexOf(reference)
  return (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean)
    const has = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word))
    const found = all.filter(({ names, text }) => has(`${names} ${text}`))
    return found
      .sort((a, b) => Number(has(b.names)) - Number(has(a.names)))
      .map(({ id, title, label, note, members }) => {
        const matching = members.filter((name) => words.some((word) => name.toLowerCase().includes(word)))
        return { id, title, label, note: note || [...new Set(matching)].slice(0, 4).join(', ') }
      })
  }
}

function indexOf({ entries, errors, resolve }: Reference) {
  const ofSchema = (schema?: Schema | null) => Object.entries((schema && resolve(schema).properties) ?? {})
  const lines = entries.map(({ id, title, label, path, text, operation, parameters, body }) => {
    if (label === 'RPC') return { id, title, label, note: '', names: title, text, members: [] }
    const [answer] = Object.values(operation.responses[200]!.content!)
    const own = parameters.map(({ name, description }) => [name, { description }] as const)
    const inside = [...own, ...ofSchema(body), ...ofSchema(answer?.schema)]
    const members = inside.map(([name]) => name)
    const texts = inside.map(([, { description = '' }]) => description)
    const names = `${title} ${label} ${path} ${operation.operationId}`
    return { id, title, label, note: '', names, text: [text, ...members, ...texts].join(' '), members }
  })
  const codes = errors.map(({ code, status, meaning }) => {
    const note = meaning.replaceAll('`', '')
    const names = `${code} ${status}`
    return { id: `error-${code}`, title: code, label: status, note, names, text: note, members: [] }
  })
  return [...lines, ...codes]
}
