/**
 * The life of the first crossing of xquote.ts, as a sandboxed gateway
 * told it.
 *
 * Source: §4.8
 */
import type { Example } from '../../http/route.ts'

const REQUEST = {
  txHash: '0x583a541002b4d82328f1059bbbd83d1dd667df354269072c5a209a5296520f41',
  fromChain: 'base',
  toChain: 'solana',
  bridge: 'sandboxbridge',
}

const SENDING = {
  txHash: '0x583a541002b4d82328f1059bbbd83d1dd667df354269072c5a209a5296520f41',
  txLink: 'https://basescan.org/tx/0x583a541002b4d82328f1059bbbd83d1dd667df354269072c5a209a5296520f41',
  chainId: 8453,
  amount: '50000000',
  token: {
    address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    chainId: 8453,
    symbol: 'USDC',
    decimals: 6,
    name: 'USD Coin',
    coinKey: 'USDC',
    priceUSD: '1.000017000000',
  },
}

const PARTIES = {
  fromAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  toAddress: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
  metadata: { integrator: 'swapgate' },
}

export const STATUSES = {
  unknown: {
    request: REQUEST,
    reply: { status: 'NOT_FOUND', substatusMessage: 'The transaction was not found.' },
  },
  pending: {
    request: REQUEST,
    reply: {
      transactionId: '0x583a541002b4d82328f1059bbbd83d1dd667df354269072c5a209a5296520f41',
      status: 'PENDING',
      substatus: 'WAIT_DESTINATION_TRANSACTION',
      substatusMessage: 'The transfer is on its way.',
      tool: 'sandboxbridge',
      sending: SENDING,
      receiving: { chainId: 1151111081099710 },
      ...PARTIES,
    },
  },
  done: {
    request: REQUEST,
    reply: {
      transactionId: '0x583a541002b4d82328f1059bbbd83d1dd667df354269072c5a209a5296520f41',
      status: 'DONE',
      substatus: 'COMPLETED',
      substatusMessage: 'The transfer is complete.',
      tool: 'sandboxbridge',
      sending: SENDING,
      receiving: {
        txHash: '0x583a541002b4d82328f1059bbbd83d1dd667df354269072c5a209a5296520f41',
        txLink: 'https://solscan.io/tx/0x583a541002b4d82328f1059bbbd83d1dd667df354269072c5a209a5296520f41',
        chainId: 1151111081099710,
        amount: '360174155',
        token: {
          address: '11111111111111111111111111111111',
          chainId: 1151111081099710,
          symbol: 'SOL',
          decimals: 9,
          name: 'Solana coin',
          coinKey: 'SOL',
          priceUSD: '138.176760800000',
        },
      },
      ...PARTIES,
    },
  },
} satisfies Record<string, Example>

export const STATUS_ERRORS = {
  400: {
    error:
      '`txHash` must be an EVM transaction hash (0x and 64 hex digits), a Solana signature (base58 of 64 bytes) or a Sui digest (base58 of 32 bytes).',
    scope: 'validation',
    code: 'invalid_parameter',
    field: 'txHash',
  },
  502: {
    error: 'The upstream answered something that is not an answer to the request.',
    scope: 'provider',
    code: 'upstream_unusable',
    provider: 'xprov',
  },
}
