/**
 * Explains a Sui transaction: every value is followed from its source to its last holder. The bytes do not
 * show what an object is; a call of an unknown package may keep everything it is given.
 *
 * Source: proof/sui/ptb.ts
 */

import { parseSuiTransaction } from '../../proof/sui/ptb.ts'
import { decodeBase64 } from '../../runtime/base64.ts'
import type { Findings } from '../findings.ts'
import { costs } from '../ledger.ts'
import { SuiValues } from './values.ts'

/** Commands between two looks at the clock. */
const COMMANDS_A_TURN = 16

/** @param turn  lets others have the thread */
export async function explainSui(base64: string, found: Findings, turn?: () => Promise<void>) {
  const bytes = decodeBase64(base64)
  const transaction = bytes && parseSuiTransaction(bytes)
  if (transaction === null || transaction === 'system')
    return found.leave('transaction', 'it is no transaction that a wallet signs', bytes)
  found.owner ??= transaction.sender
  if (!found.isOwn(transaction.sender)) found.riskOfAll('not_signer', `${transaction.sender} sends this.`)
  const { gasOwner, gasBudget } = transaction
  if (gasOwner !== transaction.sender)
    found.riskOfAll('fee_payer', `${gasOwner} pays for gas, and signs as well.`)
  found.state(costs(gasOwner, 'native', gasBudget, null, { what: 'gas' }), true)
  const values = new SuiValues(transaction, found)
  for (const [i, command] of transaction.commands.entries()) {
    if (i % COMMANDS_A_TURN === 0) await turn?.()
    values.run(`command ${i + 1}`, command)
  }
}
