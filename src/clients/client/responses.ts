/** The metadata of a response: its error, its retry delay and its timing. */
import { codeOf, SwapgateError } from './errors.ts'
import { objectOf } from './json.ts'
import type { FetchResponse } from './options.ts'

/** A complete response. */
export interface ReceivedResponse {
  readonly status: number
  readonly text: string
  readonly requestId: string | null
}

/** The error that a response carries. */
export function errorOf({ status, headers }: FetchResponse, text: string): SwapgateError {
  const body = objectOf(text)
  const code = codeOf(body?.code)
  const details = {
    status,
    body,
    retryAfterMs: retryAfterMs(body?.retryAfterMs, headers.get('retry-after')),
    requestId: headers.get('x-request-id'),
  }
  if (code !== null) return new SwapgateError(code, String(body!.error), details)
  const said = typeof body?.error === 'string' ? `: ${body.error}` : '.'
  return new SwapgateError('unexpected_response', `The gateway's answer has status ${status}${said}`, details)
}

/** Whether a body is an answer despite its status: JSON that is not an Error body. */
export function holdsAnswer(text: string): boolean {
  const body = objectOf(text)
  return body !== null && typeof body.error !== 'string'
}

/** The retry delay of the body, in milliseconds, or else of the header: seconds, or a date. */
function retryAfterMs(told: unknown, header: string | null): number | null {
  if (typeof told === 'number') return told
  if (header === null) return null
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}

/** Parses the body of an answer. @throws SwapgateError  if it is not JSON */
export function parseAnswer(
  { text, status, requestId }: ReceivedResponse,
  parse: (text: string) => unknown,
): unknown {
  try {
    return parse(text)
  } catch (cause) {
    const message = 'The answer is not JSON: the server at this URL may not be the gateway.'
    throw new SwapgateError('unexpected_response', message, { status, requestId, cause })
  }
}

/** @param header  such as `validate;dur=0.02, total;dur=1.5` */
export function timingOf(header: string): Record<string, number> {
  const pairs = header.split(',').flatMap((metric) => {
    const [name, ...parameters] = metric.split(';').map((part) => part.trim())
    const dur = parameters.map((parameter) => /^dur=("?)([\d.]+)\1$/i.exec(parameter)?.[2]).find(Boolean)
    return name === '' || dur === undefined ? [] : [[name!, Number(dur)]]
  })
  return Object.fromEntries(pairs) as Record<string, number>
}
