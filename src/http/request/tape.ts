/** What records requests with their replies, or replays one: see RECORD_DIR. */
import type { IncomingMessage } from 'node:http'
import type { Client } from '../../flow/cancellation.ts'

/** Of one request. */
export interface RequestTape {
  /** Tells whose request it is, which is no part of a recording. */
  from(client: Client): void
  /** Notes the body, and runs what handles it. */
  received(body: Buffer, handle: () => void): void
  /** @param headers  names and values in turn */
  replied(status: number, headers: readonly string[], code: string | null, body: readonly Buffer[]): void
  /** The request cannot be replayed. @param why  a noun: `an event stream` */
  drop(why: string): void
}

/** A text of a recording without the client. */
export const withoutClient = (text: string, client: Client | null): string =>
  client === null ? text : text.replaceAll(client, 'client')

export interface RequestTapes {
  /** @param serve  gets null for a request that is not recorded */
  serve(request: IncomingMessage, serve: (tape: RequestTape | null) => void): void
}
