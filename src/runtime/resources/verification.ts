import { type Static, Type } from 'typebox'
import { LEVELS } from '../levels.ts'
import { Fee } from './quote.ts'
import { integer, nullable, OPEN, string, UNVERIFIED } from './shared.ts'

const text = (description: string) => Type.Optional(string(description, UNVERIFIED))
const count = (description: string) => Type.Optional(integer(description, UNVERIFIED))
const texts = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { description, ...UNVERIFIED }))

/** What the provers read in the material; each family of chains has its own. */
const FACTS = {
  sender: text('who has to sign'),
  recipient: text('who receives'),
  amountIn: text('base units: what is spent'),
  minOut: text('base units: the least that arrives'),
  minimum: text('base units, across chains: the least that arrives'),
  demands: text('base units, across chains: what an order asks of those who fill it'),
  crosses: text('base units that enter the bridge'),
  router: text('the contract that is called'),
  spender: Type.Optional(nullable(string('of the approval; null without one'), UNVERIFIED)),
  function: text('of the contract'),
  bridge: text('its name'),
  bridges: texts('their names, on Solana'),
  deadline: count('Unix seconds, on EVM chains: later it fails'),
  value: text('base units of the native coin that are sent along'),
  nativeFee: text("wei: a bridge's fee"),
  unreadCalls: count('calls within the swap that only their outcome shows'),
  feePayer: text('on Solana'),
  programs: texts('on Solana: those that are called'),
  computeUnitPrice: text('micro-lamports'),
  priorityLamports: text('what is paid for priority'),
  tipLamports: text('what is paid to land'),
  openedAccounts: count('token accounts that it opens, on Solana'),
  lookupTables: texts('on Solana'),
  instruction: text("of Jupiter's program, or DFlow's"),
  quotedOut: text('base units: what the route expects'),
  slippageBps: count('below `quotedOut`'),
  calls: texts('on Sui: functions'),
  recipients: texts('on Sui: owners of what it leaves'),
  gasBudget: text('on Sui: MIST'),
  to: text('on TON: the contract that gets the message'),
  gas: text('on TON: nanoTON'),
  payloadBytes: count('on TON'),
  bytes: count('of the transaction'),
}

/** How material was verified before it was handed out: docs/verification.md. */
export const Verification = Type.Object(
  {
    level: Type.Enum([...LEVELS], { description: 'the level of verification that the material reached' }),
    checks: Type.Array(Type.String(), { description: 'the rules that were checked and hold' }),
    stated: Type.Array(Type.String(), { description: "facts that rest on the provider's word alone" }),
    ...FACTS,
    fees: Type.Optional(
      Type.Array(Fee, { description: 'that the material takes; the minimum is net of them' }),
    ),
    refundFee: Type.Optional(
      Type.Object(
        {
          bps: integer('of the amount sent, rounded up'),
          amount: string('base units of what is sent'),
        },
        {
          description: 'of an order that somebody has to fill: what a refund costs, if nobody does',
          ...UNVERIFIED,
        },
      ),
    ),
    simulation: nullable(
      Type.Object({
        by: string('how the material was executed'),
        at: nullable(integer('block, slot or checkpoint')),
        changes: Type.Array(Type.Object({ token: Type.String(), amount: Type.String() })),
      }),
    ),
  },
  OPEN,
)

export type Verification = Static<typeof Verification>
