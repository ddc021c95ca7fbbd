import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519'
import { Transaction } from '@mysten/sui/transactions'
import { verifyTransactionSignature } from '@mysten/sui/verify'
import { buildSwap, tell } from './swap.mjs'

const USDC = '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC'
const wallet = new Ed25519Keypair()
const from = wallet.toSuiAddress()
const { suiTransaction } = await buildSwap({ chain: 'sui', side: 'buy', token: USDC, amount: '0.5', from })
const read = Transaction.from(suiTransaction).getData()
const bytes = Buffer.from(suiTransaction, 'base64')
const { signature } = await wallet.signTransaction(bytes)
const signer = await verifyTransactionSignature(bytes, signature)
tell({
  isSender: read.sender === from,
  hasCommands: read.commands.length > 0,
  isUnchanged: Buffer.from(await Transaction.from(suiTransaction).build()).equals(bytes),
  isSigner: signer.toSuiAddress() === from,
})
