/**
 * Explains typed data: signatures that move or give away without a transaction. A name in the domain is free text;
 * the contract that verifies decides. A type is known by its full text, not by its name.
 *
 * Source: EIP-712, EIP-2612, EIP-3009, ERC-7710, ERC-4337 · Uniswap/permit2 src/libraries/PermitHash.sol ·
 * ProjectOpenSea/seaport · safe-global/safe-smart-account
 */

import type { Fields } from '../../chains/json/fields.ts'
import { findMajor } from '../../chains/majors.ts'
import { SAFE_TX } from '../../proof/evm/wrappers.ts'
import { hands, pays, receives } from '../ledger.ts'
import { safeTransaction } from './accounts.ts'
import { Args, type InnerReader } from './args.ts'
import { canonical, type EvmContext, isNative, isOn, PERMIT2 } from './context.ts'
import exactTypes from './exact-types.json' with { type: 'json' }
import { acts, lets, type Permission, type Reading, swaps, transfers } from './rows.ts'
import { allowance } from './tokens.ts'
import { atomOf, TypedData } from './typed-data.ts'

/** As a call of the contract that takes the signature; the contract is empty if the domain names none. */
interface Message extends Reading {
  readonly contract: string | null
}

type Reads = (message: Message) => void | Promise<void>

/** Types by their text: others of a known name are read as far as they are alike, and are unknown. */
const EXACT: ReadonlySet<string> = new Set([...exactTypes, SAFE_TX])

/** The members that a domain may have, in their order. */
const DOMAIN = {
  name: 'string',
  version: 'string',
  chainId: 'uint256',
  verifyingContract: 'address',
  salt: 'bytes32',
} as const

type Domain = { readonly [Name in keyof typeof DOMAIN]?: unknown }

/**
 * Judges the domain. Only the members in EIP712Domain are signed, so only those are believed.
 * @returns its signed part
 */
function signedDomain(typed: TypedData, { found, chain }: EvmContext): Domain {
  const { domain, domainFields } = typed
  const standard = Object.entries(DOMAIN).map(([name, type]) => ({ name, type }))
  const fields = domainFields ?? standard.filter(({ name }) => Object.hasOwn(domain, name))
  const places = fields.map(({ name, type }) =>
    standard.findIndex((one) => one.name === name && one.type === type),
  )
  if (places.some((place, i) => place === -1 || place <= (places[i - 1] ?? -1)))
    found.leave('domain', 'EIP712Domain has other members than EIP-712 says, or in another order')
  if (domainFields === null)
    found.leave(
      'domain',
      'its types lack EIP712Domain: some signers sign all of the domain then, others nothing',
    )
  const unsigned = Object.keys(domain).filter((name) => !fields.some((field) => field.name === name))
  if (unsigned.length > 0) nobodySigns('the domain', unsigned, found)
  const signed: Record<string, unknown> = {}
  for (const { name, type } of fields) {
    const value = Object.hasOwn(domain, name) ? atomOf(domain[name], type) : null
    if (value !== null) signed[name] = value
    else if (name === 'verifyingContract')
      found.riskOfAll('malformed', 'The domain names no contract by its address.')
    else
      found.leave(
        'domain',
        `${name.slice(0, 64)}: signers do not read it as ${type.slice(0, 64)}, or not alike`,
      )
  }
  const isListed = (name: string) => domainFields !== null && fields.some((field) => field.name === name)
  if (!isListed('chainId')) found.riskOfAll('every_chain', 'The signature is good on every chain.')
  if (!isListed('verifyingContract'))
    found.riskOfAll('every_contract', 'The signature is good for every contract that takes its type.')
  const chainId = (signed.chainId as bigint | undefined) ?? null
  if (!isOn(chain, chainId)) found.riskOfAll('other_chain', `It is good on chain ${chainId}.`)
  return signed
}

function nobodySigns(where: string, names: readonly string[], found: EvmContext['found']): void {
  const shown = names.slice(0, 4).map((name) => JSON.stringify(name.slice(0, 32)))
  found.riskOfAll('malformed', `Nobody signs ${shown} of ${where}: no type has it.`)
}

/** @param read  reads calls within messages */
export async function explainTyped(typedData: Fields, context: EvmContext, read: InnerReader) {
  const { found } = context
  let typed: TypedData
  let args: Args
  try {
    typed = new TypedData(typedData)
    args = new Args(typed.values())
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return found.leave('transaction', `it is no typed data: ${error.message}`)
  }
  const { primaryType, extra, unlisted } = typed
  const contract = (signedDomain(typed, context).verifyingContract as string | undefined) ?? null
  const known = Object.hasOwn(KNOWN, primaryType) ? KNOWN[primaryType]! : null
  const text = typed.encodeType()
  const isMeant = EXACT.has(text)
  try {
    const call = { where: 'message', from: found.owner, to: contract ?? '', value: 0n, data: '0x', depth: 0 }
    await known?.({ ...context, args, contract, read, call, isMeant })
  } catch (error) {
    // A type of the same name with other members.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
  }
  if (found.actions.length === 0) {
    found.leave('message', 'nothing in it was read')
    const fields = (contract && (await context.describe?.ofMessage(typedData, contract))) || args.texts()
    const words = `signs ${JSON.stringify(primaryType.slice(0, 64))} for ${contract}`
    found.act('sign', words, { program: contract, from: found.owner, fields }, [])
  }
  if (!isMeant) found.leave('message', `its type is not known here: ${text.slice(0, 256)}`)
  if (extra.length > 0) nobodySigns('the message', extra, found)
  for (const name of unlisted.slice(0, 4))
    found.leave('message', `${JSON.stringify(name.slice(0, 32))} is no member of typed data`)
}

/** Lets a spender take something by the signature. */
function permits(
  message: Message,
  owner: string | null,
  permission: Omit<Permission, 'kind' | 'holder' | 'code'>,
): void {
  const { found } = message
  found.owner ??= owner
  if (owner !== null && !found.isOwn(owner)) found.riskOfAll('not_signer', `It is about ${owner}.`)
  lets(message, { kind: 'permit', holder: owner ?? found.owner, code: 'permit_to_stranger', ...permission })
}

/** All of a collection, a position or an account. */
function controls(message: Message, who: string, isOn: boolean): void {
  const { contract, found } = message
  const more = { asset: contract, spender: who }
  if (!isOn) {
    acts(message, 'revoke', `takes all power in ${contract} from ${who}`, [], more)
    return
  }
  const power = hands(found.owner, contract, who, 'power to act for you', 'operator', {
    severity: found.isNamed(who) ? 'warning' : 'danger',
    reason: `${who} may move all of it, now and later.`,
  })
  acts(message, 'permit', `lets ${who} act for you in ${contract}`, [power], more)
}

/** @param isOnce  whether the spender takes it at once, for any recipient */
function permit2(message: Message, details: readonly Args[], isOnce: boolean): void {
  const { args, contract, found } = message
  if (contract !== PERMIT2) found.leave('message', `${contract} is not Permit2`)
  const spender = args.address('spender')
  for (const one of details) {
    const [token, amount] = [one.address('token'), one.int('amount')]
    const once = () => ({ token, amount, spender, until: args.int('deadline') })
    permits(message, null, isOnce ? once() : allowance(one, spender))
  }
  if (isOnce && !found.isNamed(spender))
    found.risk('recipient_unknown', `${spender} says who is paid: that is not signed, or not read.`)
}

const isRising = (item: Args): boolean => item.int('startAmount') < item.int('endAmount')

/** One order of Seaport. */
function sells(message: Message): void {
  const { args, found, chain } = message
  const offerer = args.address('offerer')
  found.owner ??= offerer
  const least = (item: Args) => item.int(isRising(item) ? 'startAmount' : 'endAmount')
  const offer = args.structs('offer')
  for (const item of offer) {
    const [token, amount] = [item.address('token'), item.int('startAmount')]
    const words = `offers ${amount} of ${token}, number ${item.int('identifierOrCriteria')}`
    const effects = [pays(offerer, token, amount, null, { isKnown: true })]
    acts(message, 'order', words, effects, { asset: token, amount: String(amount), from: offerer })
    if (item.int('itemType') >= 4n) found.risk('order_for_nothing', `Any token of ${token} may be taken.`)
  }
  const paid = args.structs('consideration').filter((item) => item.address('recipient') === offerer)
  const total = paid.reduce((sum, item) => sum + least(item), 0n)
  for (const item of paid) {
    const token = item.address('token')
    const isMoney = isNative(token) || findMajor(chain.key, token) !== null
    const more = { asset: token, amount: String(least(item)), from: null, to: offerer }
    const effects = [receives(offerer, token, least(item))]
    acts(message, 'order', `gets ${least(item)} of ${token} at least`, effects, more)
    if (!isMoney) found.risk('market_price', `${token} is no money that is known here.`)
  }
  // A millionth of a token's units, or one for an NFT.
  const worth = (item: Args) => (item.int('itemType') === 1n ? item.int('startAmount') / 1_000_000n : 1n)
  if (total <= offer.reduce((sum, item) => sum + worth(item), 0n))
    found.risk('order_for_nothing', `At most ${total} come back for what is offered.`)
  else found.risk('market_price', `${total} come back for what is offered.`)
}

/** An order of one token for another, by the names of its members. */
function trades(message: Message, names: typeof COW | typeof ONE_INCH, owner: string | null): void {
  const { args, found } = message
  found.owner ??= owner
  const receiver = args.address('receiver')
  swaps(message, {
    tokenIn: args.address(names.in),
    tokenOut: args.address(names.out),
    amountIn: args.int(names.amountIn),
    minOut: args.int(names.minOut),
    recipient: BigInt(receiver) === 0n ? (found.owner ?? receiver) : receiver,
  })
  found.risk('market_price', 'The order stands until it is filled or ends.')
}

const COW = { in: 'sellToken', out: 'buyToken', amountIn: 'sellAmount', minOut: 'buyAmount' } as const
const ONE_INCH = {
  in: 'makerAsset',
  out: 'takerAsset',
  amountIn: 'makingAmount',
  minOut: 'takingAmount',
} as const

/** Whether a type is CoW's, 1inch's or Blur's, by its members. */
const order: Reads = (message) => {
  const { args } = message
  const names = Object.keys(args.texts())
  if (names.includes(COW.in)) return trades(message, COW, null)
  if (names.includes(ONE_INCH.in)) return trades(message, ONE_INCH, args.address('maker'))
  if (names.includes('listingsRoot')) return blind(message)
}

const blind: Reads = (message) => {
  acts(message, 'sign', 'signs a hash, behind which anything may stand', [])
  message.found.risk('blind_signature', 'What is sold, and for how much, is not in the message.')
}

const authorized: Reads = (message) => {
  const { args, contract, found } = message
  const [from, to] = [args.address('from'), args.address('to')]
  found.owner ??= from
  if (contract === null) return found.leave('message', 'it names no token')
  transfers(message, { token: contract, from, to, amount: args.int('value') })
}

const calls = (message: Message, to: string, data: string, value = 0n): Promise<void> =>
  message.read({ where: 'message.1', from: message.contract, to, value, data, depth: 1 })

const KNOWN: Readonly<Record<string, Reads>> = {
  Permit(message) {
    const { args, contract } = message
    const names = Object.keys(args.texts())
    const spender = args.address('spender')
    if (names.includes('holder')) {
      const amount = args.is('allowed') ? 2n ** 256n - 1n : 0n
      return permits(message, args.address('holder'), { token: contract, amount, spender, isCounted: true })
    }
    if (names.includes('tokenId')) return controls(message, spender, true)
    permits(message, args.address('owner'), { token: contract, amount: args.int('value'), spender })
  },
  PermitForAll: (message) => controls(message, message.args.address('operator'), message.args.is('approved')),
  PermitSingle: (message) => permit2(message, [message.args.struct('details')], false),
  PermitBatch: (message) => permit2(message, message.args.structs('details'), false),
  PermitTransferFrom: (message) => permit2(message, [message.args.struct('permitted')], true),
  PermitBatchTransferFrom: (message) => permit2(message, message.args.structs('permitted'), true),
  PermitWitnessTransferFrom: (message) => permit2(message, [message.args.struct('permitted')], true),
  TransferWithAuthorization: authorized,
  ReceiveWithAuthorization: authorized,
  OrderComponents: sells,
  async BulkOrder(message) {
    for (const leaf of message.args.leaves('tree')) sells({ ...message, args: leaf })
  },
  Order: order,
  OrderStructure: order,
  Root: blind,
  SafeTx: safeTransaction,
  async PackedUserOperation(message) {
    const { args } = message
    if (args.hex('initCode').startsWith('0x7702'))
      message.found.risk('delegated_account', 'The operation sets the code that the account runs.')
    await calls(message, args.address('sender'), args.hex('callData'))
  },
  ForwardRequest: (message) =>
    calls(message, message.args.address('to'), message.args.hex('data'), message.args.int('value')),
  Delegation(message) {
    const { args } = message
    if (!Object.keys(args.texts()).includes('delegate')) return
    controls(message, args.address('delegate'), true)
    if (args.structs('caveats').length === 0)
      message.found.risk('account_control', 'The delegate may do anything: there is no caveat.')
  },
  DelegationWithSig(message) {
    const [spender, amount] = [message.args.address('delegatee'), message.args.int('value')]
    permits(message, null, { token: message.contract, amount, spender, isCounted: true })
  },
  Authorization(message) {
    const isMorpho = Object.keys(message.args.texts()).includes('authorized')
    const [who, isOn] = isMorpho ? ['authorized', 'isAuthorized'] : ['manager', 'isAllowed']
    controls(message, message.args.address(who!), message.args.is(isOn!))
  },
  'HyperliquidTransaction:ApproveAgent': (message) =>
    controls(message, message.args.address('agentAddress'), true),
  'HyperliquidTransaction:Withdraw'(message) {
    const to = canonical(String(message.args.texts().destination))
    acts(message, 'transfer', `withdraws to ${to}`, [pays(message.found.owner, null, null, to)], { to })
  },
  ERC721Order(message) {
    const { args } = message
    const [nft, token] = [args.address('erc721Token'), args.address('erc20Token')]
    const amount = args.int('erc20TokenAmount')
    const more = { asset: token, amount: String(amount), from: args.address('maker') }
    acts(message, 'order', `trades an NFT of ${nft} for ${amount} of ${token}`, [], more)
    message.found.risk('market_price', `${amount} of ${token} are the price.`)
  },
}
