/** The swap of docs/guides/wallet-app.md, with an account in the place of a connected wallet. */
import { createConfig, getTransactionReceipt } from '@wagmi/core'
import { http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { swapWagmi } from './examples/swap-wagmi.mjs'
import { tell, USDC_BASE } from './swap.mjs'

const { GATEWAY, EVM } = process.env
const config = createConfig({ chains: [base], transports: { [base.id]: http(EVM) }, pollingInterval: 100 })
const account = privateKeyToAccount(generatePrivateKey())
const order = { chain: 'base', side: 'sell', token: USDC_BASE, amount: '250', from: account.address }
const declined = await swapWagmi(GATEWAY, config, order, () => false, account)
const hash = await swapWagmi(GATEWAY, config, order, () => true, account)
const { status } = await getTransactionReceipt(config, { hash })
tell({ declined, status })
