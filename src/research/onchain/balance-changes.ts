/**
 * The balance changes of one wallet in a transaction, by token. Several
 * transfers of a token are summed up.
 */
import { nativeAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import type { TokenSet } from '../list/token-set.ts'
import type { TokenMovement } from './shapes.ts'

/** More tokens than any swap moves. A transaction that sends thousands to a wallet is cut here. */
const MAX_TOKENS = 256

/** Base units, negative if the wallet lost them. */
interface TokenSum {
  amount: bigint
  /** From the transaction itself; null if it does not say. */
  decimals: number | null
}

export class BalanceChanges {
  /** By the token's canonical address. */
  readonly #sums = new Map<string, TokenSum>()
  #isCut = false

  /** How many tokens moved. */
  get size(): number {
    return this.#sums.size
  }

  /** Whether there were more than MAX_TOKENS: later ones are left out. */
  get isCut(): boolean {
    return this.#isCut
  }

  add(token: string, amount: bigint, decimals: number | null = null): void {
    const sum = this.#sums.get(token)
    if (sum !== undefined) sum.amount += amount
    else if (this.#sums.size < MAX_TOKENS) this.#sums.set(token, { amount, decimals })
    else this.#isCut = true
  }

  /** What a token has changed by, base units. */
  of(token: string): bigint {
    return this.#sums.get(token)?.amount ?? 0n
  }

  /** @param native  the change of the native coin beyond what was added, base units */
  show(
    chain: ChainDefinition,
    tokens: Pick<TokenSet, 'find'>,
    native = 0n,
  ): { readonly paid: TokenMovement[]; readonly got: TokenMovement[] } {
    const coin = nativeAddress(chain)
    const sums = new Map(this.#sums)
    sums.set(coin, { amount: (sums.get(coin)?.amount ?? 0n) + native, decimals: chain.decimals })
    const [paid, got]: [TokenMovement[], TokenMovement[]] = [[], []]
    for (const [token, { amount, decimals }] of sums) {
      if (amount === 0n) continue
      const isNative = token === coin
      const known = tokens.find(chain.key, token)
      const movement: TokenMovement = {
        token,
        isNative,
        listed: isNative || known?.isListed === true,
        amount: String(amount < 0n ? -amount : amount),
        decimals: decimals ?? known?.decimals ?? null,
        symbol: isNative ? chain.native : (known?.symbol ?? null),
      }
      ;(amount < 0n ? paid : got).push(movement)
    }
    return { paid, got }
  }
}
