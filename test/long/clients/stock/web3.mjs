/** @solana/web3.js, of version 1 and of version 3: it sends, waits by its WebSocket, and reads. */
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  sendAndConfirmTransaction,
  Transaction,
} from '@solana/web3.js'

const [url, wsUrl, faucetUrl] = process.argv.slice(2)
const connection = new Connection(url, { commitment: 'confirmed', wsEndpoint: wsUrl })
// Version 3 makes keys with promises.
const wallet = await Keypair.generate()
await fetch(faucetUrl, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'requestAirdrop',
    params: [String(wallet.publicKey), 1e9],
  }),
})
const to = new PublicKey(wallet.publicKey)
const transfer = SystemProgram.transfer({ fromPubkey: to, toPubkey: to, lamports: 1 })
const signature = await sendAndConfirmTransaction(connection, new Transaction().add(transfer), [wallet])
const lamports = Number(await connection.getBalance(to))
process.stdout.write(JSON.stringify({ signature, lamports }), () => process.exit())
