import t from 'tap'
import type { SuiClaim } from '../../../src/proof/sui/claim.ts'
import { parseSuiTransaction } from '../../../src/proof/sui/ptb.ts'
import { proveSui } from '../../../src/proof/sui/sui.ts'
import { GatewayError } from '../../../src/runtime/errors.ts'
import {
  address,
  type BcsPart,
  type Composition,
  call,
  coinOf,
  composeSui,
  GAS,
  idOf,
  input,
  list,
  merge,
  nested,
  owned,
  pure,
  result,
  shared,
  split,
  struct,
  text,
  transfer,
  u8,
  u64,
} from '../../../src/sandbox/sui/compose.ts'
import fc from '../../fixtures/fast-check.ts'
import {
  AT,
  BUY,
  builtFor,
  CETUS_V2,
  claimOf,
  FROM,
  minOutOf,
  partsOf,
  SELL,
  STRANGER,
  SUI,
  USDC,
} from '../../fixtures/sui.ts'

/** The rule that refused, or what was found. */
function outcome(base64: string, claim: SuiClaim = claimOf(BUY)) {
  try {
    return proveSui(base64, claim)
  } catch (error) {
    return (error as GatewayError).fields.rule
  }
}

const digest = Buffer.concat([u8(32), Buffer.alloc(32, 7)])
const objectRef = Buffer.concat([address(STRANGER), u64(3n), digest])
const coinType = struct(SUI.address)

const EMPTY: Composition = { inputs: [], commands: [], sender: FROM }
const write = (parts: Partial<Composition> = {}): string => composeSui({ ...EMPTY, ...parts })

/** The bytes of a transaction, one of them changed. */
function patched(base64: string, index: number, byte: number): string {
  const bytes = Buffer.from(base64, 'base64')
  bytes[index] = byte
  return bytes.toString('base64')
}

// The example of the node's own RPC documentation: a coin goes to another wallet.
const PUBLISHED =
  'AAACACBqEB6aOvXIBwES+Ahkizbvv43uihqC3kbZUE6WoRCKFwEAjvdvVsOZYzousxC8qRJOXy84znOeqsu2YAaIgE4HhEgCAAAAAAAAACB9w3+ufZMpihJFwxtCBojBaGy00TVtFxgN2C6TpIPFqwEBAQEBAAEAAAS0l6kWtGVmCaf6gnoJGE1vR2gdO6dM4NejbGSysfiHAZ+Q9/hmzCnfsdpjc86U+dldylpA9OF2mRjuv5+64AvTAgAAAAAAAAAgjleHL0UiRGjh/BfIFHCJ3EMY/dQA22c2TvNQyVJnbYUEtJepFrRlZgmn+oJ6CRhNb0doHTunTODXo2xksrH4hwoAAAAAAAAAoIYBAAAAAAAA'
const PUBLISHED_SENDER = '0x04b497a916b4656609a7fa827a09184d6f47681d3ba74ce0d7a36c64b2b1f887'

t.test('reads what others have published, and hands out no gift to somebody else', async (t) => {
  t.match(parseSuiTransaction(Buffer.from(PUBLISHED, 'base64')), {
    sender: PUBLISHED_SENDER,
    gasBudget: 100_000n,
    commands: [{ kind: 'transfer', objects: [{ kind: 'input', index: 1 }], to: { kind: 'input', index: 0 } }],
  })
  t.equal(outcome(PUBLISHED, claimOf(BUY, PUBLISHED_SENDER)), 'recipient')
})

t.test("accepts the sandbox's swaps, and says what they call and where they send", async (t) => {
  for (const trade of [BUY, SELL]) {
    const { tokenIn, tokenOut, amountIn } = trade
    t.match(outcome(builtFor(trade), claimOf(trade)), {
      checks: [
        'encoding',
        'size',
        'parse',
        'kind',
        'sender',
        'gas_owner',
        'gas',
        'command',
        'input',
        'package',
        'coins',
        'amount',
        'recipient',
        'fee',
        'sent_token',
        'minimum',
      ],
      agreed: {
        spends: { token: tokenIn.isNative ? null : tokenIn.address, atMost: amountIn },
        receives: { token: tokenOut.isNative ? null : tokenOut.address, atLeast: minOutOf(trade) },
        atMostNativeFees: 0n,
        atMostGas: 20_000_000n,
      },
      sender: FROM,
      gasBudget: '20000000',
      calls: [
        /^0x[0-9a-f]{64}::router::new_swap_context$/,
        /^0x[0-9a-f]{64}::cetus::swap$/,
        /::router::confirm_swap$/,
      ],
      recipients: [FROM],
    })
    t.notOk('stated' in (outcome(builtFor(trade), claimOf(trade)) as object))
  }
})

const V2_SWAP = (keep: readonly BcsPart[]): Partial<Composition> => ({
  inputs: [pure(u64(BUY.amountIn)), shared(idOf('pool')), pure(u64(minOutOf(BUY))), pure(address(FROM))],
  commands: [
    split(GAS, [input(0)]),
    call(
      `${CETUS_V2}::cetus::swap_a2b`,
      [SUI.address, USDC.address],
      [input(1), input(1), input(1), nested(0, 0)],
    ),
    ...keep,
  ],
})
const V2_KEEP = call(`${CETUS_V2}::utils::transfer_or_destroy_coin`, [USDC.address], [result(1)])
const V2_CHECK = call(`${CETUS_V2}::utils::check_coin_threshold`, [USDC.address], [result(1), input(2)])

t.test('the gas budget of a small order is a share of it, and what a swap needs at least', async (t) => {
  const ruleOf = (trade: typeof BUY, gasBudget: bigint): unknown => {
    const found = outcome(composeSui({ ...partsOf(trade), gasBudget }), claimOf(trade))
    return typeof found === 'string' ? found : null
  }
  const sold = (amountIn: bigint) => ({ ...BUY, amountIn })
  t.equal(ruleOf(sold(10n ** 10n), 500_000_000n), null)
  t.equal(ruleOf(sold(10n ** 10n), 500_000_001n), 'gas')
  t.equal(ruleOf(sold(3n * 10n ** 9n), 300_000_000n), null)
  t.equal(ruleOf(sold(3n * 10n ** 9n), 300_000_001n), 'gas')
  t.equal(ruleOf(sold(5n * 10n ** 8n), 100_000_000n), null)
  t.equal(ruleOf(sold(5n * 10n ** 8n), 100_000_001n), 'gas', 'half a SUI is all of it')
  const small = { ...SELL, amountIn: 500_000n }
  t.ok(minOutOf(small) < 10n ** 9n)
  t.equal(ruleOf(small, 100_000_001n), 'gas', 'what is bought is SUI')

  const coin = { address: `0x${'a'.repeat(64)}::a::A`, isNative: false }
  const between = (worth: bigint | null): unknown => {
    const claim = { ...claimOf(SELL), out: { kind: 'swap', coin } as const, worth }
    const found = outcome(composeSui({ ...partsOf(SELL), gasBudget: 300_000_001n }), claim)
    return typeof found === 'string' ? found : null
  }
  t.not(between(null), 'gas', 'two coins whose worth nobody knows')
  t.equal(between(3n * 10n ** 9n), 'gas')
  t.not(between(31n * 10n ** 8n), 'gas')
})

t.test("a minimum is proved where the chain checks it, and the provider's word elsewhere", async (t) => {
  t.match(outcome(write(V2_SWAP([V2_KEEP]))), { stated: ['minimum'] })
  t.notOk((outcome(write(V2_SWAP([V2_KEEP]))) as { checks: string[] }).checks.includes('minimum'))
  const checked = outcome(write(V2_SWAP([V2_CHECK, V2_KEEP]))) as { checks: string[]; stated?: string[] }
  t.ok(checked.checks.includes('minimum'))
  t.equal(checked.stated, undefined)
  const half = split(result(1), [input(2)])
  t.match(
    outcome(write(V2_SWAP([V2_CHECK, half, V2_KEEP]))),
    { stated: ['minimum'] },
    'a coin that is checked and then split is another coin',
  )
  const { commands, ...rest } = partsOf(BUY)
  const merged = [...commands.slice(0, 4), merge(GAS, [result(3)])]
  t.ok((outcome(write({ ...rest, commands: merged })) as { checks: string[] }).checks.includes('minimum'))
})

const ACCEPTED: Record<string, Partial<Composition>> = {
  'no command': {},
  'pure and shared inputs': {
    inputs: [
      pure(text('pure')),
      shared(STRANGER),
      Buffer.concat([u8(1, 1), address(STRANGER), u64(1n), u8(0)]),
      Buffer.concat([u8(1, 0), objectRef]),
    ],
  },
  'coins of its own merged, and the gas coin given to itself': {
    inputs: [owned(coinOf(FROM, SUI.address)), owned(coinOf(FROM, USDC.address)), pure(address(FROM))],
    commands: [merge(input(0), [input(1)]), transfer([GAS, input(0)], input(2))],
  },
  'gas from the balance': { gasCoins: [] },
  'an epoch': { expiration: Buffer.concat([u8(1), u64(9n)]) },
  'a period': {
    expiration: Buffer.concat([u8(2, 0, 1), u64(9n), u8(0, 0), digest, Buffer.alloc(4)]),
  },
}

const REFUSED: readonly [name: string, base64: string, rule: string][] = [
  ['nothing', '', 'encoding'],
  ['serialized Transaction JSON', '{"version":2,"sender":null,"inputs":[],"commands":[]}', 'encoding'],
  ['base64 without its padding', write().replace(/=*$/, '=x'), 'encoding'],
  ['the URL alphabet', write({ sender: `0x${'ff'.repeat(32)}` }).replaceAll('/', '_'), 'encoding'],
  ['128 KiB and a byte', Buffer.alloc(128 * 1024 + 1).toString('base64'), 'size'],
  ['another version', patched(write(), 0, 1), 'parse'],
  ['a change of epoch', patched(write(), 1, 1), 'kind'],
  ['an unknown kind', patched(write(), 1, 11), 'parse'],
  ['another sender', write({ sender: STRANGER }), 'sender'],
  ['another who pays the gas', write({ gasOwner: STRANGER }), 'gas_owner'],
  ['a budget beyond its bound', write({ gasBudget: 500_000_001n }), 'gas'],
  ['a price beyond its bound', write({ gasPrice: 50_001n }), 'gas'],
  ['published code', write({ commands: [Buffer.concat([u8(4), list([text('m')]), list([])])] }), 'command'],
  [
    'upgraded code',
    write({ commands: [Buffer.concat([u8(6), list([]), list([]), address(STRANGER), u8(0)])] }),
    'command',
  ],
  [
    'an object that was sent to an object',
    write({ inputs: [Buffer.concat([u8(1, 2), objectRef])] }),
    'input',
  ],
  [
    'funds out of the balance of a sponsor',
    write({ inputs: [Buffer.concat([u8(2, 0), u64(5n), u8(0), coinType, u8(1)])] }),
    'input',
  ],
  ['an unknown command', write({ commands: [u8(7)] }), 'parse'],
  ['an unknown input', write({ inputs: [u8(3)] }), 'parse'],
  ['an unknown argument', write({ commands: [Buffer.concat([u8(2, 4), list([])])] }), 'parse'],
  ['an unknown expiration', write({ expiration: u8(3) }), 'parse'],
  ['an input that is not there', write({ commands: [split(GAS, [input(0)])] }), 'amount'],
  ['a result that is not there yet', write({ commands: [transfer([result(0)], input(0))] }), 'recipient'],
  [
    'a result beyond those of a command',
    write({
      inputs: [pure(u64(1n)), pure(address(FROM))],
      commands: [split(GAS, [input(0)]), transfer([nested(0, 1)], input(1))],
    }),
    'parse',
  ],
  [
    'a bool of two',
    write({ inputs: [Buffer.concat([u8(1, 1), address(STRANGER), u64(1n), u8(2)])] }),
    'parse',
  ],
  [
    'a digest of 31 bytes',
    write({ inputs: [Buffer.concat([u8(1, 0), address(STRANGER), u64(1n), u8(31), Buffer.alloc(31)])] }),
    'parse',
  ],
  [
    'a name that is not UTF-8',
    write({
      commands: [Buffer.concat([u8(0), address(STRANGER), u8(1, 255), text('f'), list([]), list([])])],
    }),
    'parse',
  ],
  ['a name that is no identifier', write({ commands: [call(`${STRANGER}::a b::f`, [], [])] }), 'parse'],
  [
    'types nested seventeen deep',
    write({ commands: [Buffer.concat([u8(5, 1), Buffer.alloc(16, 6), u8(1), list([])])] }),
    'parse',
  ],
  [
    'a byte behind the end',
    Buffer.concat([Buffer.from(write(), 'base64'), u8(0)]).toString('base64'),
    'parse',
  ],
  ['code of nobody', write({ commands: [call(`${STRANGER}::m::f`, [], [])] }), 'package'],
]

/** Lengths in the place of the number of inputs, which is the third byte of an empty transaction. */
const LENGTHS: readonly [name: string, length: BcsPart][] = [
  ['a length in two bytes that fits in one', u8(0x80, 0)],
  ['a length above 2^32', u8(255, 255, 255, 255, 31)],
  ['a length beyond the end', u8(255, 255, 255, 255, 15)],
]

t.test('accepts every form that is of use', async (t) => {
  for (const [name, parts] of Object.entries(ACCEPTED)) {
    t.match(outcome(write(parts)), { sender: FROM }, name)
  }
})

t.test('refuses everything else, by the rule that it breaks', async (t) => {
  for (const [name, base64, rule] of REFUSED) t.equal(outcome(base64), rule, name)
  const empty = Buffer.from(write(), 'base64')
  for (const [name, length] of LENGTHS) {
    const bytes = Buffer.concat([empty.subarray(0, 2), length, empty.subarray(3)])
    t.equal(outcome(bytes.toString('base64')), 'parse', name)
  }
})

t.test('refuses a good transaction cut short anywhere', async (t) => {
  const whole = Buffer.from(builtFor(BUY), 'base64')
  for (let length = 0; length < whole.length; length++) {
    const rule = outcome(whole.subarray(0, length).toString('base64'))
    if (rule !== (length === 0 ? 'encoding' : 'parse')) t.fail(`${length} bytes: ${rule}`)
  }
  t.match(outcome(whole.toString('base64')), { sender: FROM })
})

t.test('never throws anything but its refusal, whatever the bytes', async () => {
  const whole = Buffer.from(builtFor(BUY), 'base64')
  const at = fc.integer({ min: 0, max: whole.length - 1 })
  fc.assert(
    fc.property(at, fc.integer({ min: 0, max: 255 }), (index, byte) => {
      const bytes = Buffer.from(whole)
      bytes[index] = byte
      try {
        return proveSui(bytes.toString('base64'), claimOf(BUY)).sender === FROM
      } catch (error) {
        return error instanceof GatewayError && error.code === 'material_refused'
      }
    }),
    { numRuns: 2_000 },
  )
})

t.test('an input that code was given is read no more: it may have been written to', async (t) => {
  const { commands, ...rest } = partsOf(BUY)
  const venue = call(
    '0x721d950e57259cd97d41010887ab502ee7753b0a3deb4b6a80099aad0c833928::cetus::swap',
    [SUI.address, USDC.address],
    [input(AT.pool), input(AT.to)],
  )
  t.equal(
    outcome(write({ ...rest, commands: [...commands.slice(0, 4), venue, ...commands.slice(4)] })),
    'recipient',
  )
})
