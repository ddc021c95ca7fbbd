/** @solana/kit, any version from 2 on: what its documents tell to write. */
import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'

const [url, wsUrl, faucetUrl] = process.argv.slice(2)
const rpc = createSolanaRpc(url)
const rpcSubscriptions = createSolanaRpcSubscriptions(wsUrl)
const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions })
const abort = new AbortController()

const signer = await generateKeyPairSigner()
const accounts = await rpcSubscriptions
  .accountNotifications(signer.address, { commitment: 'confirmed' })
  .subscribe({ abortSignal: abort.signal })
await fetch(faucetUrl, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [signer.address, 1e9] }),
})
let lamports
for await (const { value } of accounts) {
  lamports = Number(value.lamports)
  break
}
let slot
for await (const told of await rpcSubscriptions
  .slotNotifications()
  .subscribe({ abortSignal: abort.signal })) {
  slot = Number(told.slot)
  break
}

const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
const transaction = await signTransactionMessageWithSigners(
  pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(signer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
    (message) =>
      appendTransactionMessageInstruction(
        {
          programAddress: address('11111111111111111111111111111111'),
          accounts: [
            { address: signer.address, role: AccountRole.WRITABLE_SIGNER },
            { address: signer.address, role: AccountRole.WRITABLE },
          ],
          data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
        },
        message,
      ),
  ),
)
const signature = getSignatureFromTransaction(transaction)
const refusal = await sendAndConfirm(transaction, { commitment: 'confirmed' }).then(
  () => null,
  (error) => error.context?.message ?? error.message,
)
abort.abort()
process.stdout.write(JSON.stringify({ lamports, slot, signature, refusal }))
