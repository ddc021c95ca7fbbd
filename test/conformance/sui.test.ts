/**
 * A Sui transaction that a provider's API answered: its deposit to a bridge
 * that keeps its books elsewhere. It is read whole, and refused, because the
 * bytes do not say whom the deposit is for.
 */
import t from 'tap'
import { parseSuiTransaction, type SuiTransaction } from '../../src/proof/sui/ptb.ts'
import { proveSui } from '../../src/proof/sui/sui.ts'
import type { GatewayError } from '../../src/runtime/errors.ts'
import { SUI, USDC } from '../fixtures/sui.ts'
import { readVectorLines, skipWithout } from '../fixtures/vectors.ts'

const SAMPLES = 'calldata/samples.jsonl'

interface Sample {
  readonly family: string
  readonly data: string
  readonly fields: Readonly<Record<string, unknown>>
}

t.test("a provider's deposit", { skip: skipWithout(SAMPLES) }, async (t) => {
  const samples = readVectorLines<Sample>(SAMPLES).filter(({ family }) => family === 'sui')
  t.equal(samples.length, 1)
  for (const { data, fields } of samples) {
    const sender = String(fields.sender)
    const transaction = parseSuiTransaction(Buffer.from(data, 'base64'))
    t.match(transaction, {
      sender,
      gasOwner: sender,
      gasBudget: BigInt(String(fields.budget)),
      commands: [{ kind: 'split', coin: { kind: 'gas' } }, { kind: 'transfer' }],
    })
    t.equal((transaction as SuiTransaction).gasCoins.length, fields.gasPayments)
    const claim = {
      from: sender,
      coinIn: SUI,
      amountIn: BigInt(String(fields.amount)),
      minOut: 1n,
      out: { kind: 'swap', coin: USDC },
    } as const
    const ruleOf = (changed: object): unknown => {
      try {
        return proveSui(data, { ...claim, ...changed })
      } catch (error) {
        return (error as GatewayError).fields.rule
      }
    }
    t.equal(ruleOf({}), 'recipient', `${fields.transferTo} is no wallet of the sender’s`)
    t.equal(ruleOf({ amountIn: claim.amountIn - 1n }), 'amount')
    t.match(ruleOf({ from: USDC.address.slice(0, 66) }), 'sender')
  }
})
