/** Sends what the reader filled in to this gateway, and reads the answer as it comes. */
import { SYSTEM_CLOCK } from '../../client/time.ts'
import { type Request, withQuote } from './code.ts'
import texts from './texts.json' with { type: 'json' }

export interface Answer {
  readonly status: number
  readonly ms: number
  /** Method and target of what was asked, and headers that say something about the answer. */
  readonly head: readonly string[]
  readonly text: string
  /** Where it is, if it is a picture. */
  readonly picture: string | null
  /** Why a stream ended; empty while it is open, or if it is none. */
  readonly ended: string
}

type Report = (answer: Answer) => void

const MAX_EVENTS = 5
const STREAM_MS = 15_000

/**
 * Sends a request; before a build, that for its quote.
 * @param report  called with each answer, with that of a stream after each part
 * @throws TypeError  if no answer came, or a part of one @throws DOMException  the signal ended it
 */
export async function send(request: Request, signal: AbortSignal, report: Report): Promise<Answer> {
  const { target, body, quoteTarget } = request
  if (quoteTarget === null)
    return exchange(target, { method: body === null ? 'GET' : 'POST', body, signal }, report)
  const quote = await exchange(quoteTarget, { method: 'GET', signal }, report)
  if (quote.status !== 200) return quote
  return exchange(target, { method: 'POST', body: withQuote(body!, quote.text), signal }, report)
}

async function exchange(target: string, request: RequestInit, report: Report): Promise<Answer> {
  const sentAt = SYSTEM_CLOCK.now()
  const typed: HeadersInit = request.body == null ? {} : { 'Content-Type': 'application/json' }
  const { status, headers, body } = await fetch(target, { ...request, headers: typed, cache: 'no-store' })
  const media = headers.get('content-type') ?? ''
  const isStream = media.startsWith('text/event-stream')
  const picture = media.startsWith('image/') ? target : null
  const shown = texts.headers
    .filter((name) => headers.has(name))
    .map((name) => `${name}: ${headers.get(name)}`)
  const head = [`${request.method} ${target}`, ...shown]
  const reader = body!.pipeThrough(new TextDecoderStream()).getReader()
  let [text, ended] = ['', '']
  const answer = (): Answer => {
    const ms = SYSTEM_CLOCK.now() - sentAt
    return { status, ms, head, text: picture === null ? text : '', picture, ended }
  }
  const end = (why: string): void => {
    ended = why
    void reader.cancel()
  }
  const callOff = SYSTEM_CLOCK.after(STREAM_MS, () => isStream && end(`Closed after ${STREAM_MS / 1_000} s.`))
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      text += part.value
      if (!isStream) continue
      if (text.split(/^data:/m).length > MAX_EVENTS) end(`Closed after ${MAX_EVENTS} events.`)
      report(answer())
    }
  } finally {
    callOff()
  }
  if (isStream) ended ||= 'The gateway closed it.'
  report(answer())
  return answer()
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** JSON with line breaks, each number as it came; any other text as it is. */
export function indented(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  let [shown, depth, last] = ['', 0, '']
  for (const [token] of text.matchAll(TOKEN)) {
    const isEnd = token === '}' || token === ']'
    const isFirst = last === '{' || last === '['
    depth += Number(isFirst) - Number(isEnd)
    if (last === ',' || isFirst !== isEnd) shown += `\n${'  '.repeat(depth)}`
    shown += token === ':' ? ': ' : token
    last = token
  }
  return shown
}
