import t from 'tap'
import { encodeBase58 } from '../../../src/chains/solana/base58.ts'
import { feeAt, readMint } from '../../../src/chains/solana/mint.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { extension, mintAccount, transferFee } from '../../fixtures/mint.ts'

t.test('a mint with no extensions has none of their powers', async (t) => {
  for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    t.match(readMint(program, mintAccount({ decimals: 5, supply: 7n })), {
      program,
      decimals: 5,
      supply: 7n,
      mintAuthority: null,
      freezeAuthority: null,
      extensions: { length: 0 },
      unread: { length: 0 },
      transferFee: null,
      permanentDelegate: null,
      isNonTransferable: false,
      isBornFrozen: false,
      isPaused: false,
    })
  }
})

t.test('a mint cut off anywhere is refused, except between two extensions', async (t) => {
  const delegate = extension(12, Buffer.alloc(32, 8))
  const whole = mintAccount({}, extension(9), delegate)
  const fitting = new Map([
    [166, []],
    [167, []],
    [170, ['nonTransferable']],
    [171, ['nonTransferable']],
    [whole.length, ['nonTransferable', 'permanentDelegate']],
  ])
  for (let length = 83; length <= whole.length; length++) {
    const mint = readMint(TOKEN_2022_PROGRAM, whole.subarray(0, length))
    t.same(mint?.extensions, fitting.get(length), `${length}`)
  }
  t.equal(readMint(TOKEN_PROGRAM, whole), null, 'the older program has no extensions')
})

t.test('what no mint can be is refused', async (t) => {
  const spoil = (at: number, byte: number): Buffer => {
    const data = mintAccount({}, extension(9))
    data[at] = byte
    return data
  }
  const cases: [name: string, data: Buffer][] = [
    ['not initialized', spoil(45, 0)],
    ['a tag that says neither yes nor no', spoil(0, 2)],
    ['another such tag', spoil(46, 7)],
    ['padding that is none', spoil(120, 1)],
    ['a token account', spoil(165, 2)],
    ['the same extension twice', mintAccount({}, extension(9), extension(9))],
    ['nothing', Buffer.alloc(0)],
  ]
  for (const [name, data] of cases) t.equal(readMint(TOKEN_2022_PROGRAM, data), null, name)
})

/** A key, and its base58. */
function keyOf(byte: number): [bytes: Buffer, text: string] {
  const bytes = Buffer.alloc(32, byte)
  return [bytes, encodeBase58(bytes)]
}

t.test(
  'every extension is listed by its name; one that is unknown by its number, and as unread',
  async (t) => {
    // spl-token-2022 interface/src/extension/mod.rs (ExtensionType)
    const named: [type: number, name: string, bytes: number][] = [
      [1, 'transferFeeConfig', 108],
      [3, 'mintCloseAuthority', 32],
      [4, 'confidentialTransferMint', 65],
      [6, 'defaultAccountState', 1],
      [9, 'nonTransferable', 0],
      [10, 'interestBearingConfig', 52],
      [12, 'permanentDelegate', 32],
      [14, 'transferHook', 64],
      [16, 'confidentialTransferFeeConfig', 129],
      [18, 'metadataPointer', 64],
      [19, 'tokenMetadata', 100],
      [20, 'groupPointer', 64],
      [21, 'tokenGroup', 80],
      [22, 'groupMemberPointer', 64],
      [23, 'tokenGroupMember', 72],
      [24, 'confidentialMintBurn', 196],
      [25, 'scaledUiAmountConfig', 56],
      [26, 'pausableConfig', 33],
      [28, 'permissionedBurn', 32],
    ]
    const known = new Map(named.map(([type, name]) => [type, name]))
    for (let type = 1; type <= 64; type++) {
      const bytes = named.find(([known]) => known === type)?.[2] ?? 8
      const mint = readMint(TOKEN_2022_PROGRAM, mintAccount({}, extension(type, Buffer.alloc(bytes))))
      t.same(mint?.extensions, [known.get(type) ?? `${type}`])
      t.same(mint?.unread, known.has(type) ? [] : [`${type}`])
    }
    for (const [type, name, bytes] of named.filter(([type]) => [1, 3, 6, 9, 12, 14, 26].includes(type))) {
      for (const other of bytes === 0 ? [1] : [bytes - 1, bytes + 1]) {
        const mint = readMint(TOKEN_2022_PROGRAM, mintAccount({}, extension(type, Buffer.alloc(other, 1))))
        t.same(mint?.extensions, [name], `${name} of ${other} bytes`)
        t.same(mint?.unread, [name], `${name} of ${other} bytes`)
      }
    }
  },
)

t.test('the powers that extensions give are read from their bytes', async (t) => {
  const [[hookKey, hook], [closeKey, close], [delegateKey, delegate], [pauseKey, pause], [feeKey, fee]] = [
    keyOf(1),
    keyOf(2),
    keyOf(3),
    keyOf(4),
    keyOf(5),
  ]
  const [[mintKey, mintAuthority], [freezeKey, freezeAuthority]] = [keyOf(6), keyOf(7)]
  const data = mintAccount(
    { mintAuthority: mintKey, freezeAuthority: freezeKey, decimals: 9, supply: 2n ** 63n },
    transferFee({ epoch: 5, bps: 10, max: 100n }, { epoch: 7, bps: 20, max: 200n }, feeKey),
    extension(3, closeKey),
    extension(6, Buffer.of(2)),
    extension(9),
    extension(12, delegateKey),
    extension(14, Buffer.concat([keyOf(8)[0], hookKey])),
    extension(26, Buffer.concat([pauseKey, Buffer.of(1)])),
  )
  const mint = readMint(TOKEN_2022_PROGRAM, data)!
  t.match(mint, {
    decimals: 9,
    supply: 2n ** 63n,
    mintAuthority,
    freezeAuthority,
    unread: { length: 0 },
    closeAuthority: close,
    permanentDelegate: delegate,
    transferHook: hook,
    isNonTransferable: true,
    isBornFrozen: true,
    isPaused: true,
    pauseAuthority: pause,
  })
  t.same(mint.transferFee, {
    configAuthority: fee,
    older: { epoch: 5n, max: 100n, bps: 10 },
    newer: { epoch: 7n, max: 200n, bps: 20 },
  })
  t.equal(feeAt(mint.transferFee!, 6n).bps, 10)
  t.equal(feeAt(mint.transferFee!, 7n).bps, 20)
})

t.test('zeros mean no account, and other states are neither frozen nor paused', async (t) => {
  const nobody = Buffer.alloc(32)
  const mint = readMint(
    TOKEN_2022_PROGRAM,
    mintAccount(
      {},
      transferFee({ epoch: 0, bps: 0 }, { epoch: 0, bps: 0 }),
      extension(3, nobody),
      extension(6, Buffer.of(1)),
      extension(12, nobody),
      extension(14, Buffer.alloc(64)),
      extension(26, Buffer.alloc(33)),
    ),
  )
  t.match(mint, {
    unread: { length: 0 },
    closeAuthority: null,
    permanentDelegate: null,
    transferHook: null,
    isBornFrozen: false,
    isPaused: false,
    pauseAuthority: null,
  })
  t.equal(mint?.transferFee?.configAuthority, null)
  const first = Buffer.alloc(32)
  first[31] = 1
  t.equal(
    readMint(TOKEN_2022_PROGRAM, mintAccount({}, extension(12, first)))?.permanentDelegate,
    encodeBase58(first),
    'one byte is enough for a key',
  )
  t.equal(
    readMint('11111111111111111111111111111111', mintAccount({})),
    null,
    'nor is another program one of tokens',
  )
  t.equal(readMint(TOKEN_2022_PROGRAM, mintAccount({}, extension(9)).subarray(0, 165)), null)
  const multisig = mintAccount({}, extension(19, Buffer.alloc(355 - 166 - 4)))
  t.equal(multisig.length, 355)
  t.equal(readMint(TOKEN_2022_PROGRAM, multisig), null, 'of the length of a multisig')
})
