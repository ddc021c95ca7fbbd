/** How errors repeat an operator's values. */

/** The most characters of a value or a path in an error. */
const MAX_SHOWN = 80
const MAX_PATH = 256

/** The text of a possible secret, without the parts in which URLs have their passwords and keys. */
export function shown(text: string): string {
  const at = text.lastIndexOf('@')
  const open = at === -1 ? text : `(not shown)${text.slice(at)}`
  const query = text.includes('://') ? open.indexOf('?') : -1
  return printable(query === -1 ? open : `${open.slice(0, query)}?(not shown)`)
}

/** Cut, and with control characters escaped: a terminal would obey them. */
export function printable(text: string, most = MAX_SHOWN): string {
  const escaped = text
    .slice(0, most)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
  return text.length > most || escaped.length > most ? `${escaped.slice(0, most - 1)}…` : escaped
}

/** The path of a file. */
export const shownPath = (path: string): string => printable(path, MAX_PATH)
