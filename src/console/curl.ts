/** A request of this page as a line for a shell. */
import type { Exchange } from '../client/index.ts'

/** @param origin  of the page; the client's URLs start below it */
export function curlOf(
  { method, url, body }: Pick<Exchange, 'method' | 'url' | 'body'>,
  origin: string,
): string {
  const target = quoted(new URL(url, origin).href)
  if (method === 'GET') return `curl -s --compressed ${target}`
  return `curl -s ${target} -H 'content-type: application/json' -d ${quoted(body ?? '')}`
}

/** For a POSIX shell: nothing within is special to it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
