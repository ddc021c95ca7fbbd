/** What each known function does. The selectors are checked by a test. */
import { ACCOUNT_ROWS } from './accounts.ts'
import type { KnownFunction } from './rows.ts'
import { SWAP_ROWS } from './swaps.ts'
import { TOKEN_ROWS } from './tokens.ts'

/** Each known function by its selector. */
export const FUNCTIONS: ReadonlyMap<string, KnownFunction> = new Map(
  [...TOKEN_ROWS, ...ACCOUNT_ROWS, ...SWAP_ROWS].map(([selector, signature, reads, more]) => [
    selector,
    { signature: `function ${signature}`, name: signature.slice(0, signature.indexOf('(')), reads, ...more },
  ]),
)
