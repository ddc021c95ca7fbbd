/**
 * Proves a Sui transaction that a provider built: it is the BCS of exactly one
 * TransactionData, a programmable transaction that `from` sends and pays for.
 * The proof follows every value from its origin to its destination.
 *
 * The wallet's own coins are the gas coin, the objects among the inputs, and what is
 * redeemed from its address balance. They may only be split, by amounts that are in
 * the bytes and add up to no more than the input, merged with one another, or given to
 * the wallet; a redeemed coin has its amount in the bytes too, so it may be passed
 * whole. Split coins may go into calls of listed functions; the results may go into
 * other calls or to the wallet. So the bytes bound what leaves the wallet. They do not
 * always bound what comes back:
 * - Cetus V3, Cetus V2 and 7k's settlement check a minimum on chain. If the
 *   transaction contains such a check, its minimum is proved and the checked coin
 *   is followed to the wallet.
 * - Across chains the minimum is in Mayan's order, or is the burnt amount: see mctp.ts.
 * - Otherwise the minimum is only stated by the provider, and the material is not
 *   above the level `stated`: a simulation shows what a pool gives today.
 *
 * The bytes do not show what a Move function does with a coin, so the transaction
 * is simulated in both cases.
 *
 * Source: §4.6, §4.7 · MystenLabs/sui crates/sui-types/src/transaction.rs
 */

import { decodeBase64 } from '../../runtime/base64.ts'
import { MAX_SUI_GAS_PRICE, MAX_SUI_MESSAGE_FEE, suiGasBudget } from '../terms/fees.ts'
import { tokenOf } from '../terms/order.ts'
import { type Proof, refuseMaterial } from '../terms/verification.ts'
import checks from './checks.json' with { type: 'json' }
import { type SuiClaim, type SuiCrossChain, worthOf } from './claim.ts'
import { mctpCall } from './mctp.ts'
import { isListed } from './packages.ts'
import { parseSuiTransaction, type SuiTransaction } from './ptb.ts'
import { ValueFlow } from './value-flow.ts'

/** max_tx_size_bytes of the protocol configuration. */
const MAX_BYTES = 128 * 1024

/**
 * @throws GatewayError  material_refused, with the rule: one of the checks, sent_token, received_token, minimum
 *                       or those of mctpTerms
 */
export function proveSui(base64: string, claim: SuiClaim): Proof {
  // Serialized transaction JSON is a builder's format. Wallets sign the BCS bytes.
  const bytes = decodeBase64(base64)
  if (bytes === null || bytes.length === 0) throw refuseMaterial('encoding')
  if (bytes.length > MAX_BYTES) throw refuseMaterial('size')
  const transaction = parseSuiTransaction(bytes)
  if (transaction === null) throw refuseMaterial('parse')
  if (transaction === 'system') throw refuseMaterial('kind')
  proveFrame(transaction, claim)

  const found = new ValueFlow(transaction, claim).prove()
  const { from, coinIn, amountIn, minOut, out } = claim
  const { gasBudget, commands } = transaction
  return {
    checks: [...checks, ...found.checks],
    ...(found.stated.length > 0 && { stated: found.stated }),
    agreed: {
      spends: { token: tokenOf(coinIn), atMost: amountIn },
      receives: out.kind === 'swap' ? { token: tokenOf(out.coin), atLeast: minOut } : null,
      atMostNativeFees: found.messageFee,
      atMostGas: gasBudget,
    },
    sender: from,
    bytes: bytes.length,
    gasBudget: gasBudget.toString(),
    calls: commands.flatMap((command) =>
      command.kind === 'call' ? `${command.package}::${command.name}` : [],
    ),
    recipients: [...found.recipients],
    ...found.facts,
  }
}

/** @returns the packages that a transaction calls and no table has, each once; none if it cannot be read */
export function unlistedPackages(base64: string, { packages }: Pick<SuiCrossChain, 'packages'>): string[] {
  const bytes = decodeBase64(base64)
  const transaction = bytes === null || bytes.length > MAX_BYTES ? null : parseSuiTransaction(bytes)
  if (transaction === null || transaction === 'system') return []
  const calls = transaction.commands.flatMap((command) =>
    command.kind === 'call' && !isListed(command.package) && mctpCall(command, packages) === null
      ? [command.package]
      : [],
  )
  return [...new Set(calls)]
}

/** Checks the sender, the gas owner and the gas bounds, and refuses commands that publish code. */
function proveFrame(transaction: SuiTransaction, claim: SuiClaim): void {
  const { from, coinIn, amountIn, out } = claim
  const { sender, gasOwner, gasPrice, gasBudget, commands, inputs } = transaction
  if (sender !== from) throw refuseMaterial('sender')
  // An unknown sponsor would have to sign as well.
  if (gasOwner !== from) throw refuseMaterial('gas_owner')
  if (gasBudget > suiGasBudget(worthOf(claim)) || gasPrice > MAX_SUI_GAS_PRICE) throw refuseMaterial('gas')
  if (commands.some(({ kind }) => kind === 'publish' || kind === 'upgrade')) throw refuseMaterial('command')
  // A swap needs no objects sent to the wallet's objects.
  if (inputs.some(({ kind }) => kind === 'receiving')) throw refuseMaterial('input')
  // Only the sold coin may come out of an address balance, and only the sender's.
  const withdrawals = inputs.filter((input) => input.kind === 'withdrawal')
  if (withdrawals.some(({ type, from }) => type !== coinIn.address || from !== 'sender'))
    throw refuseMaterial('input')
  const beside = out.kind === 'cross-chain' && coinIn.isNative ? MAX_SUI_MESSAGE_FEE : 0n
  if (withdrawals.reduce((sum, { amount }) => sum + amount, 0n) > amountIn + beside)
    throw refuseMaterial('amount')
}
