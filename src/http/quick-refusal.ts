/**
 * The 503 of a shed request, written without the objects that a full reply is
 * made with. An overload refuses two requests of three, so what a refusal costs
 * is what is lost (bench: overload).
 */
import { CODES, GatewayError } from '../runtime/errors.ts'
import { totalTiming } from '../runtime/timing.ts'
import { linesOf, type NodeLines } from './quick-reply.ts'

/** Carries the code of an error, for clients that show no body; its reason phrase carries it, too. */
export const CODE_HEADER = 'X-Error-Code'

const SHED_SECONDS = 2
const SHED_MESSAGE = 'The service is overloaded; try again after retryAfterMs.'
export const SHED = new GatewayError('overloaded', SHED_MESSAGE, { retryAfterMs: SHED_SECONDS * 1_000 })
export const SHED_HEADERS: readonly string[] = ['Retry-After', String(SHED_SECONDS)]
/** ASCII. Text, because node writes it in one piece with the header. */
export const SHED_BODY = JSON.stringify({
  error: SHED.message,
  scope: CODES[SHED.code].scope,
  code: SHED.code,
  ...SHED.fields,
})

export class QuickRefusal {
  readonly #start: string
  readonly #nodeLines: NodeLines

  /** @param constant  headers of every reply, names and values in turn */
  constructor(constant: readonly string[], nodeLines: NodeLines) {
    this.#start = `HTTP/1.1 503 ${SHED.code}\r\n${linesOf(constant)}X-Request-Id: `
    this.#nodeLines = nodeLines
  }

  /**
   * All of a refusal; each character is a byte.
   * @param ms     since the request came in
   * @param extra  headers that depend on the request, names and values in turn; null for none
   */
  textOf(id: string, ms: number, extra: readonly string[] | null): string {
    const timing = totalTiming(ms)
    return `${this.#start}${id}\r\nServer-Timing: ${timing}\r\n${
      extra === null ? '' : linesOf(extra)
    }Retry-After: ${SHED_SECONDS}\r\n${CODE_HEADER}: ${SHED.code}\r\nContent-Length: ${SHED_BODY.length}\r\n${this.#nodeLines.last()}${SHED_BODY}`
  }
}
