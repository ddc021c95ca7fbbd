/**
 * Every error that leaves the service, as data. Each code has its status, its scope and its meaning in codes.json,
 * which docs/errors.md prints. Two fields of an error may differ from its row: upstream errors have the scope of
 * their upstream (an RPC node or a provider), and `upstream_status` the status that the upstream sent.
 *
 * Source: spec §7
 */
import type { Static } from 'typebox'
import groups from './codes.json' with { type: 'json' }
import type { ErrorBody } from './resources/error.ts'

interface ErrorRow {
  readonly status: number
  readonly scope: ErrorScope
  /** What the code means, for docs/errors.md and the OpenAPI document. */
  readonly meaning: string
}

/** By the status and the scope that a group of codes has. */
type Groups = typeof groups
type ScopeOf<Group> = Group extends `${number} ${infer Scope}` ? Scope : never
type ErrorScope = ScopeOf<keyof Groups>

export type Code = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups]

/** The stable, machine-readable codes. R-numbers are the relay's wire rules. */
export const CODES = Object.fromEntries(
  Object.entries(groups).flatMap(([group, meanings]) => {
    const [status, scope] = group.split(' ')
    const rowOf = (meaning: string) => ({ status: Number(status), scope, meaning })
    return Object.entries<string>(meanings).map(([code, meaning]) => [code, rowOf(meaning)])
  }),
) as Readonly<Record<Code, ErrorRow>>

/** The extra properties of an Error body, in addition to `error`, `scope` and `code` (spec §7 allows them). */
export type ErrorFields = Readonly<Omit<Static<typeof ErrorBody>, 'error' | 'scope' | 'code'>> & {
  /** Overrides the code's own scope: an upstream may be an RPC node or a provider. */
  readonly scope?: ErrorScope
  /** The contract, program or account that is not allowed. */
  readonly address?: string
}

/**
 * An error that is an answer. Its message is sent to the client: it says what is wrong and what would be
 * accepted, and never quotes an upstream, a URL or a key. It captures no stack, because it isn't a bug.
 */
export class GatewayError extends Error {
  readonly code: Code
  readonly status: number
  readonly scope: ErrorScope
  readonly fields: ErrorFields

  constructor(code: Code, message: string, fields = NO_FIELDS, status = CODES[code].status) {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    super(message)
    Error.stackTraceLimit = limit
    this.name = 'GatewayError'
    this.code = code
    this.status = status
    this.scope = fields.scope ?? CODES[code].scope
    this.fields = fields
  }
}

const NO_FIELDS: ErrorFields = {}

/** The Error body (spec §7). */
export const errorBody = (code: Code, message: string, fields: ErrorFields = {}) => ({
  error: message,
  scope: CODES[code].scope,
  code,
  ...fields,
})

/** For `catch`: null in place of an error that is an answer, as the log and the metrics have it. @throws any other: a bug */
export function nullIfRefused(error: unknown): null {
  if (error instanceof GatewayError) return null
  throw error
}

/** The same, while somebody waits for the answer. */
export function nullWhileAwaited(scope: { readonly isCancelled: boolean }): (error: unknown) => null {
  return (error) => {
    if (scope.isCancelled) throw error
    return nullIfRefused(error)
  }
}

/** Null in place of the error of an upstream that did not answer. */
export function nullIfUnanswered(error: unknown): null {
  if (error instanceof GatewayError && error.code.startsWith('upstream_')) return null
  throw error
}

/** @param field  the name of the field in the request */
export function invalidParameter(field: string, message: string): GatewayError {
  return new GatewayError('invalid_parameter', message, { field })
}
