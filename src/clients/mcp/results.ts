/**
 * What a tool passes on of the gateway's answer: the members named here, each of its own type. What else there is stays
 * out, such as a `verified` of the gateway's own; what is missing or of another type is null, which says unknown.
 */
import { printable } from '../../runtime/shown.ts'

/** A text may hold anything, such as a token's name that speaks to the agent: it is short, and cannot end its line. */
const MAX_TEXT = 200
const MAX_ITEMS = 100

type Shape = 'text' | 'number' | 'flag' | 'json' | [Shape] | { readonly [name: string]: Shape }

/** @returns a value of this shape */
export function shaped(value: unknown, shape: Shape): unknown {
  switch (shape) {
    case 'text':
      return typeof value === 'string' ? printable(value, MAX_TEXT) : null
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : null
    case 'flag':
      return typeof value === 'boolean' ? value : null
    case 'json':
      return value === null || value === undefined ? null : printable(JSON.stringify(value), MAX_TEXT)
  }
  if (Array.isArray(shape)) {
    return Array.isArray(value) ? value.slice(0, MAX_ITEMS).map((one) => shaped(one, shape[0])) : null
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const members = Object.entries(shape)
  return Object.fromEntries(
    members.map(([name, one]) => [
      name,
      shaped(Object.hasOwn(value, name) ? (value as never)[name] : null, one),
    ]),
  )
}

const each = (kind: Shape, names: string): Record<string, Shape> =>
  Object.fromEntries(names.split(' ').map((name) => [name, kind]))
const texts = (names: string) => each('text', names)
const numbers = (names: string) => each('number', names)
const flags = (names: string) => each('flag', names)

export const RISKS: Shape = {
  ...texts('chain token symbol name checked'),
  checkedBy: [{ ...texts('source'), ...numbers('at') }],
  flags: [{ ...texts('flag source reason'), ...flags('isGrave'), ...numbers('at') }],
}

const GATE: Shape = [texts('rule source reason')]

const FOUND: Readonly<Record<string, Shape>> = {
  ...texts('chain address symbol name tier book'),
  ...numbers('decimals price priceTs liq'),
  ...flags('gated'),
  gate: GATE,
  risks: RISKS,
  readsLike: texts('chain address symbol'),
}

const SOURCES: Shape = [{ ...texts('provider status code'), ...numbers('at') }]

const ORIGIN: Shape = { ...texts('source'), ...numbers('at'), ...flags('stale') }

const CHANGE: Shape = numbers('pricePct buys sells')

const SIDE: Shape = {
  ...texts('txHash amount'),
  ...numbers('chainId'),
  token: { ...texts('address symbol'), ...numbers('decimals') },
}

export const ESTIMATE: Shape = {
  ...texts('fromAmount toAmount toAmountMin'),
  ...numbers('fromAmountHuman toAmountHuman toAmountMinHuman'),
}

/** By tool. */
export const RESULTS: Readonly<Record<string, Shape>> = {
  chains: {
    chains: [{ ...texts('key name native explorer'), ...numbers('chainId decimals xprovChainId') }],
  },
  find_tokens: { tokens: [FOUND], ...numbers('total updatedAt') },
  look_up: {
    looksLike: [texts('family form text')],
    candidates: [{ ...FOUND, ...texts('family kind source why'), ...flags('listed') }],
    sources: SOURCES,
  },
  token: {
    ...texts('chain token'),
    ...numbers('updatedAt'),
    row: {
      ...texts('symbol name priceBy launchpad book'),
      ...numbers('decimals price priceTs mcap fdv liq vol24 holders firstPoolAt creatorPct topTenPct'),
      ...flags('priceStale nameSuspicious'),
      changes: { m5: CHANGE, h1: CHANGE, h6: CHANGE, h24: CHANGE },
      gate: GATE,
    },
    profile: { ...numbers('createdAt'), ...texts('mintAuthority freezeAuthority') },
    holders: [{ ...texts('address balance'), ...numbers('percent'), tags: ['text'] }],
    early: [{ ...texts('kind address venue tx amount source'), ...numbers('at') }],
    risks: RISKS,
    origins: { row: ORIGIN, holders: ORIGIN },
    sources: SOURCES,
  },
  portfolio: {
    ...texts('address sol at'),
    ...numbers('totalUsd tokenCount unpriced'),
    chains: [
      {
        ...texts('chain status at'),
        ...numbers('block slot usd tokenCount unpriced'),
        holdings: [
          {
            ...texts('address symbol name amount wrapped cappedBy'),
            ...numbers('decimals amountHuman price priceTs valueUsd'),
            ...flags('isNative listed priceStale'),
            notes: ['text'],
          },
        ],
        hidden: numbers('count unpriced usd'),
        problems: [{ ...texts('part error code provider'), ...numbers('missing') }],
      },
    ],
  },
  quote: {
    ...texts('provider chain side against from amountIn expectedOut minOut rankedBy netOut fairOut'),
    ...numbers(
      'chainId amountInHuman expectedOutHuman slippageBps priceImpactPct gasUsd netOutUsd suggestedSlippageBps',
    ),
    ...flags('unpriced'),
    slippageReasons: [{ ...texts('what why'), ...numbers('bps') }],
    risks: [RISKS],
    route: {
      ...texts('buildBy'),
      ...numbers('asOf'),
      fees: [{ ...texts('amount token recipient whose'), ...numbers('bps') }],
      alternatives: [{ ...texts('provider outcome'), ...numbers('behindBps') }],
    },
  },
  transaction_status: {
    ...texts('chain hash signature status explorer'),
    ...numbers('confirmations block slot includedAt droppedFrom asOf'),
    ...flags('isFinal replaced'),
    err: 'json',
    fee: texts('amount l1 paidBy'),
  },
  cross_chain_status: {
    ...texts('transactionId status substatus substatusMessage tool fromAddress toAddress'),
    sending: SIDE,
    receiving: SIDE,
  },
}
