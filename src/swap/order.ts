/**
 * From a client's query to an order that every provider understands: the checks
 * that cost nothing first, then the token's decimals, which may cost a call.
 *
 * Source: §4.5, §4.6
 */
import { nativeAddress, parseAddress, parseToken } from '../chains/address.ts'
import { parseAmount } from '../chains/amount.ts'
import type { ChainDefinition } from '../chains/definition.ts'
import { parseChain } from '../chains/find.ts'
import type { Call } from '../flow/call.ts'
import { LEAST_RECEIVER } from '../proof/evm/evm.ts'
import { hasGuards } from '../proof/evm/guard.ts'
import type { FeePriority, Order, OutputOrder, Token } from '../proof/terms/order.ts'
import { type GatewayError, invalidParameter } from '../runtime/errors.ts'
import type { Level } from '../runtime/levels.ts'
import type { BuildRequest } from '../runtime/resources/build.ts'
import type { QuoteQuery } from '../runtime/resources/order.ts'
import type { Decimals } from './decimals.ts'

/** A query whose every part has the right form; the token's decimals are not known yet. */
export interface SwapRequest {
  readonly chain: ChainDefinition
  readonly side: 'buy' | 'sell'
  /** Canonical. */
  readonly token: string
  /** The token on the other side, canonical; null for the native coin. */
  readonly against: string | null
  /** Decimal, in units of the token that goes in, or with an exact output of the one that comes out. */
  readonly amount: string
  /** Absent: no. */
  readonly isExactOut?: boolean
  readonly slippageBps: number
  /** Canonical; null if it was not given. */
  readonly from: string | null
  /** The wallet that gets the output, canonical. Absent: the one that signs. */
  readonly receiver?: string
  /** The least level that a build has to reach. Absent: that of the host. */
  readonly verification?: Level
}

/** @throws 400  unsupported_chain, or invalid_parameter naming the field */
export function parseRequest(query: QuoteQuery): SwapRequest {
  const chain = parseChain(query.chain, 'chain')
  const token = parseToken(chain, query.token)
  if (token === null || token.isNative) {
    const message = `\`token\` must be the address of a token on ${chain.key}, other than its native coin.`
    throw invalidParameter('token', message)
  }
  const against = query.against === undefined ? null : parseAgainst(chain, query.against, token.address)
  const from = query.from === undefined ? null : parseAddress(chain, query.from)
  if (from === null && query.from !== undefined) throw badAddress('from', chain)
  const receiver = query.receiver === undefined ? from : parseReceiver(chain, query.receiver)
  const isOther = receiver !== null && receiver !== from
  if (isOther && chain.family === 'solana' && query.side === 'sell' && against === null)
    throw invalidParameter('receiver', SOL_TO_OTHERS)
  const { amount, amountOut } = query
  if (amount !== undefined && amountOut !== undefined) throw invalidParameter('amountOut', EITHER_AMOUNT)
  if (amount === undefined && amountOut === undefined) throw invalidParameter('amount', NO_AMOUNT)
  return {
    chain,
    side: query.side,
    token: token.address,
    against,
    amount: amount ?? amountOut!,
    ...(amount === undefined && { isExactOut: true }),
    slippageBps: query.slippageBps,
    from,
    ...(isOther && { receiver }),
    ...(query.verification && { verification: query.verification }),
  }
}

const NO_AMOUNT =
  '`amount` must be a positive decimal such as 1.5: what is spent. Give `amountOut` in its place for exactly what arrives.'

const EITHER_AMOUNT =
  '`amountOut`, exactly what arrives, takes the place of `amount`, what is spent. Give one of the two.'

const SOL_TO_OTHERS =
  'On Solana `receiver` gets a token, not SOL. Give `against` the address of another token, or leave `receiver` out.'

/** @throws 400  invalid_parameter */
function parseReceiver(chain: ChainDefinition, text: string): string {
  const { family, name } = chain
  if (family !== 'evm' && family !== 'solana') {
    const message = `\`receiver\` is for EVM chains and Solana: on ${name} the wallet that signs gets the output. Leave it out.`
    throw invalidParameter('receiver', message)
  }
  const receiver = parseAddress(chain, text)
  const isLow = family === 'evm' && receiver !== null && BigInt(receiver) < LEAST_RECEIVER
  if (receiver === null || isLow) throw badAddress('receiver', chain)
  return receiver
}

/** @returns null for the native coin */
function parseAgainst(chain: ChainDefinition, text: string, token: string): string | null {
  const other = parseToken(chain, text)
  if (other?.isNative) return null
  if (other !== null && other.address !== token) return other.address
  const message = `\`against\` must be the address of a token on ${chain.key} other than \`token\`, or \`native\`.`
  throw invalidParameter('against', message)
}

/**
 * @param most  micro-lamports per compute unit
 * @returns null if the provider decides
 * @throws 400  invalid_parameter
 */
export function parsePriority(
  priority: BuildRequest['priority'],
  { family, key }: ChainDefinition,
  most: bigint,
): FeePriority | null {
  if (priority === undefined) return null
  if (family !== 'solana') {
    throw invalidParameter('priority', `\`priority\` is for Solana. Leave it out for ${key}.`)
  }
  if (typeof priority === 'string') return priority
  if (BigInt(priority) <= most) return BigInt(priority)
  const message = `\`priority\` must be at most ${most} micro-lamports per compute unit, which the operator allows.`
  throw invalidParameter('priority', message)
}

/**
 * @throws 400  invalid_parameter, if the chain has no contract that checks a balance, is another than Solana, or does
 * not show what `receiver` gets
 */
export function requireGuardable(
  { guards, headroomBytes }: Pick<BuildRequest, 'guards' | 'headroomBytes'>,
  { chain, side, against, receiver }: Pick<SwapRequest, 'chain' | 'side' | 'against' | 'receiver'>,
): void {
  const { family, key, name } = chain
  if (guards === true && receiver !== undefined && family === 'solana') {
    const message =
      'On Solana `guards` are for accounts of the wallet that signs. Leave them out, or `receiver`.'
    throw invalidParameter('guards', message)
  }
  if (guards === true && receiver !== undefined && side === 'sell' && against === null) {
    const message = '`guards` do not see the coin of another wallet. Leave them out, or `receiver`.'
    throw invalidParameter('guards', message)
  }
  if (guards === true && family === 'evm' && !hasGuards(key)) {
    const message = `\`guards\` are not possible on ${name}: it has no known contract that checks a balance. Leave it out.`
    throw invalidParameter('guards', message)
  }
  if (headroomBytes !== undefined && family !== 'solana')
    throw invalidParameter('headroomBytes', `\`headroomBytes\` is for Solana. Leave it out for ${key}.`)
}

export function badAddress(field: string, chain: ChainDefinition): GatewayError {
  const message = `\`${field}\` must be a wallet address of ${chain.name}, with a valid checksum where it has one.`
  return invalidParameter(field, message)
}

/**
 * @throws 400  unknown_token, amount_precision, amount_too_small, amount_too_large; 502 if the chain cannot
 * be asked
 */
export async function toOrder(
  request: SwapRequest,
  decimals: Decimals,
  call: Call,
): Promise<Order | OutputOrder> {
  const { chain, side, slippageBps, from, against } = request
  const counted = (address: string) => decimals.addTo(chain, { address, isNative: false }, call)
  const [token, other] = await Promise.all([
    counted(request.token),
    against === null
      ? { address: nativeAddress(chain), isNative: true, decimals: chain.decimals }
      : counted(against),
  ])
  const [tokenIn, tokenOut] = side === 'buy' ? [other, token] : [token, other]
  const terms = { chain, side, tokenIn, tokenOut, slippageBps, from }
  const amountOf = (counted: Token, field: string) =>
    parseAmount(request.amount, counted.decimals, chain.family, field)
  return request.isExactOut === true
    ? { ...terms, amountOut: amountOf(tokenOut, 'amountOut') }
    : { ...terms, amountIn: amountOf(tokenIn, 'amount') }
}
