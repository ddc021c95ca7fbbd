/**
 * What a tool passes on from the gateway's answer: the members named here, each of its own type. Everything
 * else is left out, such as the gateway's own `verified`; a missing or mistyped member is null, which means
 * unknown.
 */
import { printable } from '../../runtime/shown.ts'

/**
 * A text may be hostile, such as a token's name that addresses the agent: it is cut, and cannot end its line.
 */
const MAX_TEXT = 200
const MAX_ITEMS = 100

/** Reads one value; null if it isn't of its type. */
type Shape = (value: unknown) => unknown

const text: Shape = (value) => (typeof value === 'string' ? printable(value, MAX_TEXT) : null)
const listOf =
  (item: Shape): Shape =>
  (value) =>
    Array.isArray(value) ? value.slice(0, MAX_ITEMS).map(item) : null

const KINDS: Readonly<Record<string, Shape>> = {
  '#': (value) => (Number.isFinite(value) ? value : null),
  '?': (value) => (typeof value === 'boolean' ? value : null),
  '*': listOf(text),
  '~': (value) => text(JSON.stringify(value ?? undefined)),
}

/**
 * @param notation  of an object's members: `name` is a text, `name#` a number, `name?` a flag, `name*` a list of texts,
 *                  `name~` anything, as JSON; `name{…}` is an object and `name[…]` a list of such
 */
const shapeOf = (notation: string): Shape => membersIn(notation.match(/\w+[#?*~[{]?|[\]}]/g)!)

function membersIn(tokens: string[]): Shape {
  const members = new Map<string, Shape>()
  for (let token = tokens.shift(); token !== undefined && !/[\]}]/.test(token); token = tokens.shift()) {
    const kind = token.at(-1)!
    const inner = /[[{]/.test(kind) ? membersIn(tokens) : (KINDS[kind] ?? text)
    members.set(/\w+/.exec(token)![0], kind === '[' ? listOf(inner) : inner)
  }
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
    const has = new Map(Object.entries(value))
    return Object.fromEntries([...members].map(([name, shape]) => [name, shape(has.get(name))]))
  }
}

const RISKS = `chain token symbol name checked checkedBy[source at#] flags[flag source reason isGrave? at#]`
const GATE = 'gate[rule source reason]'
const FOUND = `chain address symbol name tier book decimals# price# priceTs# liq# gated? ${GATE}
  risks{${RISKS}} readsLike{chain address symbol}`
const SOURCES = 'sources[provider status code at#]'
const CHANGE = '{pricePct# buys# sells#}'
const ORIGIN = '{source at# stale?}'
const SIDE = '{txHash amount chainId# token{address symbol decimals#}}'

export const risksOf = shapeOf(RISKS)
export const estimateOf = shapeOf('fromAmount toAmount toAmountMin fromAmountHuman# toAmountHuman#')

/** By tool. */
export const RESULTS: Readonly<Record<string, Shape>> = {
  chains: shapeOf('chains[key name native explorer chainId# decimals# xprovChainId#]'),
  find_tokens: shapeOf(`tokens[${FOUND}] total# updatedAt#`),
  look_up: shapeOf(
    `looksLike[family form text] ${SOURCES} candidates[${FOUND} family kind source why listed?]`,
  ),
  token: shapeOf(`chain token updatedAt# risks{${RISKS}} origins{row${ORIGIN} holders${ORIGIN}} ${SOURCES}
    row{symbol name priceBy launchpad book decimals# price# priceTs# mcap# fdv# liq# vol24# holders# firstPoolAt#
      creatorPct# topTenPct# priceStale? nameSuspicious? ${GATE}
      changes{m5${CHANGE} h1${CHANGE} h6${CHANGE} h24${CHANGE}}}
    profile{createdAt# mintAuthority freezeAuthority} holders[address balance percent# tags*]
    early[kind address venue tx amount source at#]`),
  portfolio: shapeOf(`address sol at totalUsd# tokenCount# unpriced#
    chains[chain status at block# slot# usd# tokenCount# unpriced# hidden{count# unpriced# usd#}
      holdings[address symbol name amount wrapped cappedBy decimals# amountHuman# price# priceTs# valueUsd# isNative?
        listed? priceStale? notes*]
      problems[part error code provider missing#]]`),
  quote:
    shapeOf(`provider chain side against from amountIn maxIn expectedOut minOut rankedBy netOut netIn fairOut chainId#
    amountInHuman# expectedOutHuman# slippageBps# priceImpactPct# gasUsd# netOutUsd# suggestedSlippageBps# unpriced?
    slippageReasons[what why bps#] risks[${RISKS}]
    route{asOf# fees[amount token recipient whose bps#] alternatives[provider outcome behindBps#]}`),
  transaction_status: shapeOf(`chain hash signature status explorer confirmations# block# slot# includedAt#
    droppedFrom# asOf# isFinal? replaced? err~ fee{amount l1 paidBy}`),
  cross_chain_status: shapeOf(`transactionId status substatus substatusMessage tool fromAddress toAddress
    sending${SIDE} receiving${SIDE}`),
}
