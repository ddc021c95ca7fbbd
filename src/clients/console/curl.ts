/** A request of this page as a curl command, and as JavaScript. */
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

/** The same request as a statement of JavaScript. @param origin  as above */
export function fetchOf({ method, url, body }: CurlRequest, origin: string): string {
  const target = JSON.stringify(new URL(url, origin).href)
  const init = [
    ...(method === 'GET' ? [] : [`method: '${method}'`]),
    ...(body === null
      ? []
      : ["headers: { 'content-type': 'application/json' }", `body: ${JSON.stringify(body)}`]),
  ]
  return `await (await fetch(${target}${init.length === 0 ? '' : `, { ${init.join(', ')} }`})).json()`
}

/** Quotes a text for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
