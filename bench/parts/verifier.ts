/**
 * The verifier's two engines compared with the library each is built on, and the time
 * for which a batch blocks the event loop. All verify the same signatures, one by one.
 */
import { createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import type { Verifier } from '../../src/chains/solana/signatures/verifier.ts'
import { createVerifier } from '../../src/chains/solana/signatures/verify.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { SignatureChecker } from '../../src/relay/submissions/signatures.ts'
import { keypair, SYSTEM_PROGRAM, serialize, transfer } from '../../test/fixtures/transactions.ts'
import { compare, type Loop } from '../figures/measure.ts'
import { type BenchReport, type Claim, show, spread, toReport } from '../figures/report.ts'

const SIGNERS = 16
const BATCHES = 20

interface Signed {
  readonly signature: Uint8Array
  readonly message: Uint8Array
  readonly publicKey: Uint8Array
}

const parsed = (bytes: Uint8Array): WireTransaction => {
  const wire = new WireTransaction()
  if (wire.parse(bytes) !== null) throw new Error('The transaction was rejected.')
  return wire
}

const SIGNED: readonly Signed[] = Array.from({ length: SIGNERS }, (_, i) => {
  const wire = parsed(serialize(transfer({ signers: [keypair(`signer ${i}`)] })))
  return { signature: wire.signature(0), message: wire.message(), publicKey: wire.key(0) }
})

export async function benchVerifier(): Promise<BenchReport> {
  const noble = await compare([
    ['noble-curves: ed25519.verify', nobleCurves],
    ['swapgate, noble: new signer', engine('noble', 1)],
    ['swapgate, noble: known signer', engine('noble', SIGNERS)],
  ])
  const native = await compare([
    ['node:crypto: verify, imported key', nodeCrypto()],
    ['swapgate, native: new signer', engine('native', 1)],
    ['swapgate, native: known signer', engine('native', SIGNERS)],
  ])
  const what = 'time relative to ed25519.verify'
  const claims: Claim[] = [
    { what: `verifier: new signer, ${what}`, figure: noble[1]!.ratio!, is: 'at most', bound: 0.8 },
  ]
  const report = toReport('Verifier', TEXT, [...noble, ...native], claims)
  const blocks = await benchBlock()
  return { ...report, tables: [...report.tables, ...blocks.tables] }
}

const nobleCurves: Loop = (times) => {
  let sum = 0
  for (let i = 0; i < times; i++) {
    const { signature, message, publicKey } = SIGNED[i % SIGNERS]!
    if (ed25519.verify(signature, message, publicKey, { zip215: false })) sum++
  }
  return checkedSum(sum, times)
}

function nodeCrypto(): Loop {
  const keys = SIGNED.map(({ publicKey }) => {
    const x = Buffer.from(publicKey).toString('base64url')
    return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
  })
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) {
      const { signature, message } = SIGNED[i % SIGNERS]!
      if (verify(null, message, keys[i % SIGNERS]!, signature)) sum++
    }
    return checkedSum(sum, times)
  }
}

/** @param maxSigners  how many signers the engine remembers; with 1, each is forgotten before it returns */
function engine(name: 'noble' | 'native', maxSigners: number): Loop {
  const verifier = createVerifier(name, { maxSigners })
  const { signature, message, publicKey } = SIGNED[0]!
  const corrupted = Uint8Array.from(signature, (byte, i) => (i === 40 ? byte ^ 1 : byte))
  if (verifier.verify(corrupted, message, publicKey)) throw new Error('A corrupted signature was accepted.')
  if (maxSigners > 1) makeKnown(verifier)
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) {
      const { signature, message, publicKey } = SIGNED[i % SIGNERS]!
      if (verifier.verify(signature, message, publicKey)) sum++
    }
    return checkedSum(sum, times)
  }
}

/** Has the engine make all tables: one for each signer seen twice, one table a call. */
function makeKnown(verifier: Verifier): void {
  for (const { signature, message, publicKey } of SIGNED) {
    for (let i = 0; i < 2; i++) verifier.verify(signature, message, publicKey)
    verifier.prepareTables()
  }
}

function checkedSum(sum: number, times: number): number {
  if (sum !== times) throw new Error('A valid signature was rejected.')
  return sum
}

/** Ten transactions of twelve signatures each, the most that one call can contain. */
async function benchBlock(): Promise<BenchReport> {
  const batch = Array.from({ length: 10 }, (_, i) => parsed(twelveSignatures(i)))
  const rows: string[][] = []
  for (const name of ['noble', 'native'] as const) {
    const blocks: Block[] = []
    for (let i = 0; i < BATCHES; i++) {
      blocks.push(await longestBlock(new SignatureChecker(createVerifier(name)), batch))
    }
    const wall = spread(blocks.map(({ wallMs }) => wallMs))
    const cpu = spread(blocks.map(({ cpuMs }) => cpuMs))
    rows.push([name, show(wall, 2), show(cpu, 2)])
  }
  const columns = ['', 'longest block, ms', 'CPU ms']
  return { tables: [{ title: 'A full batch', text: BLOCK_TEXT, columns, rows }], claims: [] }
}

const twelveSignatures = (nth: number): Uint8Array =>
  serialize(
    transfer({
      signers: Array.from({ length: 12 }, (_, i) => keypair(`batch ${nth} ${i}`)),
      others: [SYSTEM_PROGRAM],
      instructions: [{ program: 12, accounts: [0], data: Uint8Array.of(nth) }],
    }),
  )

/** The longest time that the event loop was blocked at a stretch, by either clock. */
interface Block {
  readonly wallMs: number
  readonly cpuMs: number
}

/** Watches the turns of the event loop while the batch is checked. */
async function longestBlock(checker: SignatureChecker, batch: readonly WireTransaction[]): Promise<Block> {
  let wallMs = 0
  let cpuMs = 0
  let running = true
  let lastWall = performance.now()
  let lastCpu = process.cpuUsage()
  const turn = (): void => {
    const { user, system } = process.cpuUsage(lastCpu)
    cpuMs = Math.max(cpuMs, (user + system) / 1_000)
    wallMs = Math.max(wallMs, performance.now() - lastWall)
    lastCpu = process.cpuUsage()
    lastWall = performance.now()
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  if ((await checker.findBad(batch)) !== null) throw new Error('A valid batch was rejected.')
  running = false
  turn()
  return { wallMs, cpuMs }
}

const TEXT = `Signatures over transfers, by ${SIGNERS} signers in rotation. A new signer's key is decoded each time; a known signer's key has been
decoded and, in the noble engine, has a precomputed table. Unlike their peers, the engines also reject points of small order.`
const BLOCK_TEXT = `Ten transactions of twelve signatures, all valid and by signers never seen before, ${BATCHES} times: the longest turn of the event
loop. Wall-clock time includes what other processes took of the core; CPU time includes the work of V8's own threads.`
