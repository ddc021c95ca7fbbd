/**
 * Answers that the instances of a service share, as those see it who ask: what
 * another instance has asked for, or is asking for, serves here too. There is
 * none of it where there is one instance; gateway/redis/ is where there are several.
 */
import { type Static, Type } from 'typebox'
import type { CancellationScope } from '../runtime/cancellation.ts'
import { CODES, type Code, GatewayError } from '../runtime/errors.ts'

/** How old the text of an answer is, and what its writer's clocks have to do with ours. */
export interface AnswerAge {
  /** Since it was written, ms. */
  readonly ageMs: number
  /** How much longer it serves, ms. */
  readonly leftMs: number
  /** What turns the writer's Unix times into ours, ms: the clocks of two machines differ. */
  readonly skewMs: number
}

/** How an answer is written for other instances, and read from them. */
export interface Codec<T> {
  /** @returns null where it is not for others */
  write(answer: T): string | null
  /** @returns null where it is not such a text, or is of no use here */
  read(text: string, told: AnswerAge): T | null
}

/** The instances beside this one, and what they know of one kind of question. */
export interface SharedAnswers<T> {
  /**
   * What another instance has answered or answers soon, else what `fly` gives: nobody else flies
   * meanwhile, and what comes of it serves the others. Where they cannot be asked, all is as if there
   * were none.
   * @param key     the same for questions that mean the same
   * @param caller  of the flight: while it waits for another's it may be given up, and where it falls short
   *                what it gives is not for others
   * @param keepMs  how long an answer serves
   */
  join(
    key: string,
    scope: CancellationScope,
    fly: () => Promise<T>,
    keepMs: (answer: T) => number,
  ): Promise<T>
}

/** What became of answers that instances share, so far. */
export interface SharedCounts {
  taken: number
  put: number
  /** Found that were none of our instances' for this question, or could not be read. */
  ignored: number
  /** Not put, because they were too large. */
  tooLarge: number
}

/** A failure as it is told to another instance. */
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

/** @returns null where it is none that we know */
export function decodeError({ code, message, fields }: EncodedError): GatewayError | null {
  return Object.hasOwn(CODES, code) ? new GatewayError(code as Code, message, fields) : null
}
