import { Configuration, SwapApi } from '@jup-ag/api'
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import { tell, USDC_SOLANA } from './swap.mjs'

const jupiter = new SwapApi(new Configuration({ basePath: process.env.JUPITER }))
const wallet = Keypair.generate()
const userPublicKey = wallet.publicKey.toBase58()
const inputMint = 'So11111111111111111111111111111111111111112'
const quoteResponse = await jupiter.quoteGet({
  inputMint,
  outputMint: USDC_SOLANA,
  amount: 250_000_000,
  slippageBps: 100,
})
const { swapTransaction } = await jupiter.swapPost({ swapRequest: { userPublicKey, quoteResponse } })
const transaction = VersionedTransaction.deserialize(Buffer.from(swapTransaction, 'base64'))
const { swapInstruction, cleanupInstruction } = await jupiter.swapInstructionsPost({
  swapRequest: { userPublicKey, quoteResponse },
})
tell({
  isPayer: transaction.message.staticAccountKeys[0].equals(wallet.publicKey),
  program: swapInstruction.programId,
  hasCleanup: cleanupInstruction !== undefined,
})
