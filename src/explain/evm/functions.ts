/** What each known function does. */

import { selectorOf } from '../../proof/evm/selector.ts'
import { ACCOUNT_ROWS } from './accounts.ts'
import type { KnownFunction } from './rows.ts'
import { SWAP_ROWS } from './swaps.ts'
import { TOKEN_ROWS } from './tokens.ts'

/** Each known function by its selector. */
export const FUNCTIONS: ReadonlyMap<string, KnownFunction> = new Map(
  [...TOKEN_ROWS, ...ACCOUNT_ROWS, ...SWAP_ROWS].map(([signature, reads, more]) => [
    selectorOf(signature)!,
    { signature: `function ${signature}`, name: signature.slice(0, signature.indexOf('(')), reads, ...more },
  ]),
)
