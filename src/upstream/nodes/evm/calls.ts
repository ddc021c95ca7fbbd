/**
 * Calls to an EVM node, in three kinds by their result.
 *
 * A call that the contract reverts is an answer, not a fault. Every other error
 * is the node's own (a rate limit, a missing block, a method that is switched
 * off), and the next node is asked: see ../node-errors.ts.
 *
 * Source: ethereum/execution-apis
 */

import { Items, memberText } from '../../../chains/json/member.ts'
import { parsedOrNone } from '../../../chains/json/parse.ts'
import { skipSpace } from '../../../chains/json/tokens.ts'
import { type AboutUpstream, DENIED, LIMITED, type UpstreamRequest } from '../../request.ts'
import { errorFields, type RpcCall } from '../json-rpc.ts'
import { aboutOf, isMethodMissing } from '../node-errors.ts'

/**
 * What an answer shows about its node: `behind` if it is right but old, so that another node may know more;
 * `foreign` if the node belongs to another chain or lacks what every node of this one has.
 */
export type NodeCondition = 'sound' | 'behind' | 'foreign'
export type JudgeNode = (hex: string) => NodeCondition

export interface HexAnswer {
  /** Null if the call reverted or the node is at fault. */
  readonly hex: string | null
  readonly isNodeFault: boolean
  /** Whether the node fails, as with a 500. */
  readonly isFault?: boolean
  readonly shows: NodeCondition
}

export const NODE_FAULT: HexAnswer = { hex: null, isNodeFault: true, shows: 'sound' }

/** A call whose result is hex in a JSON string. */
export function hexCall(
  call: RpcCall,
  accepts: (text: string) => boolean,
  judge: JudgeNode = () => 'sound',
): UpstreamRequest<HexAnswer> {
  return {
    ...posted(call),
    read(status, body) {
      const reply = call.read(status, body)
      if (typeof reply === 'symbol') return reply
      // A status such as 404 or 413 is about the node's URL or bounds, not about the call.
      if (reply === null) return status === 200 ? null : NODE_FAULT
      if (reply.error !== null) {
        const about = aboutOf('evm', errorFields(reply.error))
        return { hex: null, isNodeFault: about !== 'question', isFault: about === 'fault', shows: 'sound' }
      }
      const text = reply.result!.toString('latin1')
      if (!accepts(text)) return null
      const hex = text.slice(1, -1)
      return { hex, isNodeFault: false, shows: judge(hex) }
    },
    failureOf: ({ isNodeFault, shows }) => (isNodeFault || shows !== 'sound' ? 'upstream_failed' : null),
    isFault: ({ isFault = false }) => isFault,
  }
}

/** A node's answer to a JSON-RPC array. */
export interface ArrayAnswer {
  /** In the order of the calls; null for one without its own answer. Null if it takes no such array. */
  readonly answers: readonly (HexAnswer | null)[] | null
}

const NOT_TAKEN: ArrayAnswer = { answers: null }

/**
 * Several calls in one request. Responses may come in any order: each belongs to the call with its id, and a
 * repeated id belongs to none.
 *
 * Source: JSON-RPC 2.0 §6
 * @param calls  by id
 */
export function arrayCall(
  calls: ReadonlyMap<string, UpstreamRequest<HexAnswer>>,
): UpstreamRequest<ArrayAnswer> {
  const body = `[${[...calls.values()].map(({ body }) => body).join()}]`
  const question = [...calls.values()].map(({ question }) => question).join()
  return {
    ...posted({ body, question }),
    read(status, body) {
      // Nodes that do not take arrays, or not this long, answer with one error, or with a status.
      if (status !== 200 || body[skipSpace(body, 0)] !== OPEN_BRACKET) {
        const error = parsedOrNone(body) === null ? null : memberText(body, ['error'])
        const about = error === null ? null : aboutOf('evm', errorFields(Buffer.from(error)))
        return about === LIMITED || about === DENIED ? about : NOT_TAKEN
      }
      let about: AboutUpstream | null = null
      const answers = new Map<string, HexAnswer | null>()
      const items = new Items(body, 0)
      for (let item = items.next(); item !== null; item = items.next()) {
        const response = body.subarray(item.start, item.end)
        const id = memberText(response, ['id'])
        const call = id === null ? undefined : calls.get(id)
        if (call === undefined) continue
        const answer = answers.has(id!) ? null : call.read(200, response)
        if (typeof answer === 'symbol') about = answer
        answers.set(id!, typeof answer === 'symbol' || answer?.isNodeFault ? null : answer)
      }
      // If some calls of the array are answered, those are useful.
      if (about !== null && [...answers.values()].every((answer) => answer === null)) return about
      return { answers: [...calls.keys()].map((id) => answers.get(id) ?? null) }
    },
    failureOf: ({ answers }) =>
      answers?.some((answer) => answer !== null && answer.shows !== 'sound') ? 'upstream_failed' : null,
  }
}

const OPEN_BRACKET = 0x5b

interface LookAnswer<Value> {
  readonly value: Value
}

/** The node does not have what was requested. */
export const ABSENT: LookAnswer<null> = { value: null }
/** The node answered with an error. */
export const REFUSED: LookAnswer<null> = { value: null }
/** The node fails. */
export const FAILING: LookAnswer<null> = { value: null }

/** A call whose result may be null. */
export function lookCall<Value extends object>(
  call: RpcCall,
  readValue: (result: unknown) => Value | null,
): UpstreamRequest<LookAnswer<Value | null>> {
  return {
    ...posted(call),
    read(status, body) {
      const reply = call.read(status, body)
      if (typeof reply === 'symbol') return reply
      if (reply === null) return status === 200 ? null : REFUSED
      if (reply.error !== null)
        return aboutOf('evm', errorFields(reply.error)) === 'fault' ? FAILING : REFUSED
      const result = parsedOrNone(reply.result!)
      if (result === null) return ABSENT
      const value = readValue(result)
      return value === null ? null : { value }
    },
    failureOf: (found) => (found === REFUSED || found === FAILING ? 'upstream_failed' : null),
    isFault: (found) => found === FAILING,
  }
}

interface TextAnswer {
  /** The result; null for an error. */
  readonly text: string | null
  /** The node does not know the method. */
  readonly isUnknown: boolean
  /** It is not a node that answered. */
  readonly isForeign: boolean
}

/** A call whose result is returned as text. */
export function textCall(call: RpcCall): UpstreamRequest<TextAnswer> {
  return {
    ...posted(call),
    read(status, body) {
      const reply = call.read(status, body)
      if (typeof reply === 'symbol') return reply
      if (reply === null) return status === 200 ? null : { text: null, isUnknown: false, isForeign: true }
      if (reply.error === null) return { text: reply.result!.toString(), isUnknown: false, isForeign: false }
      const { code, message } = errorFields(reply.error)
      return { text: null, isUnknown: isMethodMissing(code, message), isForeign: false }
    },
    failureOf: ({ isForeign }) => (isForeign ? 'upstream_failed' : null),
  }
}

const posted = ({ body, question }: Pick<RpcCall, 'body' | 'question'>) =>
  ({ method: 'POST', path: '', resend: true, body, question }) as const

/** Whole bytes. */
export function isData(text: string): boolean {
  return text.length % 2 === 0 && /^"0x[0-9a-fA-F]*"$/.test(text)
}

/** A number below 2^52. */
export function isQuantity(text: string): boolean {
  return /^"0x[0-9a-fA-F]{1,13}"$/.test(text)
}
