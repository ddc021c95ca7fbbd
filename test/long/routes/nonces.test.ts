/**
 * Fifty signers that take 30 to 600 s, at slots of 200 ms: each builds on a nonce of its own, signs when it is ready,
 * and leaves the rest to the relay. In between the market does not have what the minimum takes, and the node forgets
 * what it accepted.
 */
import { Keypair, PublicKey, VersionedTransaction } from '@solana/web3.js'
import t from 'tap'
import { decodeKey } from '../../../src/chains/solana/base58.ts'
import { TOKEN_PROGRAM } from '../../../src/chains/solana/programs.ts'
import type { Bank } from '../../../src/sandbox/solana/ledger/bank.ts'
import { tokenAddress } from '../../../src/sandbox/solana/ledger/instructions.ts'
import { Desk } from '../../../src/sandbox/swap/jupiter-desk.ts'
import { DESK_ADDRESS } from '../../../src/sandbox/swap/jupiter-program.ts'
import { handClock, settle } from '../../fixtures/clock.ts'
import { call, listen } from '../../fixtures/gateway.ts'
import { nonceAt, openNonce, sandboxConnection } from '../../fixtures/nonces.ts'
import { fund, getQuote, postBuild, turn, USDC } from '../../fixtures/swaps.ts'

const SIGNERS = 50
const SLOT_MS = 200
/** Seconds after the builds. */
const TURNED = [200, 290] as const
const FORGETFUL = [440, 470] as const
const during = (seconds: number, [from, to]: readonly [number, number]) => seconds >= from && seconds < to

type Answer = ReturnType<typeof JSON.parse>

/** What becomes of one signer's swaps. */
interface Signer {
  readonly wallet: Keypair
  readonly nonce: PublicKey
  readonly value: string
  readonly expectedOut: bigint
  /** When it has signed, in seconds. */
  readonly readyAt: number
  /** Signed; several have the same value. */
  readonly swaps: readonly string[]
  /** Cancels them before they are sent; null if it doesn't. */
  readonly cancel: string | null
  readonly answers: Answer[]
}

t.test('slow signers land once or are refused, and what was cancelled never lands', async (t) => {
  const banks: Bank[] = []
  const at = Desk.at
  t.teardown(() => void (Desk.at = at))
  Desk.at = (bank, tokens) => {
    banks.push(bank)
    return at.call(Desk, bank, tokens)
  }
  const clock = handClock()
  const gateway = await listen(t, { LIMITS: 'swap=off,rpcRead=off,rpcSend=off' }, { clock })
  const { url } = gateway
  const { solanaRpc } = gateway.sandbox!
  const connection = sandboxConnection(solanaRpc)
  const vault = decodeKey(tokenAddress(DESK_ADDRESS, USDC.solana, TOKEN_PROGRAM))

  const pass = async (seconds: number) => {
    for (let i = 0; i < seconds; i++) {
      clock.advance(5 * SLOT_MS)
      await settle()
    }
  }
  const send = async (signed: string): Promise<Answer> =>
    (await call(url, 'sendTransaction', [signed, { encoding: 'base64' }])).json()
  const heldBy = async (owner: PublicKey): Promise<bigint> => {
    const address = new PublicKey(tokenAddress(owner.toBase58(), USDC.solana, TOKEN_PROGRAM))
    const account = await connection.getAccountInfo(address, 'processed')
    return account === null ? 0n : new DataView(Uint8Array.from(account.data).buffer).getBigUint64(64, true)
  }

  const opened = []
  for (let i = 0; i < SIGNERS; i++) {
    const wallet = Keypair.generate()
    await fund(solanaRpc, wallet.publicKey.toBase58())
    opened.push({ wallet, nonce: await openNonce(connection, wallet) })
  }
  await pass(20)
  const signers: Signer[] = []
  for (const [i, { wallet, nonce }] of opened.entries()) {
    const from = wallet.publicKey.toBase58()
    const order = { chain: 'solana', side: 'buy', token: USDC.solana, amount: '0.1', from }
    const quote = await (await getQuote(url, order)).json()
    const build = async (more: object = {}): Promise<Answer> => {
      const response = await postBuild(url, { ...order, quote, nonce: nonce.toBase58(), ...more })
      const body = (await response.json()) as Answer
      if (response.status !== 200) throw new Error(JSON.stringify(body))
      return body
    }
    const signed = ({ solanaTransaction }: Answer): string => {
      const transaction = VersionedTransaction.deserialize(Buffer.from(solanaTransaction, 'base64'))
      transaction.sign([wallet])
      return Buffer.from(transaction.serialize()).toString('base64')
    }
    const built = await build()
    const swaps = i % 6 === 0 ? [built, await build({ priority: 'high' })] : [built]
    signers.push({
      wallet,
      nonce,
      value: built.nonce.value,
      expectedOut: BigInt(built.expectedOut),
      readyAt: 30 + Math.round((i * 570) / (SIGNERS - 1)),
      swaps: swaps.map(signed),
      cancel: i % 5 === 0 ? signed(await build({ cancel: true, quote: {} })) : null,
      answers: [],
    })
  }
  t.equal(signers.at(-1)!.readyAt, 600)

  const bank = banks[0]!
  const full = bank.vm.account(vault)!
  /** Leaves less in the market than any minimum. */
  const drain = () => {
    const data = Uint8Array.from(full.data)
    new DataView(data.buffer).setBigUint64(64, 1n, true)
    bank.vm.place(vault, { ...full, data })
  }
  for (let second = 0; second <= 600; second++) {
    if (second === TURNED[0]) drain()
    if (second === TURNED[1]) bank.vm.place(vault, full)
    if (second === FORGETFUL[0]) await turn(gateway, 'solana', 'forget')
    if (second === FORGETFUL[1]) await turn(gateway, 'solana', null)
    for (const { cancel, readyAt } of signers)
      if (cancel !== null && second === readyAt - 20) t.match(await send(cancel), { result: String })
    for (const { answers, readyAt, swaps } of signers)
      if (second === readyAt) for (const swap of swaps) answers.push(await send(swap))
    await pass(1)
  }
  await pass(180)

  const counts = { landed: 0, refused: 0, cancelled: 0 }
  for (const { wallet, nonce, value, expectedOut, readyAt, cancel, answers, swaps } of signers) {
    const name = `${readyAt} s`
    const got = await heldBy(wallet.publicKey)
    if (cancel !== null) {
      counts.cancelled++
      t.match(answers[0], { error: { data: { err: 'BlockhashNotFound', expired: true } } }, name)
      t.equal(got, 0n, name)
      t.not(await nonceAt(connection, nonce), value)
    } else if (during(readyAt, TURNED)) {
      counts.refused++
      t.match(answers, Array(swaps.length).fill({ error: { code: -32002, data: { err: Object } } }), name)
      t.notOk('expired' in answers[0].error.data, name)
      t.equal(got, 0n, name)
      t.equal(await nonceAt(connection, nonce), value, 'it costs nothing, and can be sent again')
      t.match(await send(swaps[0]!), { result: String })
    } else {
      counts.landed++
      t.match(answers[0], { result: String }, name)
      t.equal(got, expectedOut, `${name}: once`)
    }
  }
  await pass(20)
  for (const { wallet, nonce, value, expectedOut, readyAt, cancel, swaps } of signers) {
    t.equal(await heldBy(wallet.publicKey), cancel === null ? expectedOut : 0n, `${readyAt} s`)
    t.not(await nonceAt(connection, nonce), value, 'none is stuck')
    for (const swap of swaps) await send(swap)
  }
  await pass(700)
  for (const { wallet, expectedOut, cancel, readyAt } of signers) {
    const got = await heldBy(wallet.publicKey)
    t.equal(got, cancel === null ? expectedOut : 0n, `${readyAt} s: never again`)
  }
  t.same(counts, { landed: 34, refused: 6, cancelled: 10 })
  const pending = (await (await fetch(`${url}/api/rebroadcast`)).json()) as Answer
  t.equal(pending.transactions.length, 0, 'and nothing waits')
})
