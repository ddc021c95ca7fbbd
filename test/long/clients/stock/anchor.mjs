/** Anchor's provider: sending, sending several, and its reads. */
import anchor from '@coral-xyz/anchor'

const { AnchorProvider, utils, Wallet, web3 } = anchor
const [url, , faucetUrl] = process.argv.slice(2)
const wallet = new Wallet(web3.Keypair.generate())
const faucet = new web3.Connection(faucetUrl, 'confirmed')
await faucet.requestAirdrop(wallet.publicKey, web3.LAMPORTS_PER_SOL)
const provider = new AnchorProvider(new web3.Connection(url, 'confirmed'), wallet, {
  commitment: 'confirmed',
})

const transfer = (lamports) =>
  new web3.Transaction().add(
    web3.SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: wallet.publicKey, lamports }),
  )
const signature = await provider.sendAndConfirm(transfer(1))
const several = await provider.sendAll([{ tx: transfer(2) }, { tx: transfer(3) }])
const { value } = await provider.simulate(transfer(4)).then(
  (value) => ({ value }),
  (error) => ({ value: error.message }),
)
const [account] = await utils.rpc.getMultipleAccounts(provider.connection, [wallet.publicKey])
const report = {
  signature,
  several: several.length,
  simulated: value?.logs?.length > 0,
  lamports: account.account.lamports,
}
process.stdout.write(JSON.stringify(report), () => process.exit())
