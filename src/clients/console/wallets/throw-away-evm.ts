/**
 * A play-money wallet for the sandbox's EVM chains, where every address has funds.
 * Its key exists only in this page's memory. A file of its own, loaded on demand,
 * because the signing library is large.
 */
import { addr, Transaction } from 'micro-eth-signer'
import { decimalsCall, decimalsIn } from '../../swap/provider.ts'
import { NoAnswer, nodeRpc } from './node-rpc.ts'
import { type EvmWallet, failureIn } from './wallet.ts'

/** @param nodesUrl  the URL of the sandbox's nodes, which the chain's key is appended to */
export function makeEvmWallet(nodesUrl: string): EvmWallet {
  const { privateKey, address } = addr.random()
  return {
    family: 'evm',
    name: 'Sandbox wallet',
    address,
    isThrowAway: true,
    decimals: (key, token) =>
      nodeRpc(`${nodesUrl}/${key}`, 'eth_call', [decimalsCall(token), 'latest']).then(decimalsIn, () => null),
    failureOf: (key, { to, data, value }) =>
      nodeRpc(`${nodesUrl}/${key}`, 'eth_estimateGas', [{ from: address, to, data, value }]).then(
        () => null,
        failureIn,
      ),
    async send({ key }, { to, data, value, chainId }, onSigned) {
      const ask = async (method: string, ...params: readonly unknown[]): Promise<bigint> =>
        BigInt(await nodeRpc<string>(`${nodesUrl}/${key}`, method, params))
      const call = { from: address, to, data, value }
      const [nonce, gasLimit, gasPrice, priorityFee] = await Promise.all([
        ask('eth_getTransactionCount', address, 'pending'),
        ask('eth_estimateGas', call),
        ask('eth_gasPrice'),
        ask('eth_maxPriorityFeePerGas'),
      ])
      const raw = Transaction.prepare({
        type: 'eip1559',
        chainId: BigInt(chainId),
        nonce,
        to,
        value: BigInt(value),
        data,
        gasLimit,
        maxFeePerGas: 2n * gasPrice,
        maxPriorityFeePerGas: priorityFee,
      }).signBy(privateKey)
      const { hash } = raw
      onSigned(hash)
      try {
        await nodeRpc(`${nodesUrl}/${key}`, 'eth_sendRawTransaction', [raw.toHex()])
        return { hash, isAnswerLost: false }
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        return { hash, isAnswerLost: true }
      }
    },
  }
}
