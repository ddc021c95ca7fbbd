/** @solana/kit with a durable nonce: made, advanced, and six transactions of it confirmed by its own factory. */
import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  sendAndConfirmDurableNonceTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
} from '@solana/kit'

const [url, wsUrl, faucetUrl] = process.argv.slice(2)
const rpc = createSolanaRpc(url)
const rpcSubscriptions = createSolanaRpcSubscriptions(wsUrl)
const sendAndConfirm = sendAndConfirmDurableNonceTransactionFactory({ rpc, rpcSubscriptions })
const signer = await generateKeyPairSigner()
const nonceSigner = await generateKeyPairSigner()
await fetch(faucetUrl, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [signer.address, 1e9] }),
})

const SYSTEM = address('11111111111111111111111111111111')
const BLOCKHASHES = address('SysvarRecentB1ockHashes11111111111111111111')
const RENT = address('SysvarRent111111111111111111111111111111111')

/** An instruction of the System program: its number, then its numbers of 64 bits, then a key. */
const system = (number, amounts, key, ...accounts) => {
  const data = Buffer.alloc(4 + 8 * amounts.length)
  data.writeUInt32LE(number)
  for (const [i, amount] of amounts.entries()) data.writeBigUInt64LE(amount, 4 + 8 * i)
  const bytes = key === null ? data : Buffer.concat([data, getAddressEncoder().encode(key)])
  return { programAddress: SYSTEM, accounts, data: new Uint8Array(bytes) }
}
const paying = { address: signer.address, role: AccountRole.WRITABLE_SIGNER, signer }
const nonce = { address: nonceSigner.address, role: AccountRole.WRITABLE }
const made = { address: nonceSigner.address, role: AccountRole.WRITABLE_SIGNER, signer: nonceSigner }
const blockhashes = { address: BLOCKHASHES, role: AccountRole.READONLY }
const rent = { address: RENT, role: AccountRole.READONLY }

const sign = (instructions, withLifetime) =>
  signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayerSigner(signer, message),
      withLifetime,
      (message) => appendTransactionMessageInstructions(instructions, message),
    ),
  )

/** Sends without the factory for blockhashes, which strict mode does not have all methods for. */
async function submit(...instructions) {
  const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
  const transaction = await sign(instructions, (message) =>
    setTransactionMessageLifetimeUsingBlockhash(latest, message),
  )
  const signature = getSignatureFromTransaction(transaction)
  const notifications = await rpcSubscriptions
    .signatureNotifications(signature, { commitment: 'confirmed' })
    .subscribe({ abortSignal: AbortSignal.timeout(60_000) })
  await rpc
    .sendTransaction(getBase64EncodedWireTransaction(transaction), {
      encoding: 'base64',
      preflightCommitment: 'confirmed',
    })
    .send()
  for await (const { value } of notifications) return value.err
}

await submit(
  system(0, [1_447_680n, 80n], SYSTEM, paying, made),
  system(6, [], signer.address, nonce, blockhashes, rent),
)
await submit(system(4, [], null, nonce, blockhashes, paying))

const values = new Set()
let confirmed = 0
let signature
for (let i = 0; i < 6; i++) {
  const { value } = await rpc
    .getAccountInfo(nonceSigner.address, { commitment: 'confirmed', encoding: 'base64' })
    .send()
  const stored = getBase58Decoder().decode(Buffer.from(value.data[0], 'base64').subarray(40, 72))
  values.add(stored)
  const transaction = await sign([system(2, [1n], null, paying, paying)], (message) =>
    setTransactionMessageLifetimeUsingDurableNonce(
      {
        nonce: stored,
        nonceAccountAddress: nonceSigner.address,
        nonceAuthorityAddress: signer.address,
      },
      message,
    ),
  )
  await sendAndConfirm(transaction, { commitment: 'confirmed' })
  signature = getSignatureFromTransaction(transaction)
  confirmed++
}
process.stdout.write(JSON.stringify({ signature, confirmed, nonces: values.size }), () => process.exit())
