/** Addresses that programs sign for, against web3.js. */

import { createHash } from 'node:crypto'
import { PublicKey } from '@solana/web3.js'
import t from 'tap'
import { associatedAddress } from '../../../src/chains/solana/associated.ts'
import { isOnCurve, programAddress } from '../../../src/chains/solana/program-address.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import { associatedAddress as associatedByWeb3 } from '../../fixtures/spl.ts'

/** The same bytes in each run, which are on the curve in every other case. */
const bytesOf = (name: string): Buffer => createHash('sha256').update(name).digest()

const P = 2n ** 255n - 19n

/** The encoding of the same y that web3.js takes, too: reduced, without the sign of x. */
function canonical(bytes: Buffer): Buffer {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) % 2n ** 255n
  return Buffer.from((y % P).toString(16).padStart(64, '0'), 'hex').reverse()
}

t.test('bytes are on the curve where web3.js says so, however they encode y', async (t) => {
  for (let i = 0; i < 400; i++) {
    const bytes = bytesOf(`point ${i}`)
    t.equal(isOnCurve(bytes), PublicKey.isOnCurve(bytes), bytes.toString('hex'))
  }
  const words = ['00', '01', '02', '03', '04', '7f', '80', 'ec', 'ed', 'ee', 'ff']
  for (const low of words) {
    for (const fill of ['00', 'ff']) {
      for (const high of words) {
        const bytes = Buffer.from(low + fill.repeat(30) + high, 'hex')
        t.equal(isOnCurve(bytes), PublicKey.isOnCurve(canonical(bytes)), bytes.toString('hex'))
      }
    }
  }
})

t.test('an address is the first of its candidates off the curve', async (t) => {
  const program = bytesOf('program')
  const bumps = new Set<number>()
  for (let i = 0; i < 60; i++) {
    const seeds = [bytesOf(`a ${i}`), Buffer.from(`${i}`)].slice(0, (i % 2) + 1)
    const [expected, bump] = PublicKey.findProgramAddressSync(seeds, new PublicKey(program))
    t.same(Buffer.from(programAddress(program, ...seeds)), expected.toBuffer())
    bumps.add(bump)
  }
  t.ok(bumps.size > 3, 'not always at the first try')
})

t.test('a wallet has an account of a token for each of the two programs', async (t) => {
  for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
    const [owner, mint, token] = [
      new PublicKey(bytesOf('owner')),
      new PublicKey(bytesOf('mint')),
      new PublicKey(program),
    ]
    t.same(
      Buffer.from(associatedAddress(owner.toBytes(), mint.toBytes(), token.toBytes())),
      associatedByWeb3({ program: token, mint }, owner).toBuffer(),
    )
  }
})
