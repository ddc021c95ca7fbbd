/**
 * What a sandboxed gateway tells of transactions that are there from the start,
 * as the OpenAPI document shows it.
 *
 * Source: §4.10
 */
import type { Example } from '../../http/route.ts'

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const ROUTER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const hash = (digit: string): string => `0x${digit.repeat(64)}`

const standing = (digit: string) => ({
  chain: 'base',
  hash: hash(digit),
  signature: null,
  status: 'finalized',
  isFinal: true,
  confirmations: 299,
  block: 897616536,
  slot: null,
  includedAt: 1795233072000,
  err: null,
  replaced: null,
  droppedFrom: null,
  fee: { amount: '200004000000000', l1: '4000000000', paidBy: WALLET },
  explorer: `https://basescan.org/tx/${hash(digit)}`,
})
const asOf = 1795233668100

export const STATUSES = {
  swap: {
    request: { chain: 'base', hash: hash('2') },
    reply: { ...standing('2'), receipt: null, asOf },
  },
  reverted: {
    request: { chain: 'base', hash: hash('3') },
    reply: { ...standing('3'), status: 'failed', err: { reverted: null }, receipt: null, asOf },
  },
} satisfies Record<string, Example>

export const RECEIPTS = {
  swap: {
    request: { chain: 'base', hash: hash('2') },
    reply: {
      ...standing('2'),
      from: WALLET,
      to: ROUTER,
      paid: [
        { token: USDC, isNative: false, listed: true, amount: '250000000', decimals: 6, symbol: 'USDC' },
      ],
      got: [
        {
          token: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
          isNative: true,
          listed: true,
          amount: '84394646257547318',
          decimals: 18,
          symbol: 'ETH',
        },
      ],
      missing: [],
      asOf,
    },
  },
} satisfies Record<string, Example>

const allowed = { chain: 'base', token: USDC, owner: WALLET, spender: ROUTER }
export const ALLOWANCES = {
  'read on chain': {
    request: allowed,
    reply: { ...allowed, allowance: '0', isUnlimited: false, block: 897616834, transaction: null, asOf },
  },
  'by an approval': {
    request: { chain: 'base', hash: hash('1') },
    reply: {
      ...allowed,
      allowance: '1000000000',
      isUnlimited: false,
      block: 897616534,
      transaction: standing('1'),
      asOf,
    },
  },
} satisfies Record<string, Example>
