import {
  createConfig,
  getBlock,
  sendTransaction,
  simulateContract,
  waitForTransactionReceipt,
  writeContract,
} from '@wagmi/core'
import { erc20Abi, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { sellUsdc, tell, USDC_BASE } from './swap.mjs'

const config = createConfig({
  chains: [base],
  transports: { [base.id]: http(process.env.EVM) },
  pollingInterval: 100,
})
const account = privateKeyToAccount(generatePrivateKey())
const { approval, to, data, value } = await sellUsdc(account.address)
const { request } = await simulateContract(config, {
  account,
  chainId: base.id,
  address: USDC_BASE,
  abi: erc20Abi,
  functionName: 'approve',
  args: [approval.spender, BigInt(approval.amount)],
})
const approved = await waitForTransactionReceipt(config, { hash: await writeContract(config, request) })
const hash = await sendTransaction(config, { account, chainId: base.id, to, data, value: BigInt(value) })
const swapped = await waitForTransactionReceipt(config, { hash })
const { transactions } = await getBlock(config, {
  blockNumber: swapped.blockNumber,
  includeTransactions: true,
})
tell({
  approval: approved.status,
  swap: swapped.status,
  isInBlock: transactions.some((sent) => sent.hash === hash),
})
