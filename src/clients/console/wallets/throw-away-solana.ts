/**
 * A play-money wallet for the sandbox's Solana. WebCrypto holds its key: not even
 * this page can read it, and it is lost with the page.
 *
 * Source: Secure Curves in the Web Cryptography API (Ed25519)
 */
import { base58 } from '@scure/base'
import { messageOf } from './message.ts'
import { nodeRpc } from './node-rpc.ts'
import { type SolanaWallet, WalletError } from './wallet.ts'
import words from './words.json' with { type: 'json' }

const FUNDS_LAMPORTS = 2_000_000_000
/** The funds are confirmed a slot or two later. */
const LOOK_MS = 200
const MAX_LOOKS = 120

/** @param nodeUrl  the URL of the sandbox's node, which has a faucet */
export async function makeSolanaWallet(nodeUrl: string): Promise<SolanaWallet> {
  const { privateKey, publicKey } = await generate()
  const address = base58.encode(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey)))
  await fund(nodeUrl, address)
  return {
    family: 'solana',
    name: 'Sandbox wallet',
    address,
    isThrowAway: true,
    async sign(transaction) {
      const signed = Uint8Array.from(transaction)
      const message = messageOf(signed)
      signed.set(new Uint8Array(await crypto.subtle.sign('Ed25519', privateKey, message)), 1)
      return signed
    },
  }
}

/** Funds the wallet, and waits until the balance shows it. */
async function fund(nodeUrl: string, address: string): Promise<void> {
  await nodeRpc(nodeUrl, 'requestAirdrop', [address, FUNDS_LAMPORTS])
  for (let attempt = 0; attempt < MAX_LOOKS; attempt++) {
    const { value } = await nodeRpc<{ value: number }>(nodeUrl, 'getBalance', [
      address,
      { commitment: 'confirmed' },
    ])
    if (value > 0) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  throw new WalletError('The faucet accepted the request, but the funds did not arrive.')
}

async function generate(): Promise<CryptoKeyPair> {
  try {
    return (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair
  } catch {
    throw new WalletError(words.noKeys)
  }
}
