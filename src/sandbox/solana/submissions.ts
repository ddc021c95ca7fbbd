/**
 * The methods that simulate or send a transaction.
 *
 * Source: anza-xyz/agave rpc/src/rpc.rs (send_transaction, simulate_transaction)
 */

import type { WireTransaction } from '../../chains/solana/wire.ts'
import { encodeOrNull, readAccountForm } from './accounts.ts'
import { describeInner, describeLoaded, describeReturnData, describeTokens } from './describe.ts'
import type { Effects, SimulatedEffects } from './ledger/bank.ts'
import { fundedTransfer } from './ledger/faucet.ts'
import { priceOf } from './ledger/fees.ts'
import type { Json, JsonObject } from './ledger/json.ts'
import {
  invalidParams,
  RpcError,
  readAddress,
  readCommitment,
  readConfig,
  readCount,
  readFlag,
  readList,
} from './ledger/params.ts'
import type { LatestBlockhash } from './ledger/slots.ts'
import { readTransaction, sanitize } from './ledger/transaction.ts'
import type { Verdict } from './ledger/vm.ts'
import { type Method, method, withContext } from './method.ts'
import { readView, viewAt } from './view.ts'

/** A node resolves lookup tables while it sanitises: these are refusals there, not failures. */
const LOOKUP_FAILURES: ReadonlySet<unknown> = new Set([
  'AddressLookupTableNotFound',
  'InvalidAddressLookupTableOwner',
  'InvalidAddressLookupTableData',
  'InvalidAddressLookupTableIndex',
])

export const SUBMISSIONS: Readonly<Record<string, Method>> = {
  sendTransaction: method(1, 2, (node, [transaction, options]) => {
    const config = readConfig(options)
    const skipPreflight = readFlag(config, 'skipPreflight') ?? false
    const preflightCommitment = readCommitment(config, 'preflightCommitment')
    readCount(config, 'maxRetries')
    const sent = readTransaction(transaction, config)
    const { commitment, slot } = viewAt(node, skipPreflight ? 'processed' : preflightCommitment, config)
    sanitize(sent)
    if (!skipPreflight) {
      const rules = { verifySignatures: true, blockhashSeenAt: commitment, slots: node.slots }
      const { verdict } = node.bank.simulate(sent, rules)
      refuseLookups(verdict)
      if (verdict.failure?.err !== 'SignatureFailure') node.checkHealth()
      if (node.landsAfter(slot, sent) && node.slots.isUsable(sent.blockhash, commitment))
        return sent.signature
      if (verdict.failure !== null) {
        const message = `Transaction simulation failed: ${verdict.failure.message}`
        throw new RpcError(-32002, message, simulationResult(verdict, null, null))
      }
    }
    const { clock, blocks } = node.bank
    // While the cluster migrates, blocks hold only votes; while they are full, leaders take the highest bids.
    const isForwarded = node.fault !== 'forget' && !clock.isMigrating
    if (isForwarded && blocks.takes(clock.newest, Number(priceOf(sent.wire)))) {
      refuseLookups(node.bank.process(sent))
    }
    return sent.signature
  }),

  simulateTransaction: method(1, 2, (node, [transaction, options]) => {
    const config = readConfig(options)
    const verifySignatures = readFlag(config, 'sigVerify') ?? false
    const replacesBlockhash = readFlag(config, 'replaceRecentBlockhash') ?? false
    const withInner = readFlag(config, 'innerInstructions') ?? false
    const sent = readTransaction(transaction, config)
    const view = readView(node, config)
    if (replacesBlockhash && verifySignatures) {
      throw invalidParams('sigVerify may not be used with replaceRecentBlockhash')
    }
    sanitize(sent)
    const replacement = replacesBlockhash ? node.slots.latestBlockhash(view.commitment) : null
    const blockhashSeenAt = replacesBlockhash ? null : view.commitment
    const { verdict, effects } = node.bank.simulate(sent, {
      verifySignatures,
      blockhashSeenAt,
      slots: node.slots,
    })
    refuseLookups(verdict)
    return withContext(view, {
      ...simulationResult(verdict, effects, replacement),
      accounts: showAccounts(config.accounts, sent.wire, effects),
      innerInstructions:
        withInner && effects !== null ? describeInner(verdict, effects.accounts, true) : null,
    })
  }),

  requestAirdrop: method(2, 3, (node, [address, amount, options]) => {
    const recipient = readAddress(address)
    const lamports = readCount({ amount }, 'amount')
    readConfig(options)
    if (lamports === undefined) throw invalidParams('Invalid params: the amount must be lamports.')
    if (node.bank.clock.isMigrating)
      throw new RpcError(-32603, 'airdrop request failed: the cluster migrates')
    const sent = fundedTransfer(node.bank, recipient, BigInt(lamports))
    const { failure } = node.bank.process(sent, true)
    if (failure !== null) throw new RpcError(-32603, `airdrop request failed: ${failure.message}`)
    return sent.signature
  }),
}

function refuseLookups({ failure }: Verdict): void {
  if (failure !== null && LOOKUP_FAILURES.has(failure.err)) {
    throw invalidParams(`invalid transaction: ${failure.message}`)
  }
}

function simulationResult(
  verdict: Verdict,
  effects: Effects | null,
  replacement: LatestBlockhash | null,
): JsonObject {
  return {
    err: verdict.failure?.err ?? null,
    logs: verdict.logs,
    accounts: null,
    unitsConsumed: verdict.unitsConsumed,
    loadedAccountsDataSize: null, // the virtual machine does not report it
    returnData: describeReturnData(verdict),
    innerInstructions: null,
    replacementBlockhash: replacement === null ? null : { ...replacement },
    fee: effects?.fee ?? null,
    preBalances: effects?.before.lamports ?? null,
    postBalances: effects?.after.lamports ?? null,
    preTokenBalances: effects === null ? null : describeTokens(effects.before),
    postTokenBalances: effects === null ? null : describeTokens(effects.after),
    loadedAddresses: effects === null ? null : describeLoaded(effects.accounts),
  }
}

/** The requested accounts as they would be afterwards; all null if it failed. */
function showAccounts(value: unknown, wire: WireTransaction, effects: SimulatedEffects | null): Json {
  if (value === undefined || value === null) return null
  const config = readConfig(value)
  const { encoding } = readAccountForm({ encoding: config.encoding }, 'base64')
  if (encoding === 'base58' || encoding === 'binary') throw invalidParams('base58 encoding not supported')
  const wanted = readList(config.addresses, Number.POSITIVE_INFINITY)
  if (wanted.length > wire.accountCount) {
    throw invalidParams(`Too many accounts provided; max ${wire.accountCount}`)
  }
  return wanted.map((address) => {
    const key = readAddress(address)
    return effects === null ? null : encodeOrNull(key, { encoding, slice: undefined }, effects.accountAfter)
  })
}
