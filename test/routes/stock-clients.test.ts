import { type EventEmitter, once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstruction,
  assertIsTransactionWithBlockhashLifetime,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  type KeyPairSigner,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js'
import t, { type Test } from 'tap'
import { runningClock } from '../fixtures/clock.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'

const LIMITS = 'rpcRead=off,rpcSend=off,rpcBatch=off'
const wsOf = (url: string): string => `${url.replace('http', 'ws')}/api/solrpc`

/** A sandboxed gateway. */
const start = (t: Test, environment: Record<string, string> = {}): Promise<TestGateway> =>
  listen(t, { LIMITS, ...environment }, { clock: runningClock() })

const fund = async ({ sandbox }: TestGateway, wallet: string): Promise<void> => {
  await new Connection(sandbox!.solanaRpc).requestAirdrop(new PublicKey(wallet), 2 * LAMPORTS_PER_SOL)
}

/** The System program's transfer of one lamport. */
const transferOf = (from: Address) => ({
  programAddress: address('11111111111111111111111111111111'),
  accounts: [
    { address: from, role: AccountRole.WRITABLE_SIGNER },
    { address: from, role: AccountRole.WRITABLE },
  ],
  data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
})

/** What kit's own documents tell to write. */
function kitAt(url: string) {
  const rpc = createSolanaRpc(`${url}/api/solrpc`)
  const rpcSubscriptions = createSolanaRpcSubscriptions(wsOf(url))
  const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })
  const sign = async (signer: KeyPairSigner) => {
    const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
    const transaction = await signTransactionMessageWithSigners(
      pipe(
        createTransactionMessage({ version: 0 }),
        (message) => setTransactionMessageFeePayerSigner(signer, message),
        (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
        (message) => appendTransactionMessageInstruction(transferOf(signer.address), message),
      ),
    )
    assertIsTransactionWithBlockhashLifetime(transaction)
    return transaction
  }
  return { rpc, rpcSubscriptions, sendAndConfirm, sign }
}

t.test('sendAndConfirmTransactionFactory of @solana/kit works unchanged with RPC_COMPAT=node', async (t) => {
  const gateway = await start(t, { RPC_COMPAT: 'node' })
  const { rpc, sendAndConfirm, sign } = kitAt(gateway.url)
  const signer = await generateKeyPairSigner()
  await fund(gateway, signer.address)
  const transaction = await sign(signer)
  await sendAndConfirm(transaction, { commitment: 'confirmed' })
  const { value } = await rpc.getSignatureStatuses([getSignatureFromTransaction(transaction)]).send()
  t.match(value, [{ confirmationStatus: /confirmed|finalized/, err: null }])
})

t.test('in strict mode it rejects after sending, and signatureNotifications report', async (t) => {
  const gateway = await start(t)
  const { rpc, rpcSubscriptions, sendAndConfirm, sign } = kitAt(gateway.url)
  const signer = await generateKeyPairSigner()
  await fund(gateway, signer.address)
  const transaction = await sign(signer)
  const error = await sendAndConfirm(transaction, { commitment: 'confirmed' }).catch(
    (error: unknown) => error,
  )
  t.match(error, { context: { message: 'method_not_allowed' } })
  const abort = new AbortController()
  const notifications = await rpcSubscriptions
    .signatureNotifications(getSignatureFromTransaction(transaction), { commitment: 'confirmed' })
    .subscribe({ abortSignal: abort.signal })
  for await (const { value } of notifications) {
    t.same(value, { err: null }, 'the money has moved')
    break
  }
  abort.abort()
  t.ok((await rpc.getBalance(signer.address).send()).value < 2 * LAMPORTS_PER_SOL)
})

t.test('slots and accounts are reported to @solana/kit', async (t) => {
  const gateway = await start(t)
  const { rpcSubscriptions } = kitAt(gateway.url)
  const abort = new AbortController()
  const wallet = await generateKeyPairSigner()
  const slots = await rpcSubscriptions.slotNotifications().subscribe({ abortSignal: abort.signal })
  const seen: bigint[] = []
  for await (const { slot, parent, root } of slots) {
    t.ok(parent < slot && root < parent)
    if (seen.push(slot) === 3) break
  }
  t.same(seen, seen.toSorted(), 'they rise')
  t.equal(new Set(seen).size, 3)
  const accounts = await rpcSubscriptions
    .accountNotifications(wallet.address, { commitment: 'confirmed', encoding: 'base64' })
    .subscribe({ abortSignal: abort.signal })
  await fund(gateway, wallet.address)
  for await (const { value } of accounts) {
    t.match(value, { lamports: 2_000_000_000n, owner: '1'.repeat(32), data: ['', 'base64'], space: 0n })
    break
  }
  abort.abort()
})

const web3At = (url: string): Connection =>
  new Connection(`${url}/api/solrpc`, { commitment: 'confirmed', wsEndpoint: wsOf(url) })

const socketOf = (connection: Connection): EventEmitter & { close(): void } =>
  (connection as unknown as { _rpcWebSocket: EventEmitter & { close(): void } })._rpcWebSocket

/** Else it looks for a gateway that is gone for as long as the process lives. */
async function close(connection: Connection): Promise<void> {
  const socket = socketOf(connection)
  socket.close()
  await once(socket, 'close')
}

t.test('onAccountChange and onSlotChange of @solana/web3.js work unchanged', async (t) => {
  const gateway = await start(t)
  const connection = web3At(gateway.url)
  const wallet = Keypair.generate().publicKey
  const changes: number[] = []
  const account = connection.onAccountChange(wallet, ({ lamports }) => changes.push(lamports))
  const slots: number[] = []
  const slot = connection.onSlotChange(({ slot }) => slots.push(slot))
  while (slots.length < 2) await sleep(5)
  await fund(gateway, wallet.toBase58())
  while (changes.length < 1) await sleep(5)
  await fund(gateway, wallet.toBase58())
  while (changes.length < 2) await sleep(5)
  t.same(changes, [2 * LAMPORTS_PER_SOL, 4 * LAMPORTS_PER_SOL])
  await connection.removeAccountChangeListener(account)
  await connection.removeSlotChangeListener(slot)
  await close(connection)
})

t.test(
  'an unserved subscription costs one refusal a second, and a confirmation with it nothing',
  async (t) => {
    const gateway = await start(t)
    const connection = web3At(gateway.url)
    const wallet = Keypair.generate()
    await fund(gateway, wallet.publicKey.toBase58())
    const complaints: unknown[] = []
    const { error } = console
    t.teardown(() => Object.assign(console, { error }))
    // It complains to the console of each refusal.
    console.error = (...said) => void complaints.push(said)
    const startedAt = performance.now()
    let opened = 0
    socketOf(connection).on('open', () => opened++)
    const logs = connection.onLogs('all', () => {})
    while (complaints.length < 1) await sleep(5)
    const transfer = SystemProgram.transfer({
      fromPubkey: wallet.publicKey,
      toPubkey: wallet.publicKey,
      lamports: 1,
    })
    await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [wallet])
    t.ok(complaints.length <= 1 + (performance.now() - startedAt) / 1_000, `${complaints.length} refusals`)
    t.equal(opened, 1, 'the connection was not cut off')
    const refused = complaints.length
    await connection.removeOnLogsListener(logs)
    // It forgets the subscription when its refusal has come, and connects again before.
    while (complaints.length === refused) await sleep(5)
    await close(connection)
  },
)
