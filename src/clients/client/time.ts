/** Timers and abort signals. */
import { SwapgateError } from './errors.ts'
import type { Clock } from './options.ts'

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}

export type Signals = readonly (AbortSignal | undefined)[]

/** Runs `then` once when a signal aborts, at once if one already has. @returns stops listening */
export function whenAborted(signals: Signals, then: (reason: unknown) => void): () => void {
  const given = signals.filter((signal) => signal !== undefined)
  const ended = given.find(({ aborted }) => aborted)
  if (ended !== undefined) then(ended.reason)
  const listeners = given.map((signal) => {
    const listener = () => then(signal.reason)
    signal.addEventListener('abort', listener, { once: true })
    return () => signal.removeEventListener('abort', listener)
  })
  return () => {
    for (const stop of listeners) stop()
  }
}

export const aborted = (reason: unknown): SwapgateError =>
  new SwapgateError('aborted', 'The call was aborted by its signal.', { cause: reason })

/** @throws SwapgateError `aborted` */
export function sleep(clock: Clock, ms: number, signals: Signals): Promise<void> {
  return new Promise((resolve, reject) => {
    const callOff = clock.after(ms, () => {
      stop()
      resolve()
    })
    const stop = whenAborted(signals, (reason) => {
      callOff()
      reject(aborted(reason))
    })
  })
}
