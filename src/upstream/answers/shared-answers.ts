/**
 * Answers that the instances of a service share, as the calling code sees them: what another instance has
 * fetched, or is fetching, serves here too. A single instance has none of it; gateway/redis/ implements it
 * for several.
 */
import { type Static, Type } from 'typebox'
import type { CancellationScope } from '../../flow/cancellation.ts'
import { CODES, type Code, GatewayError } from '../../runtime/errors.ts'

/** The age of an encoded answer, and how its writer's clock differs from ours. */
export interface AnswerAge {
  /** Since it was written, ms. */
  readonly ageMs: number
  /** How much longer it serves, ms. */
  readonly leftMs: number
  /** What turns the writer's Unix times into ours, ms: the clocks of two machines differ. */
  readonly skewMs: number
}

/** Encodes an answer for other instances, and decodes theirs. */
export interface Codec<T> {
  /** @returns null if the answer is not to be shared */
  write(answer: T): string | null
  /** @returns null if the text isn't such an answer, or is of no use here */
  read(text: string, age: AnswerAge): T | null
}

/** The answers of all instances to one kind of question. */
export interface SharedAnswers<T> {
  /**
   * An answer of another instance, if it has one or is fetching one; else the
   * result of `fetch`, which then serves the other instances, and which none of
   * them runs in the meantime. If they cannot be reached, this instance fetches alone.
   * @param key     the same for questions that mean the same
   * @param scope   of the fetch: cancelling it ends the wait for another instance's answer, and an answer of a
   *                throttled scope is not shared
   * @param keepMs  how long an answer serves
   */
  join(
    key: string,
    scope: CancellationScope,
    fetch: () => Promise<T>,
    keepMs: (answer: T) => number,
  ): Promise<T>
}

/** The outcomes of shared answers so far. */
export interface SharedCounts {
  taken: number
  put: number
  /** Found, but not written by our instances for this question, or unreadable. */
  ignored: number
  /** Not put, because they were too large. */
  tooLarge: number
}

/** An error as other instances get it. */
export const EncodedError = Type.Object({
  code: Type.String(),
  message: Type.String({ maxLength: 1_000 }),
  fields: Type.Record(Type.String(), Type.Unknown()),
})
export type EncodedError = Static<typeof EncodedError>

export const encodeError = ({ code, message, fields }: GatewayError): EncodedError => ({
  code,
  message,
  fields: { ...fields },
})

/** @returns null for a code that this version does not know */
export function decodeError({ code, message, fields }: EncodedError): GatewayError | null {
  return Object.hasOwn(CODES, code) ? new GatewayError(code as Code, message, fields) : null
}
