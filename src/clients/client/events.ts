/**
 * Streams of server-sent events over `fetch`, which unlike EventSource reports why a stream was refused. A
 * lost stream is reopened after the last event received; nothing follows `end`.
 *
 * Source: WHATWG HTML §9.2 "Server-sent events"
 */
import { SwapgateError } from './errors.ts'
import { parseExact } from './json.ts'
import type { EventsOptions, ServerEvent } from './options.ts'
import { type Signals, sleep, whenAborted } from './time.ts'
import type { OpenedResponse, OperationRequest, Transport } from './transport.ts'

/** The backoff between two attempts, doubled each time up to the maximum; an event resets it. */
const PAUSE_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** The gateway sends a keep-alive every 24 seconds. */
const SILENCE_MS = 60_000

/** @throws SwapgateError  if the stream is refused, but not if it is lost */
export async function* events<Data>(
  transport: Transport,
  request: OperationRequest,
  options: EventsOptions,
): AsyncGenerator<ServerEvent<Data>, void, undefined> {
  let lastEventId = options.lastEventId ?? null
  let failures = 0
  let wasOpen = false
  const signals = [transport.options.signal, options.signal]
  const isEnded = (): boolean => signals.some((signal) => signal?.aborted)
  while (!isEnded()) {
    let lost: SwapgateError | null = null
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(!lastEventId ? {} : { 'last-event-id': lastEventId }),
      }
      const opened = await transport.open({ ...request, headers }, options)
      wasOpen = true
      for await (const event of read<Data>(transport, opened, signals)) {
        lastEventId = event.id ?? lastEventId
        failures = 0
        yield event
        if (event.event === 'end') return
      }
    } catch (error) {
      if (isEnded()) return
      if (!(error instanceof SwapgateError) || !mayComeBack(error, wasOpen)) throw error
      lost = error
    }
    if (isEnded()) return
    const pauseMs = Math.max(lost?.retryAfterMs ?? 0, Math.min(PAUSE_MS * 2 ** failures++, MAX_PAUSE_MS))
    options.onReconnect?.(pauseMs, lost)
    await sleep(transport.clock, pauseMs, signals).catch(() => {})
  }
}

/** Whether to reopen a stream. One that never opened is reported to the caller instead. */
function mayComeBack({ code, status }: SwapgateError, wasOpen: boolean): boolean {
  if (!wasOpen) return false
  return code === 'network' || code === 'timeout' || status === 429 || status >= 500
}

/** The events of one connection, until it ends or goes silent. */
async function* read<Data>(
  { clock }: Transport,
  { response, end }: OpenedResponse,
  signals: Signals,
): AsyncGenerator<ServerEvent<Data>, void, undefined> {
  // React Native's fetch, for example, delivers a body only as a whole.
  if (!response.body)
    throw new SwapgateError('unexpected_response', 'This fetch implementation cannot stream a response body.')
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const lines = new Lines()
  let isSilent = false
  const stop = whenAborted(signals, end)
  try {
    for (;;) {
      const callOff = clock.after(SILENCE_MS, () => {
        isSilent = true
        end()
      })
      const { done, value } = await reader.read().finally(callOff)
      if (done) return
      yield* lines.push(decoder.decode(value, { stream: true })) as Generator<ServerEvent<Data>>
    }
  } catch (cause) {
    const message = isSilent ? 'The stream went silent.' : 'The stream broke.'
    throw new SwapgateError('network', message, { cause })
  } finally {
    stop()
    end()
  }
}

/** Parses lines into events by the rules of the standard. */
class Lines {
  #rest = ''
  #name = ''
  #id: string | null = null
  #data: string[] = []

  #field(line: string): void {
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (name === 'event') this.#name = value
    else if (name === 'data') this.#data.push(value)
    else if (name === 'id' && !value.includes('\0')) this.#id = value
  }

  *push(text: string): Generator<ServerEvent<unknown>> {
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/)
    this.#rest = lines.pop()!
    for (const line of lines) {
      if (line !== '') this.#field(line)
      else {
        if (this.#data.length > 0) {
          yield { event: this.#name || 'message', id: this.#id, data: parseExact(this.#data.join('\n')) }
        }
        this.#name = ''
        this.#id = null
        this.#data = []
      }
    }
  }
}
