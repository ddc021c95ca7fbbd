/** Where the parser is meant to differ from a validator's parse, sanitize and signature check: nowhere else. */
import type { WireRefusal } from '../../src/chains/solana/refusals.ts'

interface Difference {
  readonly rule: string
  readonly parser: string
  readonly validator: string
  readonly reason: string
}

interface ExtraRule extends Difference {
  readonly refusal: WireRefusal
}

/** What the parser refuses and a validator's sanitize does not. */
export const EXTRA_RULES: readonly ExtraRule[] = [
  {
    rule: 'R22: a static key occurs twice',
    refusal: 'duplicate_account',
    parser: 'refuses',
    validator: 'refuses when it locks the accounts: `AccountLoadedTwice`',
    reason: 'the bytes show it, so no node has to be asked',
  },
  {
    rule: 'R23: an index of a lookup table is loaded twice',
    refusal: 'duplicate_lookup',
    parser: 'refuses',
    validator: 'refuses when it locks the accounts: `AccountLoadedTwice`',
    reason: 'the bytes show it, so no node has to be asked',
  },
  {
    rule: 'R2: the size of version 1',
    refusal: 'transaction_too_large',
    parser: 'refuses above `MAX_V1_TRANSACTION_BYTES`, 1,232 by default',
    validator: 'takes 4,096 bytes',
    reason: 'the operator decides. The run sets 4,096, and tries the default too',
  },
]

/** What a validator may refuse and the parser does not. */
export const LEFT_TO_NODES: readonly Difference[] = [
  {
    rule: 'R17: more than 255 accounts in an instruction of legacy or version 0',
    parser: 'accepts',
    validator: 'refuses once SIMD-0406 is active',
    reason: 'it depends on the cluster, so a node decides in preflight',
  },
  {
    rule: 'R24: more accounts than may be locked',
    parser: 'accepts',
    validator: 'refuses when it locks the accounts: `TooManyAccountLocks`',
    reason: 'the limit depends on the cluster, so a node decides in preflight',
  },
]
