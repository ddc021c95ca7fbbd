/** umi with its default bundle, which calls @solana/web3.js. */
import { generateSigner, keypairIdentity, transactionBuilder } from '@metaplex-foundation/umi'
import { base58 } from '@metaplex-foundation/umi/serializers'
import { createUmi } from '@metaplex-foundation/umi-bundle-defaults'

const [url, , faucetUrl] = process.argv.slice(2)
const umi = createUmi(url, 'confirmed')
const signer = generateSigner(umi)
umi.use(keypairIdentity(signer))
// Its own airdrop waits for the signature on a WebSocket, which the sandbox's node has not.
await fetch(faucetUrl, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [signer.publicKey, 1e9] }),
})

const system = '11111111111111111111111111111111'
const instruction = {
  programId: system,
  keys: [
    { pubkey: signer.publicKey, isSigner: true, isWritable: true },
    { pubkey: signer.publicKey, isSigner: false, isWritable: true },
  ],
  data: Uint8Array.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
}
const builder = transactionBuilder().add({ instruction, signers: [signer], bytesCreatedOnChain: 0 })
const sent = await builder.sendAndConfirm(umi, { confirm: { commitment: 'confirmed' } })
const [account] = await umi.rpc.getAccounts([signer.publicKey])
const signature = base58.deserialize(sent.signature)[0]
process.stdout.write(JSON.stringify({ signature, lamports: Number(account.lamports.basisPoints) }), () =>
  process.exit(),
)
