/** A request of this page as a line for a shell. */
import type { Exchange } from '../client/index.ts'

/** As the client tells of it, or of another server. */
export interface Asked extends Pick<Exchange, 'url' | 'body'> {
  readonly method: Exchange['method'] | 'PUT' | 'DELETE'
}

/** @param origin  of the page; the client's URLs start below it */
export function curlOf({ method, url, body }: Asked, origin: string): string {
  const target = quoted(new URL(url, origin).href)
  if (method === 'GET') return `curl -s --compressed ${target}`
  const verb = method === 'POST' ? '' : `-X ${method} `
  if (body === null) return `curl -s ${verb}${target}`
  return `curl -s ${verb}${target} -H 'content-type: application/json' -d ${quoted(body)}`
}

/** For a POSIX shell: nothing within is special to it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
