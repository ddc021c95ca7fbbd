/**
 * What a cross-chain quote contains in addition to its material: the two tokens, as our own sources describe
 * them, and its `estimate`. The estimate's amounts were checked against the order and the material; the
 * provider's other claims are in its member `stated`.
 *
 * Source: §2 CrossChainQuote · docs.li.fi
 */
import { toHuman } from '../chains/amount.ts'
import { findXprovChain, type XprovChain } from '../chains/find.ts'
import { findMajor } from '../chains/majors.ts'
import { WRAPPED_SOL_MINT } from '../chains/solana/programs.ts'
import { parseXprovToken, xprovTokenText } from '../chains/xprov-token.ts'
import type { CrossChainMaterial } from '../proof/cross-chain/cross-chain.ts'
import type { Step } from '../proof/cross-chain/lifi/step.ts'
import type { CrossChainOrder, Token } from '../proof/terms/order.ts'
import type { Verification } from '../proof/terms/verification.ts'
import {
  statedDecimal,
  statedInteger,
  statedItems,
  statedSeconds,
  statedWord,
} from '../providers/swap/stated.ts'
import type { CrossChainQuote } from '../runtime/resources/cross-chain.ts'

/** A listed token's symbol; null if the token list does not have it. The address is canonical. */
export type SymbolOf = (chainKey: string, address: string) => string | null

type Estimate = CrossChainQuote['estimate']
type TokenDescription = NonNullable<CrossChainQuote['fromToken']>
type StatedCost = Estimate['stated']['gasCosts'][number]

/** @param step  checked against the order by `proveCrossChain` */
export function estimateOf(
  { tool, estimate }: Step,
  order: CrossChainOrder,
  { approval }: CrossChainMaterial,
  verification: Verification,
  symbolOf: SymbolOf,
): Estimate {
  const { tokenIn, amountIn, decimalsOut } = order
  const toAmount = BigInt(estimate.toAmount)
  const toAmountMin = minimumOf(BigInt(estimate.toAmountMin), verification)
  const human = (amount: bigint): number | null =>
    decimalsOut === undefined ? null : toHuman(amount, decimalsOut)
  const costOf = (cost: Readonly<Record<string, unknown>>) => statedCost(cost, order, symbolOf)
  return {
    fromAmount: amountIn.toString(),
    fromAmountHuman: toHuman(amountIn, tokenIn.decimals),
    toAmount: toAmount.toString(),
    toAmountHuman: human(toAmount),
    toAmountMin: toAmountMin.toString(),
    toAmountMinHuman: human(toAmountMin),
    ...(approval !== null && { approvalAddress: approval.spender }),
    ...(approval?.reset === true && { approvalReset: true }),
    stated: {
      tool: statedWord(tool),
      fromAmountUsd: statedDecimal(estimate.fromAmountUSD),
      toAmountUsd: statedDecimal(estimate.toAmountUSD),
      executionDuration: statedSeconds(estimate.executionDuration),
      feeCosts: statedItems(estimate.feeCosts).flatMap((cost) =>
        costOf(cost).map((stated) => ({ ...stated, included: cost.included === true })),
      ),
      gasCosts: statedItems(estimate.gasCosts).flatMap(costOf),
    },
  }
}

/**
 * The material's guarantee, which may be slightly below the stated amount because a bridge has fewer
 * decimals.
 */
function minimumOf(stated: bigint, { minimum }: Verification): bigint {
  const proved = typeof minimum === 'string' ? BigInt(minimum) : stated
  return proved < stated ? proved : stated
}

/**
 * @param decimals  null if no two sources agree on them
 * @returns the token under the requested address, with the symbol of its chain's definition or of the token list
 */
export function describeToken(
  chain: XprovChain,
  token: Pick<Token, 'address' | 'isNative'>,
  decimals: number | null,
  symbolOf: SymbolOf,
): TokenDescription {
  const { address, isNative } = token
  return {
    address: xprovTokenText(chain, token),
    isNative,
    symbol: isNative ? chain.native : (symbolIn(chain, address) ?? symbolOf(chain.key, address)),
    decimals,
  }
}

function symbolIn({ key, native }: XprovChain, address: string): string | null {
  // Here it is a separate token from SOL, the only one in the chain's definition.
  return address === WRAPPED_SOL_MINT ? `W${native}` : (findMajor(key, address)?.symbol ?? null)
}

/** @returns none if its token or amount is malformed */
function statedCost(
  { name, type, token, amount, amountUSD }: Readonly<Record<string, unknown>>,
  order: CrossChainOrder,
  symbolOf: SymbolOf,
): readonly StatedCost[] {
  const { chainId, address } = (token ?? {}) as Readonly<Record<string, unknown>>
  const chain = typeof chainId === 'number' ? findXprovChain(String(chainId)) : null
  const parsed = chain === null || typeof address !== 'string' ? null : parseXprovToken(chain, address)
  const base = statedInteger(amount)
  if (chain === null || parsed === null || base === null) return []
  const decimals = decimalsIn(chain, parsed, order)
  return [
    {
      name: statedWord(name ?? type),
      chain: chain.key,
      token: describeToken(chain, parsed, decimals, symbolOf),
      amount: base,
      amountHuman: decimals === null ? null : toHuman(BigInt(base), decimals),
      amountUsd: statedDecimal(amountUSD),
    },
  ]
}

/** The decimals of a cost's token, if they are known without a call. */
function decimalsIn(
  chain: XprovChain,
  token: Pick<Token, 'address' | 'isNative'>,
  { fromChain, toChain, tokenIn, tokenOut, decimalsOut }: CrossChainOrder,
): number | null {
  if (token.isNative) return chain.decimals
  const is = (other: Pick<Token, 'address' | 'isNative'>) =>
    !other.isNative && other.address === token.address
  if (chain.key === fromChain.key && is(tokenIn)) return tokenIn.decimals
  if (chain.key === toChain.key && is(tokenOut)) return decimalsOut ?? null
  return findMajor(chain.key, token.address)?.decimals ?? null
}
