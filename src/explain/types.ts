/**
 * The types of explanations. They import nothing: the packed module `@swapgate/client/verify` has them, too. Amounts
 * are base units in decimal, addresses in the canonical spelling of their family.
 */

/**
 * An EVM transaction that is not serialized, as `eth_sendTransaction` takes it. Quantities are 0x hex:
 * wallets read other texts differently. Members that aren't listed here are reported as not read.
 */
export interface EvmCall {
  readonly from?: string | null
  /** Absent: a contract is created. */
  readonly to?: string | null
  readonly data?: string | null
  /** The same as `data`, by its newer name. */
  readonly input?: string | null
  readonly value?: Quantity
  readonly gas?: Quantity
  /** The same as `gas`. */
  readonly gasLimit?: Quantity
  readonly gasPrice?: Quantity
  readonly maxFeePerGas?: Quantity
  readonly maxPriorityFeePerGas?: Quantity
  readonly nonce?: Quantity
  readonly chainId?: Quantity
  readonly type?: Quantity
  readonly accessList?:
    | readonly { readonly address: string; readonly storageKeys: readonly string[] }[]
    | null
  /** EIP-7702. */
  readonly authorizationList?:
    | readonly { readonly chainId?: Quantity; readonly address: string; readonly nonce?: Quantity }[]
    | null
  /** EIP-5792, as `wallet_sendCalls` takes it: each call with the members next to it. */
  readonly calls?: readonly Omit<EvmCall, 'calls'>[]
  readonly version?: string
  readonly id?: string
  readonly atomicRequired?: boolean
}

type Quantity = string | number | bigint | null

/** One message of TON Connect's `sendTransaction`. */
export interface TonMessageToExplain {
  readonly address: string
  /** nanoTON, decimal. */
  readonly amount: string
  /** base64 BOC. */
  readonly payload?: string
  /** base64 BOC. */
  readonly stateInit?: string
  /** The send mode, if the wallet knows it. Absent: 3. */
  readonly mode?: number
}

/** The whole of what TON Connect's `sendTransaction` takes. */
export interface TonRequestToExplain {
  readonly messages: readonly TonMessageToExplain[]
  /** Unix time, s. */
  readonly valid_until?: number
  readonly validUntil?: number
  /** -239, of the main network. */
  readonly network?: string
  readonly from?: string
}

/** One of `transaction`, `call`, `typedData` and `messages`. */
export interface ExplainRequest {
  /** A chain key. */
  readonly chain: string
  /**
   * Solana and Sui: base64. EVM: the serialized transaction in hex, signed or not. TON: the body of a message to
   * the wallet in base64 BOC, as wallets of version 3, 4 and 5 sign it.
   */
  readonly transaction?: string
  readonly call?: EvmCall
  /** EIP-712, as `eth_signTypedData_v4` takes it. */
  readonly typedData?: Readonly<Record<string, unknown>>
  readonly messages?: readonly TonMessageToExplain[] | TonRequestToExplain
  /** The wallet that is to sign. Absent: the payer or sender in the bytes. */
  readonly owner?: string
  /**
   * Addresses that the wallet knows: it paid them before, or its user named them. Lookalikes are reported.
   */
  readonly recent?: readonly string[]
  /** Functions of contracts, in Solidity's notation: `function claim(uint256 id, address to)`. */
  readonly abi?: readonly string[]
}

/** What one part of a transaction does. Null if the action has no such member, or the bytes do not show it. */
export interface Action {
  /** `transfer`, `approve`, `permit`, `revoke`, `swap`, `authority`, `nonce` and others; see docs/explain.md. */
  readonly kind: string
  readonly words: string
  /** The program, contract or package that is called. */
  readonly program: string | null
  /** A token's address, `native`, or null. */
  readonly asset: string | null
  readonly amount: string | null
  readonly from: string | null
  readonly to: string | null
  readonly spender: string | null
  /** More in the words of a descriptor (ERC-7730) or of the ABI: display, never evidence. */
  readonly fields: Readonly<Record<string, string>> | null
}

/**
 * One effect of an action on what somebody owns. `pays`: the holder loses it. `cost`: gas, a fee or a tip.
 * `account`: a remaining account locks it as rent. `permission`: `to` may take it later. `control`: `to`
 * owns, signs for or guards `asset` from then on. `destroys`: nobody has it any more.
 */
export interface Effect {
  /** The index of the action; null for the transaction as a whole. */
  readonly action: number | null
  readonly kind: 'pays' | 'receives' | 'cost' | 'permission' | 'control' | 'account' | 'destroys'
  /** Who loses, receives, pays or hands over. Null if the bytes do not show it. */
  readonly holder: string | null
  /** A token's address, `native`, or what control is over; null if the bytes do not show it. */
  readonly asset: string | null
  /**
   * Base units; null: everything there is, or, for a cost, that no byte bounds it. For a receipt, the
   * minimum.
   */
  readonly amount: string | null
  /** The recipient, the spender or the controller. Null: nobody, or somebody whom the bytes do not name. */
  readonly to: string | null
  /** What for, or which power: `rent`, `priority fee`, `ownership of the account`. */
  readonly what?: string
  /** When a permission ends, Unix time in s; absent if it stays until it is revoked. */
  readonly until?: string
}

/** A part that was not read. */
export interface UnknownPart {
  /** Which: `instruction 3`, `call 1.2`, `recipient`. */
  readonly where: string
  readonly why: string
  /** Hex, 0x; cut after 256 bytes. Null if not the bytes are unknown, but an address's owner. */
  readonly bytes: string | null
}

/**
 * `danger` gives away or loses something; `warning` has to be judged by the signer; `info` is informational.
 */
export type Severity = 'danger' | 'warning' | 'info'

export interface Risk {
  /** Stable, snake_case: a row of the table in docs/explain.md. */
  readonly code: string
  readonly severity: Severity
  /** This case. */
  readonly reason: string
  /** The rule that would have to hold. */
  readonly rule: string
  /** The index of the action; null for the transaction as a whole. */
  readonly action: number | null
}

/** An address's gain, or loss if negative. */
export interface Change {
  readonly token: string
  readonly amount: string
}

/** What executing it at a node showed. */
export interface ExplainedExecution {
  readonly by: string
  /** Block, slot or checkpoint. */
  readonly at: number | null
  /** Of the owner's balances. */
  readonly changes: readonly Change[]
}

export interface Explanation {
  readonly chain: string
  readonly family: 'evm' | 'solana' | 'sui' | 'ton'
  readonly owner: string | null
  /**
   * `danger`: a risk of that severity was found. `unknown`: some part was not read, or has to be judged by
   * the signer. `known`: every byte was read, every power is named and goes to an address that the wallet
   * knows. None of them says that it is safe.
   */
  readonly verdict: 'danger' | 'unknown' | 'known'
  /** One sentence, written from the effects. */
  readonly summary: string
  readonly actions: readonly Action[]
  /** All that the actions do; the verdict is computed from them. */
  readonly effects: readonly Effect[]
  readonly unknown: readonly UnknownPart[]
  readonly risks: readonly Risk[]
  /** Null if no node was asked, or none could execute it. */
  readonly simulation: ExplainedExecution | null
}

/** What a wallet provides itself. */
export interface ExplainOptions {
  /** The contents of Solana's lookup tables, by table; null for one that cannot be read. */
  tables?(tables: readonly string[]): Promise<ReadonlyMap<string, readonly string[] | null>>
  /** Whether the wallet refuses an address, in the family's canonical spelling. */
  isRefused?(address: string): boolean
  /** ERC-7730 descriptors by their paths, which describe calls that are unknown here. */
  readonly descriptors?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Executes it at the wallet's own node; null if it cannot be. */
  execute?(request: ExplainRequest): Promise<ExplainedExecution | null>
}
