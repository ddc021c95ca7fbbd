/** How far a build is verified, and its rules by subject. */
export type ProofLevel = 'proved' | 'simulated' | 'stated'

interface LevelWords {
  readonly word: string
  readonly text: string
}

/** The strongest first. */
export const LEVELS: Readonly<Record<ProofLevel, LevelWords>> = {
  proved: {
    word: 'Proved',
    text: 'Proved from the transaction itself. No provider or node had to be trusted.',
  },
  simulated: {
    word: 'Simulated',
    text: 'The transaction proves everything but the outcome, which a node showed by running it.',
  },
  stated: { word: "Provider's claim", text: 'Something that matters rests on its provider alone.' },
}

/** @returns the weakest of them; an unknown level counts as `stated` */
export function weakestOf(levels: readonly string[]): ProofLevel {
  const order = Object.keys(LEVELS) as ProofLevel[]
  const ranks = levels.map((level) => order.indexOf(level as ProofLevel))
  return ranks.length === 0 || ranks.includes(-1) ? 'stated' : order[Math.max(...ranks)]!
}

const GROUPS: Readonly<Record<string, string>> = {
  'Who receives':
    'associated_account close_destination coins destination_account destination_call destination_chain jetton_wallet received_token recipient refund transfer_destination unwrap',
  'How much':
    'amount compute_budget compute_unit_price decimals deposit fee fees gas minimum opened_accounts outcome platform_fee positive_slippage priority_fee quoted_amount sent_token simulation slippage transfer_amount value',
  'Who can take more':
    'approval authority executor fee_payer from gas_owner package permission permit program referral router sender signers source_account spender state_init swap_target system_instruction taker to token_instruction unsigned',
}

const FORM = 'Form'

/** Rules by subject, without empty groups. */
export function groupsOf(rules: readonly string[]): readonly (readonly [group: string, rules: string[]])[] {
  const groups = new Map<string, string[]>([...Object.keys(GROUPS), FORM].map((group) => [group, []]))
  for (const rule of rules) {
    const group = Object.keys(GROUPS).find((one) => GROUPS[one]!.split(' ').includes(rule))
    groups.get(group ?? FORM)!.push(rule)
  }
  return [...groups].filter(([, some]) => some.length > 0)
}
