/**
 * `eth_sendRawTransaction` on an EVM chain of the sandbox: a node's checks of a signed
 * transaction. Imported at first use with the ledger, which is slow to load.
 *
 * Source: ethereum/go-ethereum core/txpool/validation.go (the refusals' words)
 */
import { Transaction } from 'micro-eth-signer'
import type { EvmChain } from '../../chains/definition.ts'
import type { Market } from '../market/market.ts'
import type { EvmHistory, SignedTransaction } from './history.ts'
import { Ledger } from './ledger.ts'

const TYPES: Readonly<Record<string, string>> = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2' }

/** A node's refusal of a transaction. */
export class Refused extends Error {}

/**
 * @param raw  0x hex
 * @returns its hash
 * @throws Refused
 */
export function broadcast(
  raw: string,
  history: EvmHistory,
  { chain, market, now }: { readonly chain: EvmChain; readonly market: Market; readonly now: number },
): string {
  const transaction = decoded(raw)
  const { chainId, nonce, to, value, data, gasLimit } = transaction.raw
  const { r, s, yParity } = transaction.raw as SignedTransaction['signature']
  if (chainId !== BigInt(chain.chainId)) throw new Refused('invalid sender')
  if (!to || to === '0x') throw new Refused('the sandbox makes no contracts')
  const from = transaction.sender.toLowerCase()
  const hash = `0x${transaction.hash.replace(/^0x/, '')}`
  if (history.transaction(hash, now) !== null) throw new Refused('already known')
  const next = history.nonce(from, 'pending', now)
  if (nonce < next) throw new Refused(`nonce too low: next nonce ${next}, tx nonce ${nonce}`)
  if (nonce > next) throw new Refused('the sandbox keeps no transactions for later nonces')
  if (history.balance(from, 'latest', now) < value + gasLimit * history.gasPrice) {
    throw new Refused('insufficient funds for gas * price + value')
  }
  history.ledger ??= new Ledger(chain.key, market)
  const type = TYPES[transaction.type]
  if (type === undefined) throw new Refused('transaction type not supported')
  history.add(
    {
      hash,
      type,
      from,
      to: to.toLowerCase(),
      nonce,
      value,
      data: data.toLowerCase() || '0x',
      gasLimit,
      signature: { r, s, yParity },
    },
    now,
  )
  return hash
}

function decoded(raw: string) {
  try {
    const transaction = Transaction.fromHex(raw)
    if (!transaction.isSigned) throw new Refused('invalid transaction v, r, s values')
    return transaction
  } catch (error) {
    throw error instanceof Refused ? error : new Refused('rlp: the transaction does not decode')
  }
}
