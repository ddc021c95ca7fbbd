/** The contract of the sandbox's router server (swap/router.ts): only the ledger knows what a call of it does. */
import { CalldataReader } from '../../proof/evm/calldata.ts'

/** The contract that the operator has to name. */
export const OWN_ROUTER = '0x0f09d0000000000000000000000000000000f09d'

export interface OwnSwap {
  readonly tokenIn: string
  readonly amountIn: bigint
  readonly tokenOut: string
  readonly minOut: bigint
  readonly receiver: string
}
/** The contract's one function; the zero address is the native coin. */
export const OWN = new CalldataReader<{ swap: OwnSwap }>([
  'function swap(address tokenIn, uint256 amountIn, address tokenOut, uint256 minOut, address receiver)',
])
