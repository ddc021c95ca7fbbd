/** Transactions of version 1 on their whole way: from a wallet's library through the relay into a block, and back. */
import {
  address,
  appendTransactionMessageInstruction,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  lamports,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import t, { type Test } from 'tap'
import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { SYSTEM_PROGRAM } from '../../src/chains/solana/programs.ts'
import { clockOf, runningClock } from '../fixtures/clock.ts'
import { call, listen } from '../fixtures/gateway.ts'
import { recordingNode } from '../fixtures/recording-node.ts'
import { DESTINATION, keypair, serialize, sha256, transfer } from '../fixtures/transactions.ts'
import { serializeV1, transferV1 } from '../fixtures/transactions-v1.ts'

const LIMITS = 'rpcRead=off,rpcSend=off,rpcBatch=off'
const B64 = { encoding: 'base64' }
const LAMPORTS = 1_000_000_000n
const PRIORITY_FEE = 1_234n
const [instruction] = transferV1().instructions

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const signatureOf = (bytes: Uint8Array): string => encodeBase58(bytes.subarray(-64))
/** A transfer of so many bytes, which differs from all others of another number. */
function longV1(bytes: number, number = 1): Uint8Array {
  const of = (length: number) =>
    serializeV1(
      transferV1({
        blockhash: new Uint8Array(32).fill(number),
        instructions: [{ ...instruction!, data: new Uint8Array(length) }],
      }),
    )
  return of(bytes - of(0).length)
}

/** A gateway before a node that accepts every transaction of version 1. Nothing is sent again. */
async function beside(t: Test, environment: Record<string, string> = {}) {
  const node = await recordingNode(
    t,
    ({ params }) =>
      `{"jsonrpc":"2.0","result":"${signatureOf(Buffer.from(params[0] as string, 'base64'))}","id":$ID}`,
  )
  const settings = { MODE: 'live', SOLANA_RPC_URLS: node.url, LIMITS, ...environment }
  const { url } = await listen(t, settings, { clock: clockOf({ after: () => () => {} }) })
  return { node, url }
}

const bodyOf = async (response: Promise<Response>) =>
  (await (await response).json()) as { result?: unknown; code?: string; error?: string }

t.test('@solana/kit simulates, submits and reads one through the relay', async (t) => {
  // Slots pass while it waits for its transaction.
  const { url, sandbox } = await listen(t, { LIMITS }, { clock: runningClock() })
  const faucet = createSolanaRpc(sandbox!.solanaRpc as Parameters<typeof createSolanaRpc>[0])
  const rpc = createSolanaRpc(`${url}/api/solrpc`)
  const signer = await createKeyPairSignerFromPrivateKeyBytes(sha256('wallet of version 1'))
  await (faucet as unknown as { requestAirdrop(to: string, of: unknown): { send(): Promise<unknown> } })
    .requestAirdrop(signer.address, lamports(2n * LAMPORTS))
    .send()
  const { value: lifetime } = await rpc.getLatestBlockhash().send()
  const data = new Uint8Array(12)
  data[0] = 2
  new DataView(data.buffer).setBigUint64(4, LAMPORTS, true)
  const friend = address(encodeBase58(DESTINATION))
  const message = pipe(
    createTransactionMessage({ version: 1 }),
    (m) => setTransactionMessageFeePayerSigner(signer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) =>
      setTransactionMessageConfig(
        {
          computeUnitLimit: 20_000,
          loadedAccountsDataSizeLimit: 1_000_000,
          priorityFeeLamports: PRIORITY_FEE,
        },
        m,
      ),
    (m) =>
      appendTransactionMessageInstruction(
        {
          programAddress: address(SYSTEM_PROGRAM),
          accounts: [
            { address: signer.address, role: 3 },
            { address: friend, role: 1 },
          ],
          data,
        },
        m,
      ),
  )
  const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message))
  const simulated = await rpc.simulateTransaction(wire, { encoding: 'base64' }).send()
  t.equal(simulated.value.err, null)
  const id = await rpc.sendTransaction(wire, { encoding: 'base64' }).send()
  t.equal(id, signatureOf(Buffer.from(wire, 'base64')))
  for (;;) {
    const [status] = (await rpc.getSignatureStatuses([id]).send()).value
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') break
  }
  const read = (version: number) =>
    call(url, 'getTransaction', [
      id,
      { encoding: 'json', maxSupportedTransactionVersion: version, commitment: 'confirmed' },
    ])
  t.match(await bodyOf(read(1)), {
    result: {
      version: 1,
      meta: { err: null, fee: 5_000 + Number(PRIORITY_FEE) },
      transaction: {
        signatures: [id],
        message: {
          recentBlockhash: lifetime.blockhash,
          transactionConfig: {
            priorityFee: Number(PRIORITY_FEE),
            computeUnitLimit: 20_000,
            loadedAccountsDataSizeLimit: 1_000_000,
            heapSize: null,
          },
        },
      },
    },
  })
  t.match(await bodyOf(read(0)), { error: { code: -32_015 } })
  t.match(await (await fetch(`${url}/api/fast-trade-proof?digest=${id}`)).json(), { digest: id })
  const state = await (await fetch(`${url}/api/transaction-status?chain=solana&signature=${id}`)).json()
  t.match(state, { status: 'confirmed' })
})

t.test('1,232 bytes bound it, and its bytes go to the node as they are', async (t) => {
  const { node, url } = await beside(t)
  const whole = longV1(1_232)
  t.match(await bodyOf(call(url, 'sendTransaction', [base64(whole), B64])), { result: signatureOf(whole) })
  t.match(await bodyOf(call(url, 'sendTransaction', [encodeBase58(longV1(1_232, 2))])), { result: String })
  t.same(
    node.calls.map(({ params }) => params[0]),
    [base64(whole), base64(longV1(1_232, 2))],
  )
  const { code, error } = await bodyOf(call(url, 'sendTransaction', [base64(longV1(1_233)), B64]))
  t.equal(code, 'transaction_too_large')
  t.notMatch(error, 'version 1')
  t.match(await (await fetch(`${url}/api/rebroadcast`)).json(), { count: 2 }, 'both are sent again')
  t.match(await (await fetch(`${url}/api/fast-trade-proof?digest=${signatureOf(whole)}`)).json(), {
    digest: signatureOf(whole),
  })
})

t.test('MAX_V1_TRANSACTION_BYTES lets in more, in base64, ten in one batch', async (t) => {
  const { node, url } = await beside(t, { MAX_V1_TRANSACTION_BYTES: '4096' })
  t.match(await (await fetch(`${url}/api/config`)).json(), {
    relay: { maxTransactionBytes: 1_232, maxV1TransactionBytes: 4_096 },
  })
  const ten = Array.from({ length: 10 }, (_, i) => longV1(4_096, i + 1))
  const { result } = await bodyOf(call(url, 'sendTransactions', [ten.map(base64), B64]))
  t.same(
    result,
    ten.map((bytes) => ({ signature: signatureOf(bytes) })),
  )
  t.same(
    node.calls.map(({ params }) => params[0]),
    ten.map(base64),
  )
  t.match(await bodyOf(call(url, 'simulateTransaction', [base64(ten[0]!), B64])), { result: String })
  const legacy = serialize(transfer({ instructions: [{ ...instruction!, data: new Uint8Array(1_100) }] }))
  for (const [what, text, options] of [
    ['one byte more', base64(longV1(4_097)), B64],
    ['base58', encodeBase58(longV1(1_233)), {}],
    ['another version', base64(legacy), B64],
  ] as const) {
    const { code, error } = await bodyOf(call(url, 'sendTransaction', [text, options]))
    t.equal(code, 'transaction_too_large', what)
    t.match(error, /A version 1 transaction may have 4,096 bytes, in base64\.$/, what)
  }
  const lower = await beside(t, { MAX_V1_TRANSACTION_BYTES: '2000' })
  t.match(await bodyOf(call(lower.url, 'sendTransaction', [base64(longV1(2_000)), B64])), { result: String })
  const over = await bodyOf(call(lower.url, 'sendTransaction', [base64(longV1(2_001)), B64]))
  t.equal(over.code, 'transaction_too_large')
})

t.test('a signature that does not hold is refused with its index, and reaches no node', async (t) => {
  const { node, url } = await beside(t)
  const bytes = serializeV1(transferV1({ signers: [keypair('a'), keypair('b')] }))
  bytes[bytes.length - 1]! ^= 1
  t.match(await bodyOf(call(url, 'sendTransaction', [base64(bytes), B64])), {
    code: 'signature_invalid',
    index: 1,
  })
  bytes.fill(0, -64)
  t.match(await bodyOf(call(url, 'sendTransaction', [base64(bytes), B64])), {
    code: 'transaction_not_signed',
    index: 1,
  })
  t.same(node.calls, [])
})
