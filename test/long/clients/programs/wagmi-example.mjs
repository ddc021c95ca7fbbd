/** The swap of docs/guides/wallet-app.md, with a connector whose wallet signs by a key in the program. */
import { createClient } from '@swapgate/client'
import { connect, createConfig, createConnector, getTransactionReceipt } from '@wagmi/core'
import { createWalletClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { swapWagmi } from './examples/swap-wagmi.mjs'
import { tell, USDC_BASE } from './swap.mjs'

const { GATEWAY, EVM } = process.env
const account = privateKeyToAccount(generatePrivateKey())
const signer = createWalletClient({ account, chain: base, transport: http(EVM) })
const provider = {
  request: async ({ method, params }) => {
    if (method !== 'eth_sendTransaction') return signer.request({ method, params })
    const [{ to, data, value }] = params
    return signer.sendTransaction({ to, data, value: BigInt(value) })
  },
}
const wallet = createConnector(() => ({
  id: 'test',
  name: 'A test',
  type: 'test',
  connect: async () => ({ accounts: [account.address], chainId: base.id }),
  disconnect: async () => {},
  getAccounts: async () => [account.address],
  getChainId: async () => base.id,
  getProvider: async () => provider,
  isAuthorized: async () => true,
  onAccountsChanged() {},
  onChainChanged() {},
  onDisconnect() {},
}))
const config = createConfig({ chains: [base], transports: { [base.id]: http(EVM) }, pollingInterval: 100 })
await connect(config, { connector: wallet })
const client = createClient({ baseUrl: GATEWAY })
const order = { chain: 'base', side: 'sell', token: USDC_BASE, amount: '250' }
const options = (agrees) => ({ agree: () => agrees, pollMs: 50 })
const declined = await swapWagmi(client, order, config, options(false)).catch(({ code }) => code)
const { id, receipt, changes } = await swapWagmi(client, order, config, options(true))
const { status } = await getTransactionReceipt(config, { hash: id })
tell({ declined, status, paid: receipt.paid.length, changes })
process.exit()
