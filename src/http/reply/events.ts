/**
 * Server-Sent Events: what a route returns instead of a body, and how an event
 * is encoded. A stream lasts until its client leaves or the server ends it;
 * streams.ts manages the open ones.
 *
 * Source: WHATWG HTML §9.2 "Server-sent events"
 */

import type { Client } from '../../flow/cancellation.ts'

/** One client's stream, while it is open. */
export interface EventStream {
  readonly client: Client
  /** The last event that a reconnecting client got; null otherwise. Chosen by the client: not to be trusted. */
  readonly lastEventId: string | null
  /**
   * Writes an event of `encodeEvent`. The same bytes may go to any number of
   * streams. The stream of a client that is too far behind is closed.
   */
  send(event: Buffer): void
  /**
   * Calls back once its client has read the full buffers, or at once: then an event of any size may be sent.
   */
  whenRoom(callback: () => void): void
  /** Ends the stream after one event more, which a client that does not read never gets. */
  finish(event: Buffer): void
}

/** The result of a handler whose reply is an event stream. */
export class Events {
  /**
   * Called once, when the stream is admitted; what it sends goes out after the header.
   * @returns called once, when the stream has ended for any reason
   */
  readonly begin: (stream: EventStream) => () => void

  constructor(begin: (stream: EventStream) => () => void) {
    this.begin = begin
  }
}

/**
 * The result of a handler whose events cost something before the first one: they are opened once the stream
 * has a slot.
 */
export class Opening {
  /** Not called for a HEAD. @returns null if the budget refused */
  readonly open: () => Events | null | Promise<Events | null>

  constructor(open: () => Events | null | Promise<Events | null>) {
    this.open = open
  }
}

/**
 * An event as bytes, encoded once for all streams that get it.
 * @param name  the event's type, for EventSource's listeners
 * @param json  a JSON text without line breaks, as JSON.stringify writes it
 * @param id    printable ASCII; a reconnecting client sends it as Last-Event-ID. Null if nothing can be resumed
 */
export function encodeEvent(name: string, json: string, id: string | null = null): Buffer {
  return Buffer.from(`event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${json}\n\n`)
}
