/**
 * What a sandboxed gateway built from the quotes of quote.ts.
 *
 * Source: §4.6
 */
import type { Example } from '../../http/route.ts'
import { QUOTES } from './quote.ts'

export const BUILDS = {
  evm: {
    request: { ...QUOTES.evm.request, quote: QUOTES.evm.reply },
    reply: {
      provider: 'kyberswap',
      chain: 'base',
      chainId: 8453,
      from: '0x52908400098527886E0F7030069857D2E4169EE7',
      to: '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5',
      data: '0xe21fd0e9000000000000000000000000000000000000000000000000000000000000002000000000000000000000000063242a4ea82847b20e506b63b0e2e2eff0cc6cb0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000a000000000000000000000000000000000000000000000000000000000000000c000000000000000000000000000000000000000000000000000000000000003000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000833589fcd6edb6e08f4c7c32d4f71b54bda02913000000000000000000000000eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000000000000000000000000000000000000000000000000000000000016000000000000000000000000000000000000000000000000000000000000001a000000000000000000000000000000000000000000000000000000000000001e0000000000000000000000000000000000000000000000000000000000000020000000000000000000000000052908400098527886e0f7030069857d2e4169ee7000000000000000000000000000000000000000000000000000000000ee6b2800000000000000000000000000000000000000000000000000128d4eb3603bcc400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000220000000000000000000000000000000000000000000000000000000000000000100000000000000000000000063242a4ea82847b20e506b63b0e2e2eff0cc6cb00000000000000000000000000000000000000000000000000000000000000001000000000000000000000000000000000000000000000000000000000ee6b2800000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000',
      value: '0',
      approval: {
        token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
        spender: '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5',
        amount: '250000000',
      },
      expectedOut: '84394646257547318',
      minOut: '83550699794971844',
      verification: {
        level: 'proved',
        stated: [],
        simulation: null,
        checks: [
          'kind',
          'to',
          'value',
          'chain_id',
          'from',
          'approval',
          'calldata',
          'tokens',
          'amount',
          'minimum',
          'recipient',
          'function',
          'flags',
          'fees',
          'permit',
        ],
        router: '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5',
        spender: '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5',
        recipient: '0x52908400098527886E0F7030069857D2E4169EE7',
        minOut: '83550699794971844',
      },
    },
  },
  solana: {
    request: { ...QUOTES.solana.request, quote: QUOTES.solana.reply },
    reply: {
      provider: 'jupiter',
      chain: 'solana',
      chainId: null,
      from: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
      swapTransaction:
        'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQAGCupKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIsZzAuSRiU10kupr5PkU6k9F+hQuZFhnyRZKJ21d128HY9otc7EHXqRBVUKP/hJrStF8cQ0CEHERIHPlFAZ4OPwU+C5RDpA6HEOz/QzFqNIqhXoX1Bg5oeviRMt4r/pRlaAwZGb+UhFzL/7K26csOb57yM5bvF9xJrLEObOkAAAADG+nrzvtutOj1l82qryXQxsbvkwtL24OR8pgIDRS9dYQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABt324ddloZPZy+FGzut5rBy0he1fWzeROoz1hX7/AKmMlyWPTiSJ8bs9ECkUjg2DC1oTmdr/EIQEjnvY2+n4WQabiFf+q4GE+2h/Y0YYwDXaxDncGus7VZig8AAAAAAB89eW6S0X4qUnOcGGIMVZ2H0LD8dOYTDrHABfM+yw5j8IBAAFAvBJAgAEAAkDECcAAAAAAAAIBgABAAUGBwEBCAYAAgAJBgcBAQYCAAIMAgAAAICy5g4AAAAABwECAREHBAIJAwAKDICy5g4AAAAACQcDAgAAAQkA',
      solanaTransaction:
        'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAQAGCupKbGPinFIKvvVQexMuxfmVR3auvr57kkIe6mkURtIsZzAuSRiU10kupr5PkU6k9F+hQuZFhnyRZKJ21d128HY9otc7EHXqRBVUKP/hJrStF8cQ0CEHERIHPlFAZ4OPwU+C5RDpA6HEOz/QzFqNIqhXoX1Bg5oeviRMt4r/pRlaAwZGb+UhFzL/7K26csOb57yM5bvF9xJrLEObOkAAAADG+nrzvtutOj1l82qryXQxsbvkwtL24OR8pgIDRS9dYQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABt324ddloZPZy+FGzut5rBy0he1fWzeROoz1hX7/AKmMlyWPTiSJ8bs9ECkUjg2DC1oTmdr/EIQEjnvY2+n4WQabiFf+q4GE+2h/Y0YYwDXaxDncGus7VZig8AAAAAAB89eW6S0X4qUnOcGGIMVZ2H0LD8dOYTDrHABfM+yw5j8IBAAFAvBJAgAEAAkDECcAAAAAAAAIBgABAAUGBwEBCAYAAgAJBgcBAQYCAAIMAgAAAICy5g4AAAAABwECAREHBAIJAwAKDICy5g4AAAAACQcDAgAAAQkA',
      lastValidBlockHeight: 425552641,
      simulationError: null,
      prioritizationFeeLamports: 1500,
      expectedOut: '34462900',
      minOut: '34118271',
      verification: {
        level: 'proved',
        stated: [],
        simulation: null,
        checks: [
          'size',
          'parse',
          'signers',
          'fee_payer',
          'unsigned',
          'program',
          'compute_budget',
          'compute_unit_price',
          'associated_account',
          'system_instruction',
          'token_instruction',
          'close_destination',
          'transfer_destination',
          'transfer_amount',
          'route',
        ],
        feePayer: 'GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB',
        bytes: 510,
        programs: [
          'ComputeBudget111111111111111111111111111111',
          'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
          '11111111111111111111111111111111',
          'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
        ],
        computeUnitPrice: '10000',
        lookupTables: [],
      },
    },
  },
  sui: {
    request: { ...QUOTES.sui.request, quote: QUOTES.sui.reply },
    reply: {
      provider: 'xprov',
      chain: 'sui',
      chainId: null,
      from: '0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a',
      suiTransaction:
        'AAAEAAgAZc0dAAAAAAAI2mQMAAAAAAAAIFpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaAQGZUlznBFYY2rUvClxDngr2QycJ9OKJk39/k7/vk5ULOwEAAAAAAAAAAQMCAAEBAAAAvEpxGAhw95RRVfuwL0sKLj+qKmLW0xtwOQEwVe0ZhpoGcm91dGVyBHN3YXAAAwMAAAAAAQEAAQMAAQECAQABAgBaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWgHv2t6ksMrJ9w3ywGeqt0acxHxGzjkIYVjEGJ7Ro6iuxwEAAAAAAAAAILGfjtri7mwiW3J4sonCgjq5rM+iJcXWfEvvJwuI6lXwWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlruAgAAAAAAAAAtMQEAAAAAAA==',
      expectedOut: '820455',
      minOut: '812250',
      verification: {
        level: 'proved',
        stated: [],
        simulation: null,
        checks: ['encoding', 'size', 'parse', 'kind', 'sender', 'gas_owner', 'command'],
        sender: '0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a',
        bytes: 328,
        gasBudget: '20000000',
        calls: ['0xbc4a71180870f7945155fbb02f4b0a2e3faa2a62d6d31b7039013055ed19869a::router::swap'],
        recipients: ['0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a'],
      },
    },
  },
  ton: {
    request: { ...QUOTES.ton.request, quote: QUOTES.ton.reply },
    reply: {
      provider: 'swapcoffee',
      chain: 'ton',
      chainId: null,
      from: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
      tonMessage: {
        to: 'EQDTx6o7gmGo8cuJt_3EHEgO1RmGnLtGTzgTOsG5pAYs0uYd',
        value: '700000000',
        payload:
          'te6cckECAwEAANQAAWQB84NdAAAAAClwN0JB3NZQCAEZuDrsgVq9xkyk/4NaCino0WYbkJYC5+HCq+ijacI++QEB4WZk3iqAGg6s6bKnM/iMuVMvgpjhU11Rn+fOxznf97url8zOaLZwAjNwddkCtXuMmUn/BrQUU9GizDchLAXPw4VX0UbThH3yAEZuDrsgVq9xkyk/4NaCino0WYbkJYC5+HCq+ijacI++AAAAADWAh3DAAgBRMLjEWAEZuDrsgVq9xkyk/4NaCino0WYbkJYC5+HCq+ijacI++AAAABApE9qC',
        stateInit: null,
        validUntil: 1795230857,
        from: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
      },
      expectedOut: '764450',
      minOut: '756805',
      verification: {
        level: 'proved',
        stated: [],
        simulation: null,
        checks: [
          'sender',
          'to',
          'state_init',
          'valid_until',
          'payload',
          'operation',
          'router',
          'custom_payload',
          'referral',
          'value',
          'amount',
          'minimum',
          'recipient',
          'refund',
          'deadline',
          'tokens',
        ],
        sender: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
        to: 'EQDTx6o7gmGo8cuJt_3EHEgO1RmGnLtGTzgTOsG5pAYs0uYd',
        router: 'EQDQ6j53q21HuZtw6oclm7z4LU2cG6S2OKvpSSMH548d7kJT',
        value: '700000000',
        gas: '200000000',
        recipient: 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez',
        minOut: '756805',
        payloadBytes: 228,
      },
    },
  },
} satisfies Record<string, Example>

export const BUILD_ERRORS = {
  400: {
    error:
      'The quote must come back unchanged, with the chain, side, token, amount and slippage that it was asked with.',
    scope: 'route',
    code: 'quote_mismatch',
    field: 'quote',
  },
  502: {
    error:
      'The provider built something else than what was asked for, so it is not handed out. Ask for a new quote.',
    scope: 'provider',
    code: 'material_refused',
    rule: 'fee_payer',
  },
}
