/**
 * An answer spells its material more than once, for wallets of several kinds. Whoever signs by one spelling must
 * not get another than the one that was proved.
 */
import { callsOf } from '../../proof/approval.ts'
import type { Approval, TonMessage } from '../../proof/material.ts'
import { refuseMaterial } from '../../proof/verification.ts'
import type { Answer } from './verdict.ts'

interface Call {
  readonly to: string
  readonly data: string
  readonly value: bigint
}

interface EvmMaterial extends Call {
  readonly from: string
  readonly chainId: number
  readonly approval: Approval | null
}

/** Beside these a request may have gas, which the proof of a crossing reads. */
const REQUEST_FIELDS = ['from', 'to', 'data', 'value', 'chainId', 'gasPrice', 'gas']
const CALL_FIELDS = ['to', 'data', 'value']

/** @throws GatewayError  material_refused, rule `transaction_request` or `calls` */
export function requireSameEvm(answer: Answer, material: EvmMaterial): void {
  const { transactionRequest: request, calls } = answer
  if (request !== undefined && request !== null && !isRequest(request, material)) {
    throw refuseMaterial('transaction_request')
  }
  if (calls !== undefined && calls !== null && !isCalls(answer, material)) throw refuseMaterial('calls')
}

function isRequest(request: unknown, { from, to, data, value, chainId }: EvmMaterial): boolean {
  if (!isObject(request) || Object.keys(request).some((name) => !REQUEST_FIELDS.includes(name))) return false
  const chain = request.chainId
  return (
    isCall(request, { to, data, value }) &&
    isSame(request.from, from) &&
    (chain === undefined || chain === chainId || chain === `0x${chainId.toString(16)}`)
  )
}

/** The approvals in their order, and the call; no more, such as a capability. A member that is absent says nothing. */
function isCalls({ calls, atomicRequired = true }: Answer, material: EvmMaterial): boolean {
  const expected = callsOf(material)
  return (
    (atomicRequired === true || !expected.atomicRequired) &&
    Array.isArray(calls) &&
    calls.length === expected.calls.length &&
    expected.calls.every((call, nth) => {
      const given: unknown = calls[nth]
      const isKnown = isObject(given) && Object.keys(given).every((name) => CALL_FIELDS.includes(name))
      return isKnown && isCall(given, { ...call, value: BigInt(call.value) })
    })
  )
}

const isCall = (call: Answer, { to, data, value }: Call): boolean =>
  isSame(call.to, to) && isSame(call.data, data) && unitsIn(call.value) === value

/** A decimal or a hex quantity; absent it is zero. */
function unitsIn(value: unknown): bigint | null {
  if (value === undefined) return 0n
  return typeof value === 'string' && /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(value) ? BigInt(value) : null
}

/** @throws GatewayError  material_refused, rule `ton_connect` */
export function requireSameTon({ tonConnect: request }: Answer, message: TonMessage): void {
  if (request === undefined || request === null) return
  const messages = isObject(request) && Array.isArray(request.messages) ? request.messages : []
  const [only] = messages
  const isIt =
    isObject(request) &&
    request.validUntil === message.validUntil &&
    (request.from === undefined || request.from === message.from) &&
    (request.network === undefined || request.network === '-239') &&
    messages.length === 1 &&
    isObject(only) &&
    only.address === message.to &&
    only.amount === message.value &&
    only.payload === message.payload &&
    (only.stateInit ?? null) === message.stateInit &&
    Object.keys(only).every((name) => ['address', 'amount', 'payload', 'stateInit'].includes(name))
  if (!isIt) throw refuseMaterial('ton_connect')
}

const isObject = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isSame = (text: unknown, other: string): boolean =>
  typeof text === 'string' && text.toLowerCase() === other.toLowerCase()
