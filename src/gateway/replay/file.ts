/** The form of a recording: JSON lines, of which the first is the head, and the last the reply. */

/** The two clocks at one moment. */
export interface Moment {
  /** Monotonic, ms. */
  readonly now: number
  /** Unix ms. */
  readonly date: number
}

/** What decided the reply, besides what was read while it was made. */
export interface Head {
  /** Of this form. */
  readonly recording: 1
  readonly version: string
  readonly node: string
  /** The public settings, by variable: keys and hosts are replaced. */
  readonly settings: Readonly<Record<string, string>>
  /** SHA-256 of the settings. */
  readonly digest: string
  /** Where the simulated world listened; null in live mode. */
  readonly sandbox: unknown
  readonly at: Moment
  readonly request: RecordedRequest
}

export interface RecordedRequest {
  readonly method: string
  readonly url: string
  /** Names and values in turn. */
  readonly headers: readonly string[]
}

/** A reading, or a promise or timer that began; a later line of the same number settles it. */
export interface Reading {
  readonly n: number
  readonly name: string
  readonly later?: true
  readonly value?: unknown
  readonly error?: unknown
  /** Set where the time went on. */
  readonly at?: Moment
}

export interface Settled {
  readonly of: number
  readonly at: Moment
  readonly value?: unknown
  readonly error?: unknown
}

export interface RecordedReply {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: readonly string[]
  readonly body: string
  /** Whether the body is in base64; else it is its text. */
  readonly isBase64: boolean
}

export interface Recording {
  readonly head: Head
  readonly lines: readonly (Reading | Settled)[]
  readonly reply: RecordedReply
}

/** The name under which the body is recorded. */
export const BODY = 'body'

export const timerName = (ms: number): string => `timer ${ms}`

/** The recordings of a file. @throws TypeError  for one that is not whole */
export const parseRecordings = (text: string): Recording[] =>
  text.split(/^(?={"recording":)/m).map(parseRecording)

/** @throws TypeError  for a text that is no whole recording */
export function parseRecording(text: string): Recording {
  const lines = text.trimEnd().split('\n')
  const parsed = lines.map((line): unknown => JSON.parse(line))
  const [head, ...rest] = parsed as [Head, ...unknown[]]
  const last = rest.pop() as { readonly reply?: RecordedReply } | undefined
  if (head?.recording !== 1 || last?.reply === undefined) {
    throw new TypeError('It must be a recording of RECORD_DIR, whole, of form 1.')
  }
  return { head, lines: rest as (Reading | Settled)[], reply: last.reply }
}
