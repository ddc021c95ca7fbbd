import t from 'tap'
import { readMint } from '../../../src/chains/solana/mint.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { extension, mintAccount } from '../../fixtures/mint.ts'

t.test('a mint with no extensions has none of their powers', async (t) => {
  for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    t.match(readMint(program, mintAccount({ decimals: 5, supply: 7n })), {
      program,
      decimals: 5,
      supply: 7n,
      mintAuthority: null,
      freezeAuthority: null,
      extensions: [],
      unread: [],
      transferFee: null,
      permanentDelegate: null,
      isNonTransferable: false,
      isBornFrozen: false,
      isPaused: false,
    })
  }
})

t.test('what is cut short anywhere is refused, but between two extensions', async (t) => {
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
