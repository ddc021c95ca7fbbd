/**
 * What a node's error is about: the question, which every node would answer alike, or the node itself, so
 * that another one may do better. Nodes, and the proxies that companies put in front of them, send both with
 * status 200 and share few codes: -32005 is a limit on EVM chains, but a lagging node on Solana. If the code
 * is ambiguous, the message decides.
 *
 * Errors that a question can cause at every node start no cooldown: clients choose the questions, and could
 * stop all nodes that way.
 *
 * Source: EIP-1474 · ethereum/execution-apis · geth core/vm/errors.go · anza-xyz/agave
 * rpc-client-api/src/custom_error.rs · docs.sui.io, GraphQL · toncenter.com/api/v2 · words and codes of
 * proxies: reown-com/blockchain-api#1102 (TheRPC: -32029), EspressoSystems/espresso-network#4838 (QuickNode:
 * -32007; "App is inactive"), latticexyz/mud#1522 (-32012), BitteProtocol/near-ca#173 (Ankr: -32000
 * "Unauthorized", id null), chainstack/dev-portal#288 (-32005), docs.helius.dev (-32429, -32401)
 */
import { DENIED, LIMITED } from '../request.ts'
import codes from './node-error-codes.json' with { type: 'json' }

export type Family = 'solana' | 'evm' | 'sui' | 'ton'

/**
 * `question`: passed on as it is. `node`: the node is behind, or lacks what others may have. `fault`: the node or
 * its proxy fails, as with status 500. LIMITED: its rate limit or its plan is used up. DENIED: it refuses the
 * gateway's key, or wants one.
 */
export type ErrorAbout = 'question' | 'node' | 'fault' | typeof LIMITED | typeof DENIED

/** An error, as far as it has these. */
export interface NodeError {
  readonly code?: unknown
  readonly message?: unknown
}

/**
 * Codes by what they mean.
 *
 *   limit           everywhere: a status in the body, Helius's, TheRPC's, and those of GraphQL servers
 *   request         parse error, method not found, invalid params: about the request, whatever the words
 *   evmLimit        "limit exceeded" of EIP-1474, and the codes of QuickNode and others, which EVM nodes do not use
 *   evmRevert       geth's and anvil's with data; Nethermind's and OpenEthereum's "VM execution error"
 *   solanaNode      unhealthy or behind; block status not yet available; minimum context slot not reached;
 *                   long-term storage unreachable
 *   solanaQuestion  Agave's other codes, among them those of slots that were skipped and of scans that take too long
 *   suiQuestion     `extensions.code` of a query that every node would refuse
 */
const CODES: Readonly<Record<keyof typeof codes, readonly unknown[]>> = codes

const LIMIT =
  /rate.{0,2}limit|too many (requests|calls|connections)|\b(request|call)s?( count| rate)* (limit|quota)|request (count|rate) exceed|limit of (requests|calls)|per second|\brps\b|\bquota\b|\bcredits?\b|capacity (limit )?exceeded|max(imum)? usage|throttl|\bslow down\b/i
/** Words of limits on the request's size, which use the same codes. */
const RESULT_LIMIT =
  /\b(block|log|response|result)s?\b.{0,20}\b(range|size|limit|count)|\bmore than \d+ (results|logs|blocks)|\b(batch|body|payload)\b/i
const DENIAL =
  /unauthori[sz]ed|\bforbidden\b|access denied|authenticat|\b(api|access|project)[ _-]?(key|token|id)\b|app is inactive|tenant disabled/i
/** Words of proxies whose own node does not answer. */
const OUTAGE =
  /bad gateway|gateway time-?out|service (is )?(temporarily )?unavailable|internal (server )?error|\b(upstream|backend)s?\b|no (healthy|available) \w+|server (is )?(busy|overloaded|unavailable)/i

/** Only the beginning of a message is matched: some patterns scan it once for each of their words. */
const MAX_CHARACTERS = 512

/** Classifies an error in a node's answer, whatever the status. */
export function aboutOf(family: Family, error: NodeError): ErrorAbout {
  const { code } = error
  const text = typeof error.message === 'string' ? error.message.slice(0, MAX_CHARACTERS) : ''
  // A contract or program chooses its own words, which may look like a limit.
  if (family === 'evm' && isRevert(code, text)) return 'question'
  if (family === 'evm' && isMethodMissing(code, text)) return 'node'
  if (family === 'solana' && code === PREFLIGHT_FAILURE) return 'question'
  if (family === 'sui' && CODES.suiQuestion.includes(code)) return 'question'
  if (!CODES.request.includes(code)) {
    if (CODES.limit.includes(code)) return LIMITED
    const isOfResult = RESULT_LIMIT.test(text)
    if (!isOfResult && (LIMIT.test(text) || (family === 'evm' && CODES.evmLimit.includes(code))))
      return LIMITED
    if (CODES.denial.includes(code) || DENIAL.test(text)) return DENIED
    if (CODES.fault.includes(code) || isServerStatus(code) || OUTAGE.test(text)) return 'fault'
  }
  if (family !== 'solana') return 'node'
  if (CODES.solanaNode.includes(code)) return 'node'
  // Agave has no other code: a proxy in front of it answered.
  return CODES.solanaQuestion.includes(code) || CODES.request.includes(code) ? 'question' : 'fault'
}

/**
 * Whether an error that is passed on for lack of a better answer counts against the node. Not having reached
 * the client's slot does not.
 */
export function isFailure(family: Family, error: NodeError): boolean {
  const about = aboutOf(family, error)
  return about === 'fault' || (about === 'node' && !CODES.solanaAwaited.includes(error.code))
}

/** Statuses instead of a code, as proxies write them. */
const isServerStatus = (code: unknown): boolean => typeof code === 'number' && code >= 500 && code < 600

/** Messages of a failed call, for nodes whose only code is -32000 or -32603. */
const EVM_FAILURE =
  /revert|invalid opcode|invalid jump|out of gas|stack underflow|stack limit reached|return data out of bounds|write protection|^EVM error|VM Exception/i

/** Whether the EVM ended the call: by REVERT, or by a failure at every node. */
const isRevert = (code: unknown, text: string): boolean =>
  CODES.evmRevert.includes(code) || (code !== undefined && EVM_FAILURE.test(text))

const METHOD_NOT_FOUND = -32601
/** Messages of nodes that use other codes for a method that they lack or that is switched off. */
const METHOD_MISSING =
  /\bmethod\b.*\b(not (be )?(found|supported|available|allowed|enabled|whitelisted)|does(n.t| not) exist|unsupported|disabled|unavailable)|(unknown|unsupported|unavailable|disabled|no such) method/i

/** Whether the node lacks the method, whatever the params. */
export function isMethodMissing(code: unknown, message: unknown): boolean {
  if (code === METHOD_NOT_FOUND) return true
  return typeof message === 'string' && METHOD_MISSING.test(message.slice(0, MAX_CHARACTERS))
}

/** Its message has a program's words. */
const PREFLIGHT_FAILURE = -32002
