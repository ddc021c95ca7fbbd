import fc from 'fast-check'
import t from 'tap'
import { GatewayError } from '../../src/errors.ts'
import { proveSui } from '../../src/proof/sui.ts'
import { suiTransaction } from '../../src/sandbox/swap/xprov-material.ts'

const FROM = `0x${'a1'.repeat(32)}`
const OTHER = `0x${'b2'.repeat(32)}`

/** The rule that refused, or what was found. */
function outcome(base64: string, from = FROM) {
  try {
    return proveSui(base64, from)
  } catch (error) {
    return (error as GatewayError).fields.rule
  }
}

const u8 = (...bytes: number[]) => Buffer.from(bytes)
const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}
const address = (text: string) => Buffer.from(text.slice(2), 'hex')
const list = (...items: readonly Uint8Array[]) => Buffer.concat([u8(items.length), ...items])
const text = (value: string) => list(...[...Buffer.from(value)].map((byte) => u8(byte)))
const digest = Buffer.concat([u8(32), Buffer.alloc(32, 7)])
const objectRef = Buffer.concat([address(OTHER), u64(3n), digest])
const coinType = Buffer.concat([u8(7), address(OTHER), text('sui'), text('SUI'), list()])

interface Parts {
  readonly version: Buffer
  readonly kind: Buffer
  readonly inputs: Buffer
  readonly commands: Buffer
  readonly sender: Buffer
  readonly gas: Buffer
  readonly gasOwner: Buffer
  readonly budget: Buffer
  readonly expiration: Buffer
}

const PLAIN: Parts = {
  version: u8(0),
  kind: u8(0),
  inputs: list(),
  commands: list(),
  sender: address(FROM),
  gas: list(objectRef),
  gasOwner: address(FROM),
  budget: Buffer.concat([u64(750n), u64(20_000_000n)]),
  expiration: u8(0),
}

const write = (parts: Partial<Parts> = {}): string =>
  Buffer.concat(Object.values({ ...PLAIN, ...parts })).toString('base64')

// The example of the node's own RPC documentation.
const PUBLISHED: readonly [base64: string, sender: string, facts: Record<string, unknown>][] = [
  [
    'AAACACBqEB6aOvXIBwES+Ahkizbvv43uihqC3kbZUE6WoRCKFwEAjvdvVsOZYzousxC8qRJOXy84znOeqsu2YAaIgE4HhEgCAAAAAAAAACB9w3+ufZMpihJFwxtCBojBaGy00TVtFxgN2C6TpIPFqwEBAQEBAAEAAAS0l6kWtGVmCaf6gnoJGE1vR2gdO6dM4NejbGSysfiHAZ+Q9/hmzCnfsdpjc86U+dldylpA9OF2mRjuv5+64AvTAgAAAAAAAAAgjleHL0UiRGjh/BfIFHCJ3EMY/dQA22c2TvNQyVJnbYUEtJepFrRlZgmn+oJ6CRhNb0doHTunTODXo2xksrH4hwoAAAAAAAAAoIYBAAAAAAAA',
    '0x04b497a916b4656609a7fa827a09184d6f47681d3ba74ce0d7a36c64b2b1f887',
    {
      calls: [],
      recipients: ['0x6a101e9a3af5c8070112f808648b36efbf8dee8a1a82de46d9504e96a1108a17'],
      gasBudget: '100000',
    },
  ],
]

t.test('reads what others have published', async (t) => {
  for (const [base64, sender, facts] of PUBLISHED) t.match(outcome(base64, sender), { sender, ...facts })
})

t.test("accepts the sandbox's swap, and says what it calls and where it sends", async (t) => {
  const proof = outcome(suiTransaction(FROM, FROM, 5_000_000_000n, 1n))
  t.match(proof, {
    checks: ['encoding', 'size', 'parse', 'kind', 'sender', 'gas_owner', 'command'],
    sender: FROM,
    gasBudget: '20000000',
    calls: [/^0x[0-9a-f]{64}::router::swap$/],
    recipients: [FROM],
  })
})

const ACCEPTED: Record<string, Partial<Parts>> = {
  'no command': {},
  'every kind of input': {
    inputs: list(
      Buffer.concat([u8(0), text('pure')]),
      Buffer.concat([u8(1, 0), objectRef]),
      Buffer.concat([u8(1, 1), address(OTHER), u64(1n), u8(0)]),
      Buffer.concat([u8(1, 2), objectRef]),
      Buffer.concat([u8(2, 0), u64(5n), u8(0), coinType, u8(0)]),
    ),
  },
  'every kind of command but those that publish': {
    commands: list(
      Buffer.concat([u8(0), address(OTHER), text('m'), text('f'), list(coinType, u8(6, 2)), list(u8(0))]),
      Buffer.concat([u8(1), list(u8(2, 0, 0)), u8(3, 0, 0, 0, 0)]),
      Buffer.concat([u8(2), u8(0), list(u8(1, 0, 0))]),
      Buffer.concat([u8(3), u8(0), list(u8(1, 0, 0))]),
      Buffer.concat([u8(5, 0), list(u8(0))]),
      Buffer.concat([u8(5, 1), coinType, list(u8(0))]),
    ),
  },
  'gas from the balance': { gas: list() },
  'an epoch': { expiration: Buffer.concat([u8(1), u64(9n)]) },
  'a period': {
    expiration: Buffer.concat([u8(2, 0, 1), u64(9n), u8(0, 0), digest, Buffer.alloc(4)]),
  },
}

const REFUSED: readonly [name: string, base64: string, rule: string][] = [
  ['nothing', '', 'encoding'],
  ['serialized Transaction JSON', '{"version":2,"sender":null,"inputs":[],"commands":[]}', 'encoding'],
  ['base64 without its padding', write({ budget: Buffer.alloc(17) }).replace(/=*$/, '=x'), 'encoding'],
  ['the URL alphabet', write({ sender: Buffer.alloc(32, 255) }).replaceAll('/', '_'), 'encoding'],
  ['128 KiB and a byte', Buffer.alloc(128 * 1024 + 1).toString('base64'), 'size'],
  ['another version', write({ version: u8(1) }), 'parse'],
  ['a change of epoch', write({ kind: u8(1) }), 'kind'],
  ['an unknown kind', write({ kind: u8(11) }), 'parse'],
  ['another sender', write({ sender: address(OTHER) }), 'sender'],
  ['another who pays the gas', write({ gasOwner: address(OTHER) }), 'gas_owner'],
  ['published code', write({ commands: list(Buffer.concat([u8(4), list(text('m')), list()])) }), 'command'],
  [
    'upgraded code',
    write({ commands: list(Buffer.concat([u8(6), list(), list(), address(OTHER), u8(0)])) }),
    'command',
  ],
  ['an unknown command', write({ commands: list(u8(7)) }), 'parse'],
  ['an unknown input', write({ inputs: list(u8(3)) }), 'parse'],
  ['an unknown argument', write({ commands: list(Buffer.concat([u8(2, 4), list()])) }), 'parse'],
  ['an unknown expiration', write({ expiration: u8(3) }), 'parse'],
  ['a length in two bytes that fits in one', write({ inputs: u8(0x80, 0) }), 'parse'],
  ['a length above 2^32', write({ inputs: u8(255, 255, 255, 255, 31) }), 'parse'],
  ['a length beyond the end', write({ inputs: u8(255, 255, 255, 255, 15) }), 'parse'],
  [
    'a bool of two',
    write({ inputs: list(Buffer.concat([u8(1, 1), address(OTHER), u64(1n), u8(2)])) }),
    'parse',
  ],
  [
    'a digest of 31 bytes',
    write({ gas: list(Buffer.concat([address(OTHER), u64(1n), u8(31), Buffer.alloc(31)])) }),
    'parse',
  ],
  [
    'a name that is not UTF-8',
    write({ commands: list(Buffer.concat([u8(0), address(OTHER), u8(1, 255), text('f'), list(), list()])) }),
    'parse',
  ],
  [
    'types nested seventeen deep',
    write({ commands: list(Buffer.concat([u8(5, 1), Buffer.alloc(16, 6), u8(1), list()])) }),
    'parse',
  ],
  [
    'a byte behind the end',
    `${Buffer.concat([Buffer.from(write(), 'base64'), u8(0)]).toString('base64')}`,
    'parse',
  ],
]

t.test('accepts every form that the protocol has for users', async (t) => {
  for (const [name, parts] of Object.entries(ACCEPTED)) {
    t.match(outcome(write(parts)), { sender: FROM }, name)
  }
})

t.test('refuses everything else, by the rule that it breaks', async (t) => {
  for (const [name, base64, rule] of REFUSED) t.equal(outcome(base64), rule, name)
})

t.test('refuses a good transaction cut short anywhere', async (t) => {
  const whole = Buffer.from(suiTransaction(FROM, FROM, 1n, 1n), 'base64')
  for (let length = 0; length < whole.length; length++) {
    const rule = outcome(whole.subarray(0, length).toString('base64'))
    if (rule !== (length === 0 ? 'encoding' : 'parse')) t.fail(`${length} bytes: ${rule}`)
  }
  t.match(outcome(whole.toString('base64')), { sender: FROM })
})

t.test('never throws anything but its refusal, whatever the bytes', async () => {
  const whole = Buffer.from(suiTransaction(FROM, FROM, 1n, 1n), 'base64')
  const at = fc.integer({ min: 0, max: whole.length - 1 })
  fc.assert(
    fc.property(at, fc.integer({ min: 0, max: 255 }), (index, byte) => {
      const bytes = Buffer.from(whole)
      bytes[index] = byte
      try {
        return proveSui(bytes.toString('base64'), FROM).sender === FROM
      } catch (error) {
        return error instanceof GatewayError && error.code === 'material_refused'
      }
    }),
    { numRuns: 2_000 },
  )
})
