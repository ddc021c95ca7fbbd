/** A request of this page as a curl command. */
import type { Exchange } from '../client/index.ts'

/** A request of the client, or one to the sandbox's control endpoint. */
export interface CurlRequest extends Pick<Exchange, 'url' | 'body'> {
  readonly method: Exchange['method'] | 'PUT' | 'DELETE'
}

/** @param origin  the page's origin, which relative URLs are resolved against */
export function curlOf({ method, url, body }: CurlRequest, origin: string): string {
  const target = quoted(new URL(url, origin).href)
  if (method === 'GET') return `curl -s --compressed ${target}`
  const verb = method === 'POST' ? '' : `-X ${method} `
  if (body === null) return `curl -s ${verb}${target}`
  return `curl -s ${verb}${target} -H 'content-type: application/json' -d ${quoted(body)}`
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
