/** The readers of single transactions and allowances. */

import type { EvmChain } from '../../chains/definition.ts'
import type { EvmRpc } from '../../upstream/nodes/evm/rpc.ts'
import { AllowanceReader } from './allowances.ts'
import { TransactionReader, type TransactionReaderOptions } from './transactions.ts'

interface OnchainReadersOptions extends TransactionReaderOptions {
  readonly evm: (chain: EvmChain) => EvmRpc
}

export interface OnchainReaders {
  readonly transactions: TransactionReader
  readonly allowances: AllowanceReader
}

export function createOnchain(options: OnchainReadersOptions): OnchainReaders {
  const transactions = new TransactionReader(options)
  return { transactions, allowances: new AllowanceReader({ ...options, transactions }) }
}
