/**
 * Proves swaps on TON, and writes TON Connect's request from what was proved.
 *
 * Source: docs.ton.org, TON Connect
 */
import type { TonMessage } from '../../proof/terms/material.ts'
import type { BuildOrder } from '../../proof/terms/order.ts'
import { type Proof, refuseMaterial } from '../../proof/terms/verification.ts'
import { proveTon } from '../../proof/ton/ton.ts'
import { hasOnly, isThere } from './same.ts'
import type { TonConnectRequest } from './types.ts'
import { type Answer, objectOf, textOf } from './verdict.ts'

/** @throws GatewayError  material_refused, with the rule that does not hold */
export async function proveMessage(
  answer: Answer,
  order: BuildOrder,
  options: Parameters<typeof proveTon>[2],
): Promise<{ readonly proof: Proof; readonly request: TonConnectRequest }> {
  const message = messageIn(answer)
  const proof = await proveTon(message, order, options)
  const request = requestOf(message)
  requireSame(answer, request)
  return { proof, request }
}

/** @throws GatewayError  naming the member that isn't part of a message */
function messageIn(answer: Answer): TonMessage {
  const message = objectOf(answer.tonMessage)
  const { validUntil, stateInit } = message
  if (typeof validUntil !== 'number') throw refuseMaterial('valid_until')
  if (stateInit !== null && typeof stateInit !== 'string') throw refuseMaterial('state_init')
  return {
    to: textOf(message, 'to'),
    value: textOf(message, 'value'),
    payload: textOf(message, 'payload'),
    stateInit,
    validUntil,
    from: textOf(message, 'from'),
  }
}

function requestOf({ to, value, payload, stateInit, validUntil, from }: TonMessage): TonConnectRequest {
  const message = { address: to, amount: value, payload, ...(stateInit !== null && { stateInit }) }
  return { validUntil, network: '-239', from, messages: [message] }
}

/** @throws GatewayError  material_refused, rule `ton_connect` */
function requireSame({ tonConnect: request }: Answer, expected: TonConnectRequest): void {
  if (!isThere(request)) return
  const [message] = expected.messages
  if (!hasOnly(request, Object.keys(expected).join(' '))) throw refuseMaterial('ton_connect')
  const { messages } = request
  const [only] = Array.isArray(messages) && messages.length === 1 ? (messages as unknown[]) : []
  const isIt =
    request.validUntil === expected.validUntil &&
    [undefined, expected.from].includes(request.from as string) &&
    [undefined, expected.network].includes(request.network as '-239') &&
    hasOnly(only, 'address amount payload stateInit') &&
    only.address === message.address &&
    only.amount === message.amount &&
    only.payload === message.payload &&
    (only.stateInit ?? undefined) === message.stateInit
  if (!isIt) throw refuseMaterial('ton_connect')
}
