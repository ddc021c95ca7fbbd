/** gill: its client, its transactions and its confirmation. */
import {
  createSolanaClient,
  createTransaction,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  signTransactionMessageWithSigners,
} from 'gill'
import { getTransferSolInstruction } from 'gill/programs'

const [url, wsUrl, faucetUrl] = process.argv.slice(2)
// Of a URL with 127.0.0.1 or localhost, it looks for the WebSocket at port 8900.
const rpcSubscriptionsConfig = { port: Number(new URL(wsUrl).port) }
const { rpc, sendAndConfirmTransaction } = createSolanaClient({ urlOrMoniker: url, rpcSubscriptionsConfig })

const signer = await generateKeyPairSigner()
await createSolanaClient({ urlOrMoniker: faucetUrl })
  .rpc.requestAirdrop(signer.address, 1_000_000_000n)
  .send()
const { value: latestBlockhash } = await rpc.getLatestBlockhash().send()
const message = createTransaction({
  version: 'legacy',
  feePayer: signer,
  instructions: [getTransferSolInstruction({ source: signer, destination: signer.address, amount: 1n })],
  latestBlockhash,
})
const transaction = await signTransactionMessageWithSigners(message)
const signature = getSignatureFromTransaction(transaction)
const refusal = await sendAndConfirmTransaction(transaction, { commitment: 'confirmed' }).then(
  () => null,
  (error) => error.context?.message ?? error.message,
)
process.stdout.write(JSON.stringify({ signature, refusal }))
