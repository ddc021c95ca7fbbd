/**
 * Server-Sent Events: what a route hands over in the place of a body, and how an
 * event is written. A stream lasts until its client leaves, or the server takes
 * leave of it; streams.ts keeps them.
 *
 * Source: WHATWG HTML §9.2 "Server-sent events"
 */

import type { Client } from '../runtime/cancellation.ts'

/** One client's stream, while it is open. */
export interface EventStream {
  /** Whose it is. */
  readonly client: Client
  /** What the client got last, where it comes back; null where it does not. Chosen by the client: not to be trusted. */
  readonly lastEventId: string | null
  /**
   * Writes what `encodeEvent` made. The same bytes may go to any number of
   * streams. A client that has not read what it got before loses its stream.
   */
  send(event: Buffer): void
}

/** What a handler answers whose reply goes on. */
export class Events {
  /**
   * Called once, when the stream has its place; what it sends goes out behind the header.
   * @returns called once, when the stream is over, however it ended
   */
  readonly begin: (stream: EventStream) => () => void

  constructor(begin: (stream: EventStream) => () => void) {
    this.begin = begin
  }
}

/**
 * An event as bytes, made once for all who get it.
 * @param name  what EventSource calls listeners by
 * @param json  a JSON text, which holds no line break: JSON.stringify writes none
 * @param id    printable ASCII; what a client that comes back sends as Last-Event-ID. Null where it could resume nothing
 */
export function encodeEvent(name: string, json: string, id: string | null = null): Buffer {
  return Buffer.from(`event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${json}\n\n`)
}
