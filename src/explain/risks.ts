/**
 * The risks by their codes: their severity, and the rule that would have to hold. docs/explain.md has the
 * table.
 */
import type { Severity } from './types.ts'

const row = (severity: Severity, rule: string) => ({ severity, rule })

export const RISKS = {
  unlimited_approval: row('danger', 'An approval covers only what one use needs.'),
  approval_to_stranger: row('warning', 'The spender is a known router, or was named.'),
  permit_to_stranger: row('danger', 'The spender of a signed permit is a known router, or was named.'),
  delegate_to_stranger: row('danger', 'A token account has no delegate, except one that was named.'),
  operator: row('danger', 'Nobody else may move all tokens of a collection, now or later.'),
  foreign_permit: row(
    'danger',
    "A permit that somebody else signed is not spent in the owner's transaction.",
  ),
  owner_change: row('danger', 'The owner keeps the account.'),
  unfinished_account: row('warning', 'What makes an account also says whose it is.'),
  account_assigned: row('danger', "The wallet's own account stays with the System program, without data."),
  authority_change: row('danger', 'Authorities over tokens, programs and accounts stay with the owner.'),
  close_authority: row('danger', 'Nobody else may close the account.'),
  close_to_stranger: row('danger', 'What a closed account holds goes to the owner.'),
  stake_authority: row('danger', 'The owner keeps the right to stake and to withdraw.'),
  durable_nonce: row(
    'danger',
    'A signature expires within minutes; a durable nonce lets it be sent at any time.',
  ),
  nonce_authority: row('danger', "The owner's nonce accounts stay with the owner."),
  fee_payer: row('warning', 'The owner pays the fee, and nobody else decides when it is sent.'),
  other_signer: row('warning', 'Nobody else signs.'),
  not_signer: row('warning', 'The owner signs what is explained.'),
  recipient_unknown: row('warning', 'The recipient was named as known to the wallet.'),
  lookalike_address: row('danger', 'No address looks like one that the wallet knows but differs from it.'),
  refused_address: row('danger', "No address is on the operator's list (SANCTIONS_FILE)."),
  unknown_call: row('warning', "Whatever gets the wallet's signature is known."),
  upgrade: row('danger', 'Code is not replaced.'),
  guard_off: row('warning', 'Protections of an account stay on.'),
  many_assets: row('danger', 'One transaction does not empty a wallet of several assets.'),
  burn: row('warning', 'Nothing is destroyed.'),
  no_minimum: row('danger', 'A swap or a sale names the least that must arrive.'),
  high_fee: row('danger', 'Fees are a small part of what is moved.'),
  whole_balance: row('danger', 'An amount says what leaves; nothing takes the whole balance.'),
  foreign_recipient: row('danger', 'What the owner pays for goes to the owner.'),
  delegated_account: row('danger', "The account's code stays its own (EIP-7702)."),
  delegatecall: row('danger', 'No foreign code runs in the name of the account.'),
  account_control: row('danger', 'Control of the account does not change.'),
  order_for_nothing: row('danger', 'What is offered is paid for, and the payment goes to the owner.'),
  blind_signature: row('danger', 'What is signed can be read; a hash could stand for anything.'),
  claim_with_payment: row('danger', 'Nothing is paid to claim something.'),
  sender_text: row('warning', "The text of a comment or a memo is only its writer's word."),
  token_power: row('warning', "A token's creators have no power over its holders."),
  other_chain: row('danger', "What is signed is valid only on the wallet's chain."),
  every_chain: row('warning', 'A signature names the chain that it is good on.'),
  every_contract: row('warning', 'A signature names the contract that it is good for.'),
  malformed: row('danger', 'A transaction has one encoding, which everybody reads the same way.'),
  permission_left: row('danger', 'Executing it leaves nobody with a new permission.'),
  simulation_failed: row('warning', 'It can be executed now.'),
  unexplained_outflow: row('danger', 'Executing it takes only what its parts say.'),
  market_price: row('warning', 'The owner has judged the price of a sale.'),
} as const satisfies Record<string, { severity: Severity; rule: string }>

export type RiskCode = keyof typeof RISKS
