/** wallet-adapter: an adapter that signs by itself, and sends as adapters do. */
import { BaseMessageSignerWalletAdapter, WalletReadyState } from '@solana/wallet-adapter-base'
import { Connection, Keypair, LAMPORTS_PER_SOL, SystemProgram, Transaction } from '@solana/web3.js'

const keypair = Keypair.generate()

class Adapter extends BaseMessageSignerWalletAdapter {
  name = 'A test'
  url = 'https://wallet.example'
  icon = 'data:image/png;base64,'
  readyState = WalletReadyState.Installed
  supportedTransactionVersions = new Set(['legacy', 0])
  connecting = false
  publicKey = keypair.publicKey
  async connect() {}
  async disconnect() {}
  async signTransaction(transaction) {
    transaction.partialSign(keypair)
    return transaction
  }
  async signMessage(message) {
    return message
  }
}

const [url, , faucetUrl] = process.argv.slice(2)
await new Connection(faucetUrl, 'confirmed').requestAirdrop(keypair.publicKey, LAMPORTS_PER_SOL)
const connection = new Connection(url, 'confirmed')
const { publicKey } = keypair
const transfer = SystemProgram.transfer({ fromPubkey: publicKey, toPubkey: publicKey, lamports: 1 })
const context = await connection.getLatestBlockhash()
const signature = await new Adapter().sendTransaction(new Transaction().add(transfer), connection)
const { value } = await connection.confirmTransaction({ signature, ...context }, 'confirmed')
process.stdout.write(JSON.stringify({ signature, err: value.err }), () => process.exit())
