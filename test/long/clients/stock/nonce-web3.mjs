/** @solana/web3.js with a durable nonce: made, advanced, and six transactions of it confirmed by its own strategy. */
import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  NONCE_ACCOUNT_LENGTH,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js'

const [url, wsEndpoint, faucetUrl] = process.argv.slice(2)
const wallet = Keypair.generate()
const nonce = Keypair.generate()
const [authorizedPubkey, noncePubkey] = [wallet.publicKey, nonce.publicKey]
await new Connection(faucetUrl, 'confirmed').requestAirdrop(authorizedPubkey, LAMPORTS_PER_SOL)
// Without it, the first status that there is counts as confirmed.
const options = { commitment: 'confirmed' }
const connection = new Connection(url, { commitment: 'confirmed', wsEndpoint })

const create = SystemProgram.createNonceAccount({
  fromPubkey: authorizedPubkey,
  noncePubkey,
  authorizedPubkey,
  lamports: 1_447_680,
})
await sendAndConfirmTransaction(connection, create, [wallet, nonce], options)
const nonceInstruction = SystemProgram.nonceAdvance({ noncePubkey, authorizedPubkey })
await sendAndConfirmTransaction(connection, new Transaction().add(nonceInstruction), [wallet], options)

const values = new Set()
const spaces = new Set()
let confirmed = 0
let signature
for (let i = 0; i < 6; i++) {
  const { value, context } = await connection.getNonceAndContext(noncePubkey)
  spaces.add((await connection.getAccountInfo(noncePubkey)).data.length)
  values.add(value.nonce)
  const transaction = new Transaction({
    feePayer: authorizedPubkey,
    nonceInfo: { nonce: value.nonce, nonceInstruction },
    minContextSlot: context.slot,
  }).add(SystemProgram.transfer({ fromPubkey: authorizedPubkey, toPubkey: authorizedPubkey, lamports: 1 }))
  signature = await sendAndConfirmTransaction(connection, transaction, [wallet], options)
  confirmed++
}
const isNonce = spaces.size === 1 && spaces.has(NONCE_ACCOUNT_LENGTH)
process.stdout.write(JSON.stringify({ signature, confirmed, nonces: values.size, isNonce }), () =>
  process.exit(),
)
