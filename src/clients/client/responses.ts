/** What is read of a response beside its result: the error that it tells of, when to come again, and its timing. */
import { codeOf, SwapgateError } from './errors.ts'
import type { FetchResponse } from './options.ts'

/** A response that was received. */
export interface Answer {
  readonly status: number
  readonly text: string
  readonly requestId: string | null
}

/** The error that a response tells of. */
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
  return new SwapgateError('unexpected_response', `The answer has status ${status}${said}`, details)
}

/** Whether it is an answer in spite of its status: JSON, and no Error body. */
export function holdsAnswer(text: string): boolean {
  const body = objectOf(text)
  return body !== null && typeof body.error !== 'string'
}

/** What the body tells to the millisecond, or else the header: seconds, or a date. */
function retryAfterMs(told: unknown, header: string | null): number | null {
  if (typeof told === 'number') return told
  if (header === null) return null
  if (/^\d+$/.test(header)) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}

/** Reads the body of an answer. @throws SwapgateError  where something else answers there */
export function parseAnswer({ text, status, requestId }: Answer, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch (cause) {
    const message = 'The answer is not JSON: something else answers under this URL.'
    throw new SwapgateError('unexpected_response', message, { status, requestId, cause })
  }
}

function objectOf(text: string): { readonly [name: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** `validate;dur=0.02, total;dur=1.5` */
export function timingOf(header: string): Record<string, number> {
  const pairs = header.split(',').flatMap((metric) => {
    const [name, ...parameters] = metric.split(';').map((part) => part.trim())
    const dur = parameters.map((parameter) => /^dur=("?)([\d.]+)\1$/i.exec(parameter)?.[2]).find(Boolean)
    return name === '' || dur === undefined ? [] : [[name!, Number(dur)]]
  })
  return Object.fromEntries(pairs) as Record<string, number>
}
