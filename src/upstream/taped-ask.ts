/**
 * An upstream's call on the tape of a request: the question, and the answer byte by byte or the error. A replay reads
 * the recorded bytes again, so that it runs the code that reads them.
 */
import type { CancellationScope } from '../flow/cancellation.ts'
import { Pieces } from '../flow/pieces.ts'
import type { Tape } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { RequestFailed, type UpstreamRequest } from './request.ts'

/** Told of an answer that a request reads. */
export type OnAnswer = (status: number, body: Buffer | Pieces) => void

/** How a call ended, as it is recorded. */
interface Ending {
  /** Null if no answer was read. */
  readonly answer: { readonly status: number; readonly body: Buffer | Pieces } | null
  readonly error: unknown
  /** As the call's scope has it then. */
  readonly isThrottled: boolean
}

/** @param ask  makes the call, in the scope */
export async function askTaped<T>(
  tape: Tape,
  label: string,
  request: UpstreamRequest<T>,
  scope: CancellationScope,
  ask: (onAnswer: OnAnswer) => Promise<T>,
): Promise<T> {
  const { method, path, body, question = `${path} ${body ?? ''}` } = request
  const made: T[] = []
  const { answer, error, isThrottled } = await tape.value(
    `ask ${label}: ${method} ${question}`,
    async (): Promise<Ending> => {
      let answer: Ending['answer'] = null
      try {
        made.push(await ask((status, body) => (answer = { status, body })))
        return { answer, error: null, isThrottled: scope.isThrottled }
      } catch (error) {
        return { answer, error, isThrottled: scope.isThrottled }
      }
    },
  )
  if (made.length > 0) return made[0]!
  if (isThrottled) scope.markThrottled()
  if (error !== null && (answer === null || !(error instanceof GatewayError))) throw error
  const value = await readAgain(request, answer!)
  if (error !== null) throw error
  return value
}

/** @throws what the reader throws */
async function readAgain<T>(
  request: UpstreamRequest<T>,
  { status, body }: NonNullable<Ending['answer']>,
): Promise<T> {
  try {
    if (body instanceof Pieces) return (await request.readPieces!(status, body)) as T
    await request.prepare?.(body)
    return request.read(status, body) as T
  } catch (thrown) {
    throw thrown instanceof RequestFailed ? thrown.error : thrown
  }
}
