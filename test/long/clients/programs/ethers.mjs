import { Contract, JsonRpcProvider, Wallet } from 'ethers'
import { sellUsdc, tell, USDC_BASE } from './swap.mjs'

const provider = new JsonRpcProvider(process.env.EVM, undefined, {
  pollingInterval: 100,
  // The sandbox mines within the 250 ms for which answers are kept: the swap would get its approval's nonce.
  cacheTimeout: -1,
})
const wallet = Wallet.createRandom().connect(provider)
const built = await sellUsdc(wallet.address)
const token = new Contract(
  USDC_BASE,
  ['function approve(address spender, uint256 amount) returns (bool)'],
  wallet,
)
const { spender, amount } = built.approval
const isApproved = await token.approve.staticCall(spender, amount)
const approval = await (await token.approve(spender, amount)).wait()
const { gas: _, ...request } = built.transactionRequest
const receipt = await (await wallet.sendTransaction(request)).wait()
const block = await provider.getBlock(receipt.blockNumber, true)
tell({
  isApproved,
  approval: approval.status,
  swap: receipt.status,
  isInBlock: block.prefetchedTransactions.some(({ hash }) => hash === receipt.hash),
})
