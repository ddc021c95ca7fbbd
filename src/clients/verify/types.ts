/**
 * The types of `@swapgate/client/verify`. They import only the client's: the package is installed without the
 * service's files.
 */
import type { EvmBuild, Verification } from '../client/generated/operations.ts'

export type Hex = `0x${string}`

/** How much is sold; one of the two at least. */
export interface Sold {
  /** As the user typed it: a decimal, such as 12.5. */
  readonly amount?: string | undefined
  /**
   * Base units, decimal. Together with an `amount` it implies the token's decimals: they have to agree with
   * the known ones, and if none are known, the verdict says that they are stated.
   */
  readonly amountIn?: string
}

/** A swap on one chain, in the words of POST /api/build. */
export interface SwapOrder extends Sold {
  readonly chain: string
  readonly side: 'buy' | 'sell'
  readonly token: string
  /** The token on the other side. Absent: the native coin. */
  readonly against?: string | undefined
  readonly from: string
  /**
   * In place of `amount`: exactly what has to arrive, a decimal. `amountIn` is then the most that may leave, and `minOut`
   * the same output in base units.
   */
  readonly amountOut?: string | undefined
  /** On EVM chains and Solana: the wallet that the output has to go to. Absent: `from`. */
  readonly receiver?: string | undefined
  /** The least that may arrive, in base units, as the wallet computed or its user accepted it. */
  readonly minOut: string
  /** On Solana: the wallet's nonce account, with which the transaction has to begin. Absent: it has a blockhash. */
  readonly nonce?: string
  /** With `nonce`: the transaction has to advance it, and do nothing else. */
  readonly cancel?: boolean
  /** Whether it was asked for with `guards`: they have to be there, and demand the minimum. */
  readonly guards?: boolean
}

/** A swap to another chain, in the words of GET /api/xquote. */
export interface CrossChainOrder extends Sold {
  readonly fromChain: string
  readonly toChain: string
  /** Absent: the native coin. */
  readonly fromToken?: string
  readonly toToken?: string
  readonly from: string
  /** Absent: `from`. */
  readonly to?: string
  /**
   * The value of what is sold, in base units of the native coin: fees in the native coin may then be a tenth
   * of it at most. Without it only a flat bound holds for tokens; `facts` has the fees.
   */
  readonly worth?: string
  /**
   * What the user was shown as expected, in base units: an order that demands more is never filled, and is
   * refunded for a fee. Without it `demands` is stated if it is over 3 % more than `minOut`.
   */
  readonly expectedOut?: string
  /** The least that may arrive, in base units, as the wallet computed or its user accepted it. */
  readonly minOut: string
  /** Whether it was asked for with `guards`: from Solana they have to be there. */
  readonly guards?: boolean
}

/**
 * What a wallet's own nodes report of TON's contracts; null if they do not agree, or cannot be asked.
 * Addresses are friendly and bounceable.
 */
export interface TonWitness {
  /**
   * A jetton's wallet contract of an owner.
   * @param isSold  the wallet must confirm its jetton as well: the master may belong to an attacker
   */
  walletOf(master: string, owner: string, isSold: boolean): Promise<string | null>
  /** The hash of the code that a contract runs now: 64 hex digits. */
  codeOf(account: string): Promise<string | null>
  /** The two assets of a DeDust pool, in its order; null in a pair is TON. */
  assetsOf(pool: string): Promise<readonly [string | null, string | null] | null>
  /** The jetton wallet from which alone a DeDust vault takes payments. */
  vaultWalletOf(vault: string): Promise<string | null>
}

/** The wallet's gain, or loss if negative. */
export interface BalanceChange {
  /** An address as the chain's family writes it; null for the native coin. */
  readonly token: string | null
  /** Base units. */
  readonly amount: bigint
}

/** The outcome of executing a transaction at the wallet's own node, without sending it. */
export interface Execution {
  /** All balances of the wallet that changed, the native coin's with what gas took. */
  readonly changes: readonly BalanceChange[]
  /** The network's fee in the native coin; null if the node does not report it. */
  readonly gas: bigint | null
}

export interface Trust {
  /**
   * The decimals of a token that is neither a native coin nor a stablecoin that the module knows. Null if it
   * is not known; they are stated then.
   * @param chainId  of an EVM chain; null on others
   */
  decimals?(chain: string, token: string, chainId: number | null): Promise<number | null>
  /** Executes the material; null if it cannot be. Without it, Sui and bridges on Solana stay `stated`. */
  execute?(chain: string, transaction: string): Promise<Execution | null>
  /** Asks TON which contracts there are. Without it, swaps there stay `stated`. */
  readonly ton?: TonWitness
}

export interface VerifyOptions {
  readonly trust?: Trust
  /**
   * What the user agreed to trust the gateway with, by the names in `stated`: decimals, outcome, router and
   * so on. Anything neither proved nor named here is refused.
   */
  readonly accept?: readonly string[]
  /** Unix time in milliseconds. Absent: the device's clock. */
  readonly now?: () => number
}

/** Weakest first: a claim, executing the material, or its bytes alone. */
export type Level = 'stated' | 'simulated' | 'proved'

/** The approval that the token needs, before the transaction can take it. */
export type Approval = Readonly<NonNullable<EvmBuild['approval']>>

/** EIP-1193: the parameter of `eth_sendTransaction`. The wallet sets nonce and gas. */
export interface EvmTransaction {
  readonly from: Hex
  readonly to: Hex
  readonly data: Hex
  /** Wei, a hex quantity. */
  readonly value: Hex
  /** A hex quantity: switch the wallet to this chain. */
  readonly chainId: Hex
}

/** EIP-5792: the parameter of `wallet_sendCalls`. */
export interface EvmCalls {
  readonly version: '2.0.0'
  readonly chainId: Hex
  readonly from: Hex
  readonly atomicRequired: boolean
  readonly calls: readonly { readonly to: Hex; readonly data: Hex; readonly value: Hex }[]
}

/** TonConnect's `sendTransaction`; `validUntil` is in Unix seconds. */
export interface TonConnectRequest {
  readonly validUntil: number
  readonly network: '-239'
  readonly from: string
  readonly messages: readonly [
    {
      readonly address: string
      /** nanoTON, decimal. */
      readonly amount: string
      /** base64 BOC. */
      readonly payload: string
      readonly stateInit?: string
    },
  ]
}

/** The only thing to sign: written from what was proved and from the module's own table of chains. */
export interface EvmSend {
  readonly family: 'evm'
  readonly chainId: number
  /** The approval that the token needs, with which `transactions` and `calls` begin. */
  readonly approval: Approval | null
  /** One after the other: approvals, then the swap. */
  readonly transactions: readonly EvmTransaction[]
  /** The same at once; with guards, the check of the minimum comes last, which `transactions` lack. */
  readonly calls: EvmCalls
}

export type Send =
  | EvmSend
  | { readonly family: 'solana' | 'sui' /** base64 */; readonly transaction: string }
  | { readonly family: 'ton'; readonly request: TonConnectRequest }

/** An amount of a token. `decimals` is null if neither the module nor `trust` knows them. */
export interface Amount {
  readonly token: string
  /** Base units, decimal. */
  readonly amount: string
  readonly decimals: number | null
}

/**
 * What is proved, to show before it is signed. Fees, spender, deadline, gas and bridge are the family's own; amounts
 * are in base units.
 */
export interface Facts extends Partial<Omit<Verification, 'level' | 'checks' | 'stated' | 'simulation'>> {
  readonly spends: Amount
  readonly receives: Omit<Amount, 'amount'> & {
    /** Base units, decimal. */
    readonly atLeast: string
    readonly recipient: string
  }
}

export interface Confirmed {
  readonly isVerified: true
  /**
   * `proved` by its bytes, `simulated` by executing it, or `stated`: then the rest is claimed, and `stated`
   * says what.
   */
  readonly level: Level
  /** The rules that hold. */
  readonly checks: readonly string[]
  /** What relies on the gateway, as the caller accepted. */
  readonly stated: readonly string[]
  /** Members of `trust` that would prove more. */
  readonly needs: readonly ('decimals' | 'execute' | 'ton')[]
  readonly facts: Facts
  readonly send: Send
}

export interface Refused {
  readonly isVerified: false
  /** Stable, snake_case: the rule that the answer breaks, or the code of what is wrong with the order. */
  readonly rule: string
  readonly message: string
  /** What relies on the gateway and was not accepted; `needs` would prove it. */
  readonly stated?: readonly string[]
  readonly needs?: Confirmed['needs']
}

export type Verdict = Confirmed | Refused

/** See `verify`. */
export interface Verify {
  (order: SwapOrder | CrossChainOrder, built: unknown, options?: VerifyOptions): Promise<Verdict>
  readonly signed: VerifySigned
}

/** A difference between what was built and what was signed. */
export interface SignedChange {
  /** Stable, snake_case: see docs/verify.md. */
  readonly kind: string
  /** Whether the wallet gets what was ordered in spite of it, and pays for nothing else. */
  readonly isAllowed: boolean
  /** What it does, after "The signed transaction". */
  readonly words: string
}

export interface VerifySignedOptions extends VerifyOptions {
  /** The contents of Solana's lookup tables: needed only for wallets that choose tables anew. */
  tables?(tables: readonly string[]): Promise<ReadonlyMap<string, readonly string[] | null>>
  /** The most lamports for priority. Absent: ten times what was built, and 1,000,000 at least. */
  readonly maxPriorityFee?: bigint
}

/** The verdict over what was signed. */
export type SignedVerdict = {
  /** The hash or signature by which the chain knows it; null if the form has none. */
  readonly id: string | null
  /** Everything in which it differs from what was built. */
  readonly changes: readonly SignedChange[]
  /** What nothing in the signed bytes shows. */
  readonly notBound: readonly string[]
} & (
  | { readonly isVerified: true /** On what was built. */; readonly verdict: Confirmed }
  /** `signed_` and the kind of a change, or the rule that what was built breaks. */
  | { readonly isVerified: false; readonly rule: string; readonly message: string }
)

/** See `verify.signed`. */
export type VerifySigned = (
  order: SwapOrder | CrossChainOrder,
  built: unknown,
  signed: unknown,
  options?: VerifySignedOptions,
) => Promise<SignedVerdict>

/** An answer, and when it was given. */
export interface Noted<Body = unknown> {
  /** Unix time in milliseconds. */
  readonly at: number
  /** Where it came from: a gateway's URL and path, a wallet's name. */
  readonly source: string
  readonly body: Body
}

/** All of a trade, in JSON values. */
export interface Trade {
  readonly order: SwapOrder | CrossChainOrder
  /** The source of the order's minimum. */
  readonly quote?: Noted
  /** The answer that was verified. */
  readonly built: Noted
  /**
   * The signed transaction (EVM: 0x hex, Solana: base64), or its signature or hash; on EVM chains also what a wallet
   * shows in its place, see `verify.signed`.
   */
  readonly signed?: Noted
  /** The answer of GET /api/receipt. */
  readonly receipt?: Noted
}

/** A rule that a part of a trade breaks. */
export interface Broken {
  readonly part: 'quote' | 'built' | 'signed' | 'receipt' | 'times'
  readonly rule: string
  readonly expected: string
  readonly found: string
}

/** The result of judging a trade's file again. */
export interface Judgement {
  /** The file is as it was written, to the bit. */
  readonly isIntact: boolean
  /** The verdict that the file records comes out again. */
  readonly isRepeated: boolean
  /** Null if it isn't a trade's file. */
  readonly verdict: Verdict | null
  readonly broken: readonly Broken[]
  /** Parts, or members of them, that nothing in the file proves; each with the reason. */
  readonly notBound: readonly { readonly part: string; readonly why: string }[]
  /** What the wallet changed of what was built before it signed. */
  readonly changes: readonly SignedChange[]
}
