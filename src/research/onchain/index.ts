/** What chains tell of one transaction or one allowance, put together. */

import type { EvmChain } from '../../chains/definition.ts'
import type { EvmRpc } from '../../upstream/nodes/evm-rpc.ts'
import { Allowances } from './allowances.ts'
import { Transactions, type TransactionsOptions } from './transactions.ts'

export interface OnchainOptions extends TransactionsOptions {
  readonly evm: (chain: EvmChain) => EvmRpc
}

export interface Onchain {
  readonly transactions: Transactions
  readonly allowances: Allowances
}

export function createOnchain(options: OnchainOptions): Onchain {
  const transactions = new Transactions(options)
  return { transactions, allowances: new Allowances({ ...options, transactions }) }
}
