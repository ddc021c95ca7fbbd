import { Web3 } from 'web3'
import { sellUsdc, tell, USDC_BASE } from './swap.mjs'

const web3 = new Web3(process.env.EVM)
web3.eth.setConfig({ transactionPollingInterval: 100, transactionReceiptPollingInterval: 100 })
const account = web3.eth.accounts.create()
web3.eth.accounts.wallet.add(account)
const from = account.address
const built = await sellUsdc(from)
const inputs = [
  { name: 'spender', type: 'address' },
  { name: 'amount', type: 'uint256' },
]
const outputs = [{ name: '', type: 'bool' }]
const abi = [{ type: 'function', name: 'approve', stateMutability: 'nonpayable', inputs, outputs }]
const token = new web3.eth.Contract(abi, USDC_BASE)
const approve = token.methods.approve(built.approval.spender, built.approval.amount)
const approval = await approve.send({ from })
const receipt = await web3.eth.sendTransaction(built.transactionRequest)
tell({ approval: String(approval.status), swap: String(receipt.status) })
process.exit()
