/**
 * The verification rules in plain words. Each says what holds when the check passed;
 * after a refusal, it is what did not hold.
 */
const RULES: Readonly<Record<string, string>> = {
  accounts: 'Every account in the simulation is identified.',
  amount: 'Spends exactly what you entered.',
  approval: 'The approval is for exactly the amount and the contract that spends it.',
  associated_account: 'The token accounts it opens belong to the wallet.',
  authority: 'Only the wallet itself moves its tokens.',
  bridge: 'The bridge is known.',
  bridge_order: "The bridge's order matches yours.",
  bridge_swap: "The bridge's own swap gives the token you ordered.",
  calldata: 'Every byte of the call is decoded; none is hidden after it.',
  chain: 'It is for the chain you chose.',
  chain_id: 'It is for the chain you chose.',
  close_destination: 'The balance of a closed account returns to the wallet.',
  coins: 'Every coin that is not spent returns to the wallet.',
  command: 'It has only the steps that a swap needs.',
  compute_budget: 'Its compute budget is set once and within bounds.',
  compute_unit_price: 'Its compute unit price is within bounds.',
  custom_payload: 'It carries no message to another contract.',
  deadline: 'It expires in time.',
  decimals: 'The provider counts the tokens in the decimals that other sources agree on.',
  deposit: 'The deposit at the bridge is what you ordered.',
  destination_account: "The received tokens go to the wallet's own account.",
  destination_call: 'Nothing else is called on the destination chain.',
  destination_chain: 'It arrives on the chain you chose.',
  encoding: "It has its chain's canonical encoding.",
  executor: "The executor is one of the router's own.",
  fee: 'No fee exceeds its bound.',
  fee_payer: 'The wallet itself pays the fee.',
  fees: 'No fee exceeds its bound, or what your quote states.',
  flags: 'It swaps all or nothing, without unusual options.',
  from: 'It is sent by your wallet.',
  function: 'The called function can be decoded completely.',
  gas: 'Its gas limit is within bounds.',
  gas_owner: 'The wallet pays its own gas.',
  input: 'Every input it uses is known.',
  instruction: 'It swaps exactly once, with an instruction that can be decoded.',
  jetton_wallet: "The paying token account is the wallet's own.",
  kind: 'It is the kind of transaction that was requested.',
  lookup_table: 'The lookup tables that it names are on the chain, with all that it takes from them.',
  minimum: 'At least the minimum of your quote arrives, or it fails.',
  mints: 'It swaps the two tokens of your order, and no others.',
  opened_accounts: 'It opens no more accounts than the swap needs.',
  operation: 'It is a swap, and nothing else.',
  outcome: 'Simulating it showed the outcome.',
  package: 'All code it calls is known.',
  parse: 'It decodes to its last byte.',
  payload: 'Its message decodes to its last byte.',
  permission: 'It leaves nobody a permission to spend more.',
  permit: 'It uses no signed permit for another approval.',
  platform_fee: 'Jupiter takes no more than the fee of your quote.',
  pools: 'Its pools begin and end with the two tokens of your order.',
  positive_slippage: 'You keep any gain over the quote.',
  priority_fee: 'Its priority fee is within bounds.',
  program: 'Every program it calls is known.',
  quoted_amount: 'Its quoted amount is that of your quote.',
  received_token: 'It buys the token you ordered.',
  recipient: 'The received tokens go to your wallet and to nobody else.',
  referral: 'Nobody is paid a referral fee.',
  refund: 'What cannot be swapped returns to the wallet.',
  route: 'Its route can be decoded and stays within the known instruction.',
  router: 'The called contract is known.',
  selector: 'The called function is known.',
  sender: 'It is sent by your wallet.',
  sent_token: 'It spends the token you ordered to spend and no other.',
  signers: 'Only your wallet signs.',
  simulation: 'In the simulation no more than ordered left the wallet, and no less than the minimum arrived.',
  size: 'It is no larger than its chain accepts.',
  slippage: 'Its slippage is no larger than yours.',
  source_account: "The spent tokens come from the wallet's own account.",
  source_chain: 'It starts on the chain you chose.',
  source_swaps: 'Swaps before the bridge start with the token you ordered to spend.',
  spender: 'Only the swapping contract may spend the amount.',
  state_init: 'It deploys no contract.',
  swap_target: 'The called exchange is known.',
  system_instruction: 'It does nothing else with the wallet: no other transfer, no change of owner.',
  taker: 'Only the expected taker may fill the order.',
  to: 'It goes to a known contract.',
  token_instruction: 'It does nothing else with tokens: no approval, no transfer, no change of owner.',
  token_program: 'Each token is moved by its own token program.',
  tokens: 'It swaps the two tokens of your order, and no others.',
  transfer_amount: 'It wraps no more coins than it spends.',
  transfer_destination: "Coins go only to the wallet's own account.",
  unsigned: 'Nobody has signed it before you.',
  unwrap: 'Wrapped coins return to the wallet unwrapped.',
  valid_until: 'It expires in time.',
  value: 'It carries the coins you spend and no more.',
  version: 'It is of a version whose costs are all in its instructions.',
}

/** @returns null for a rule that this version has no description of */
export const ruleInWords = (rule: string): string | null => (Object.hasOwn(RULES, rule) ? RULES[rule]! : null)

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

/** @returns the weakest of them; what is not a level counts as `stated` */
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

/** Rules by what they are about, without the groups that none of them is in. */
export function groupsOf(rules: readonly string[]): readonly (readonly [group: string, rules: string[]])[] {
  const groups = new Map<string, string[]>([...Object.keys(GROUPS), FORM].map((group) => [group, []]))
  for (const rule of rules) {
    const group = Object.keys(GROUPS).find((one) => GROUPS[one]!.split(' ').includes(rule))
    groups.get(group ?? FORM)!.push(rule)
  }
  return [...groups].filter(([, some]) => some.length > 0)
}
