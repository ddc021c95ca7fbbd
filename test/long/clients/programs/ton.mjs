import { Address, beginCell, Cell, external, internal, SendMode, storeMessage } from '@ton/core'
import { keyPairFromSeed } from '@ton/crypto'
import { WalletContractV4 } from '@ton/ton'
import { buildSwap, tell } from './swap.mjs'

const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const keys = keyPairFromSeed(Buffer.alloc(32, 7))
const wallet = WalletContractV4.create({ workchain: 0, publicKey: keys.publicKey })
const from = wallet.address.toString()
const { tonConnect } = await buildSwap({ chain: 'ton', side: 'buy', token: USDT, amount: '0.5', from })
const messages = tonConnect.messages.map(({ address, amount, payload }) =>
  internal({ to: address, value: BigInt(amount), body: Cell.fromBase64(payload) }),
)
const body = wallet.createTransfer({
  seqno: 1,
  secretKey: keys.secretKey,
  timeout: tonConnect.validUntil,
  sendMode: SendMode.PAY_GAS_SEPARATELY,
  messages,
})
const sent = beginCell()
  .store(storeMessage(external({ to: wallet.address, body })))
  .endCell()
tell({
  isFrom: Address.parse(tonConnect.from).equals(wallet.address),
  messages: messages.length,
  isSent: sent.toBoc().length > 200,
})
