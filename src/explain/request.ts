/**
 * The bounds of a request, checked before any of it is read: in the gateway, in the module, in the console.
 * Reading may cost time for each of its values.
 */
import { invalidParameter } from '../runtime/errors.ts'
import type { ExplainRequest } from './types.ts'

export const MAX_TEXT = 131_072
export const MAX_NAME = 128
export const MAX_RECENT = 32
export const MAX_ABI = 64
export const MAX_SIGNATURE = 512
/** Members and items of a call, of typed data or of messages, in all. */
const MAX_VALUES = 8_192
const MAX_DEPTH = 32

/** The forms of a request to be explained, which has one of them. */
export const REQUEST_FORMS = ['transaction', 'call', 'typedData', 'messages'] as const
const MEMBERS: readonly string[] = ['chain', ...REQUEST_FORMS, 'owner', 'recent', 'abi']

/** @throws GatewayError  naming the member that is wrong, or that no request has */
export function checkRequest(request: ExplainRequest): void {
  const { chain, transaction, owner = '', recent = [], abi = [] } = request
  const unlisted = Object.entries(request).find(
    ([name, value]) => value !== undefined && !MEMBERS.includes(name),
  )
  if (unlisted !== undefined) {
    const name = unlisted[0].slice(0, 64)
    throw invalidParameter(
      name,
      `\`${name}\` is not accepted; the accepted properties are ${MEMBERS.join(', ')}.`,
    )
  }
  requireText('chain', chain, MAX_NAME)
  requireText('owner', owner, MAX_NAME)
  if (transaction !== undefined) requireText('transaction', transaction, MAX_TEXT)
  requireTexts('recent', recent, MAX_RECENT, MAX_NAME)
  requireTexts('abi', abi, MAX_ABI, MAX_SIGNATURE)
}

function requireText(field: string, value: unknown, most: number): void {
  if (typeof value !== 'string' || value.length > most)
    throw invalidParameter(field, `\`${field}\` must be a string of at most ${most} characters.`)
}

function requireTexts(field: string, values: unknown, most: number, length: number): void {
  if (!Array.isArray(values) || values.length > most)
    throw invalidParameter(field, `\`${field}\` must be an array of at most ${most} strings.`)
  for (const [i, value] of values.entries()) requireText(`${field}[${i}]`, value, length)
}

/** @returns what exceeds the bounds in a call, typed data or messages; null if nothing does */
export function excessOf(content: unknown): string | null {
  let values = MAX_VALUES
  let characters = MAX_TEXT
  const visit = (value: unknown, depth: number): boolean => {
    if (--values < 0) return false
    if (typeof value === 'string') return (characters -= value.length) >= 0
    if (typeof value !== 'object' || value === null) return true
    if (depth === 0) return false
    if (Array.isArray(value)) return value.length <= values && value.every((one) => visit(one, depth - 1))
    const names = Object.keys(value)
    if (names.length > values) return false
    return names.every(
      (name) =>
        (characters -= name.length) >= 0 && visit((value as Record<string, unknown>)[name], depth - 1),
    )
  }
  return visit(content, MAX_DEPTH)
    ? null
    : `it is longer than is read: ${MAX_TEXT} characters, ${MAX_VALUES} values, ${MAX_DEPTH} levels`
}
