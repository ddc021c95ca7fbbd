/**
 * Checks the swaps that the provider's contract makes on the source chain, before a bridge or as the whole
 * trade. Each call is some exchange's own calldata, so its recipients cannot be read in general. The contract
 * bounds all of them: it measures the final output, takes from the wallet only what `requiresDeposit` allows,
 * and calls only functions on its own list.
 *
 * A step that sells a token for itself collects fees. These steps are read: the recipients and amounts,
 * through which of the provider's contracts, and that the quote states them. A step of the provider's
 * OutputValidator is not one of them: it would give everything above its own amount to an address that it
 * names.
 *
 * Source: lifinance/contracts src/Helpers/SwapperV2.sol, src/Periphery/FeeCollector.sol,
 * src/Periphery/FeeForwarder.sol
 */
import { CalldataReader } from '../../evm/calldata.ts'
import { BPS } from '../../terms/fees.ts'
import { refuseMaterial } from '../../terms/verification.ts'
import { assetAt, wrapperAt } from './assets.ts'
import { feeContractsOf, LIFI_FEE_WALLET } from './fee-contracts.ts'
import { EVM_ZERO_ADDRESS, lowerHex } from './ids.ts'
import type { NamedFeeContracts } from './periphery.ts'

export const SWAP_DATA =
  '(address callTo, address approveTo, address sendingAssetId, address receivingAssetId, uint256 fromAmount, bytes callData, bool requiresDeposit)'

export interface SwapData {
  readonly callTo: string
  readonly approveTo: string
  readonly sendingAssetId: string
  readonly receivingAssetId: string
  readonly fromAmount: bigint
  readonly callData: Uint8Array
  readonly requiresDeposit: boolean
}

interface SwapsClaim {
  readonly chainKey: string
  /** The fee contracts that the chain's registry names, in addition to the table's. */
  readonly named: NamedFeeContracts | null
  /** Tokens in the provider contract's notation. */
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  /** The amount of `tokenOut` that the contract requires after all steps, in base units. */
  readonly leastOut: bigint
  readonly maxFeeBps: bigint
  /** Fees that the quote states as part of what it gives, by token, in its base units. */
  readonly statedFees: ReadonlyMap<string, bigint> | null
  /** Addresses that no step may call, in lower case: the wallet, the recipient and the contract itself. */
  readonly forbidden: readonly string[]
}

/** One share of a fee. */
export interface TakenFee {
  /** Hundredths of a bps, rounded up, of what enters its step. */
  readonly share: bigint
  readonly amount: bigint
  readonly token: string
  readonly recipient: string
  /** Whether the recipient is the provider's own. */
  readonly isOwn: boolean
}

const MAX_STEPS = 8

interface FeeShare {
  readonly recipient: string
  readonly amount: bigint
}

const COLLECTORS = new CalldataReader<{
  collectTokenFees: {
    tokenAddress: string
    integratorFee: bigint
    lifiFee: bigint
    integratorAddress: string
  }
  collectNativeFees: { integratorFee: bigint; lifiFee: bigint; integratorAddress: string }
  forwardERC20Fees: { token: string; distributions: readonly FeeShare[] }
  forwardNativeFees: readonly FeeShare[]
}>([
  'function collectTokenFees(address tokenAddress, uint256 integratorFee, uint256 lifiFee, address integratorAddress)',
  'function collectNativeFees(uint256 integratorFee, uint256 lifiFee, address integratorAddress)',
  'function forwardERC20Fees(address token, (address recipient, uint256 amount)[] distributions)',
  'function forwardNativeFees((address recipient, uint256 amount)[] distributions)',
])

/**
 * @returns the fees, and the number of steps whose calls were not read
 * @throws GatewayError  material_refused: source_swaps, sent_token, amount, swap_target, fees
 */
export function proveSwaps(swaps: readonly SwapData[], claim: SwapsClaim) {
  const first = swaps[0]
  if (first === undefined || swaps.length > MAX_STEPS) throw refuseMaterial('source_swaps')
  if (first.sendingAssetId !== claim.tokenIn) throw refuseMaterial('sent_token')
  if (swaps.at(-1)!.receivingAssetId !== claim.tokenOut) throw refuseMaterial('source_swaps')
  requireDeposits(swaps, claim)
  const held = new Set([claim.tokenIn])
  const steps: FeeStep[] = []
  let unread = 0
  for (const swap of swaps) {
    if (swap.fromAmount === 0n || !held.has(swap.sendingAssetId)) throw refuseMaterial('source_swaps')
    requireTarget(swap, claim)
    held.add(swap.receivingAssetId)
    if (swap.sendingAssetId === swap.receivingAssetId) {
      const shares = feesOf(swap, claim)
      steps.push({ token: swap.sendingAssetId, claimed: swap.fromAmount, shares, taken: sum(shares) })
    } else {
      // It would hand out fees that nobody reads.
      if (isFeeContract(swap, claim)) throw refuseMaterial('fees')
      unread++
    }
  }
  const entering = steps.map((_, place) => enteringOf(steps, place, claim))
  const feeBps = steps.reduce((total, { taken }, place) => total + partOf(taken, entering[place]!, BPS), 0n)
  if (feeBps > claim.maxFeeBps) throw refuseMaterial('fees')
  const fees = steps.flatMap(({ shares }, place) =>
    shares.map((share) => ({ ...share, share: partOf(share.amount, entering[place]!, BPS * 100n) })),
  )
  if (claim.statedFees !== null) requireStated(fees, claim.statedFees)
  return { fees, unread }
}

function isFeeContract({ callTo, approveTo }: SwapData, { chainKey, named }: SwapsClaim): boolean {
  const { collectors, forwarders } = feeContractsOf(chainKey, named)
  return [...collectors, ...forwarders].some((contract) => contract === callTo || contract === approveTo)
}

interface FeeStep {
  readonly token: string
  /**
   * What the step claims to sell. Nothing verifies that: a step can claim a million times the amount there
   * is.
   */
  readonly claimed: bigint
  readonly shares: readonly Omit<TakenFee, 'share'>[]
  readonly taken: bigint
}

/**
 * The least that enters a fee step, in base units of its token: the amount paid in less earlier fees, or the
 * amount required at the end plus the fees until then. No byte shows how much there is of another token, so
 * it pays no fee.
 */
function enteringOf(steps: readonly FeeStep[], place: number, claim: SwapsClaim): bigint {
  const { chainKey, tokenIn, tokenOut, amountIn, leastOut } = claim
  const { token, claimed } = steps[place]!
  const of = (same: string, some: readonly FeeStep[]) =>
    some.reduce((total, step) => (isSame(chainKey, step.token, same) ? total + step.taken : total), 0n)
  const most = isSame(chainKey, token, tokenIn)
    ? amountIn - of(tokenIn, steps.slice(0, place))
    : isSame(chainKey, token, tokenOut)
      ? leastOut + of(tokenOut, steps.slice(place))
      : 0n
  const entering = claimed < most ? claimed : most
  if (entering <= 0n) throw refuseMaterial('fees')
  return entering
}

/** Whether it is the same token, or the coin and its wrapper. */
function isSame(chainKey: string, a: string, b: string): boolean {
  const [one, other] = [assetAt(chainKey, a), assetAt(chainKey, b)]
  return a === b || (one !== null && one.kind === other?.kind && one.decimals === other.decimals)
}

/** Rounded up. */
const partOf = (amount: bigint, whole: bigint, parts: bigint): bigint => (amount * parts + whole - 1n) / whole

function requireStated(fees: readonly TakenFee[], stated: ReadonlyMap<string, bigint>): void {
  for (const token of new Set(fees.map((fee) => fee.token))) {
    const taken = sum(fees.filter((fee) => fee.token === token))
    if (taken > (stated.get(token) ?? 0n)) throw refuseMaterial('fees')
  }
}

/** The steps must take exactly the input from the wallet, and no other token that it has approved. */
function requireDeposits(swaps: readonly SwapData[], { tokenIn, amountIn }: SwapsClaim): void {
  let deposited = 0n
  for (const { requiresDeposit, sendingAssetId, fromAmount } of swaps) {
    if (!requiresDeposit) continue
    if (sendingAssetId !== tokenIn) throw refuseMaterial('sent_token')
    deposited += fromAmount
  }
  if (deposited !== amountIn) throw refuseMaterial('amount')
}

/** A step may not call a token, except the native coin's wrapper. */
function requireTarget({ callTo, approveTo, callData }: SwapData, claim: SwapsClaim): void {
  const wrapper = wrapperAt(claim.chainKey)
  for (const target of [callTo, approveTo]) {
    const isToken = target !== wrapper && assetAt(claim.chainKey, target) !== null
    if (target === EVM_ZERO_ADDRESS || isToken || claim.forbidden.includes(target)) {
      throw refuseMaterial('swap_target')
    }
    if (target !== wrapper && (target === claim.tokenIn || target === claim.tokenOut)) {
      throw refuseMaterial('swap_target')
    }
  }
  if (callData.length < 4) throw refuseMaterial('source_swaps')
}

/** The shares of a fee step. The integrator's of a collector is kept there for it. */
function feesOf(
  { sendingAssetId: token, callTo, approveTo, callData, fromAmount }: SwapData,
  { chainKey, named: registered }: SwapsClaim,
): FeeStep['shares'] {
  const call = COLLECTORS.read(lowerHex(callData))
  if (call === null || callTo !== approveTo) throw refuseMaterial('fees')
  const { collectors, forwarders } = feeContractsOf(chainKey, registered)
  const isCollector = call.name === 'collectTokenFees' || call.name === 'collectNativeFees'
  if (!(isCollector ? collectors : forwarders).includes(callTo)) throw refuseMaterial('fees')
  const { token: named, shares } = sharesOf(call, callTo)
  if (named !== token || sum(shares) > fromAmount) throw refuseMaterial('fees')
  return shares
    .filter(({ amount }) => amount > 0n)
    .map(({ recipient, amount }) => ({
      amount,
      token,
      recipient,
      isOwn: collectors.includes(recipient) || recipient === LIFI_FEE_WALLET,
    }))
}

type FeeCall = NonNullable<ReturnType<typeof COLLECTORS.read>>

/** The token of a fee, and its recipients. */
function sharesOf(call: FeeCall, collector: string): { token: string; shares: readonly FeeShare[] } {
  switch (call.name) {
    case 'collectTokenFees':
    case 'collectNativeFees': {
      const { integratorFee, lifiFee, integratorAddress } = call.args
      return {
        token: 'tokenAddress' in call.args ? call.args.tokenAddress : EVM_ZERO_ADDRESS,
        shares: [
          { recipient: integratorAddress, amount: integratorFee },
          { recipient: collector, amount: lifiFee },
        ],
      }
    }
    case 'forwardERC20Fees':
      return { token: call.args.token, shares: call.args.distributions }
    case 'forwardNativeFees':
      return { token: EVM_ZERO_ADDRESS, shares: call.args }
  }
}

const sum = (fees: readonly Pick<FeeShare, 'amount'>[]): bigint =>
  fees.reduce((total, { amount }) => total + amount, 0n)
