/**
 * The methods that read accounts: as of the slot that the commitment has at the node.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs
 */

import { encodeBase58 } from '../../chains/solana/base58.ts'
import { encodeAccount, encodeOrNull, readAccountForm } from './accounts.ts'
import type { Json } from './ledger/json.ts'
import {
  invalidParams,
  type RpcConfig,
  readAddress,
  readCommitment,
  readConfig,
  readCount,
  readList,
} from './ledger/params.ts'
import {
  isTokenProgram,
  type ReadAccount,
  readMintDecimals,
  readTokenAccount,
  tokenBalance,
} from './ledger/tokens.ts'
import { type Method, method, withContext } from './method.ts'
import { readView, viewAt } from './view.ts'

/** MAX_MULTIPLE_ACCOUNTS */
const MAX_ACCOUNTS = 100
/** The runtime's limit on an account's data, 10 MiB. */
const MAX_DATA_BYTES = 10_485_760

export const READS: Readonly<Record<string, Method>> = {
  getBalance: method(1, 2, (node, [address, options]) => {
    const key = readAddress(address)
    const view = readView(node, readConfig(options))
    return withContext(view, node.bank.accountsAt(view.slot)(key)?.lamports ?? 0n)
  }),

  getAccountInfo: method(1, 2, (node, [address, options]) => {
    const config = readConfig(options)
    const key = readAddress(address)
    const form = readAccountForm(config, 'binary')
    const view = readView(node, config)
    return withContext(view, encodeOrNull(key, form, node.bank.accountsAt(view.slot)))
  }),

  getMultipleAccounts: method(1, 2, (node, [addresses, options]) => {
    const config = readConfig(options)
    const keys = readList(addresses, MAX_ACCOUNTS).map(readAddress)
    const form = readAccountForm(config, 'base64')
    const view = readView(node, config)
    const read = node.bank.accountsAt(view.slot)
    return withContext(
      view,
      keys.map((key) => encodeOrNull(key, form, read)),
    )
  }),

  getTokenAccountBalance: method(1, 2, (node, [address, options]) => {
    const key = readAddress(address)
    const config = readConfig(options)
    // P4: the one place where the commitment may not be left out of its object.
    if (options !== undefined && options !== null && config.commitment === undefined) {
      throw invalidParams('Invalid params: missing field `commitment`.')
    }
    const view = viewAt(node, readCommitment(config, 'commitment'), {})
    const read = node.bank.accountsAt(view.slot)
    const account = read(key)
    if (account === null) throw invalidParams('Invalid param: could not find account')
    const token = readTokenAccount(account)
    const balance = token === null ? null : tokenBalance(token, read)
    if (balance === null) throw invalidParams('Invalid param: not a Token account')
    return withContext(view, balance)
  }),

  getTokenAccountsByOwner: method(2, 3, (node, [owner, filter, options]) => {
    const config = readConfig(options)
    const key = readAddress(owner)
    const form = readAccountForm(config, 'binary')
    const view = readView(node, config)
    const read = node.bank.accountsAt(view.slot)
    const { program, mint } = readTokenFilter(read, filter)
    const found: Json[] = []
    for (const { address, account } of node.bank.programAccountsAt(program, view.slot)) {
      const token = readTokenAccount(account)
      if (token === null || !isSame(token.owner, key) || (mint !== null && !isSame(token.mint, mint)))
        continue
      found.push({ pubkey: encodeBase58(address), account: encodeAccount(account, form, read) })
    }
    return withContext(view, found)
  }),

  getMinimumBalanceForRentExemption: method(1, 2, (node, [dataBytes]) => {
    const bytes = readCount({ dataBytes }, 'dataBytes')
    if (bytes === undefined || bytes > MAX_DATA_BYTES) {
      throw invalidParams(`Invalid params: the data length must be at most ${MAX_DATA_BYTES}.`)
    }
    return node.bank.vm.rentExemption(bytes)
  }),
}

/** Exactly one of `mint` and `programId`, as serde reads an externally tagged enum. */
function readTokenFilter(
  read: ReadAccount,
  value: unknown,
): { program: Uint8Array; mint: Uint8Array | null } {
  const filter: RpcConfig = readConfig(value)
  const [key, ...others] = Object.keys(filter)
  if ((key !== 'mint' && key !== 'programId') || others.length > 0) {
    throw invalidParams('Invalid params: the filter must be an object with one key, `mint` or `programId`.')
  }
  const address = readAddress(filter[key])
  if (key === 'programId') {
    if (!isTokenProgram(address)) throw invalidParams('Invalid param: unrecognized Token program id')
    return { program: address, mint: null }
  }
  const account = read(address)
  if (account === null) throw invalidParams('Invalid param: could not find mint')
  if (readMintDecimals(account) === null) throw invalidParams('Invalid param: not a Token mint')
  return { program: account.owner, mint: address }
}

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
