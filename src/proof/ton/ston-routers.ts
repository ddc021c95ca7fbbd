/**
 * STON.fi's routers: which contracts they are, which code they run, and their wallets of TON. A router's code
 * alone proves nothing: anybody can deploy the same code as its owner, with pools of their own. Its address
 * alone proves little: the owner can replace the code. So both have to be known, and the chain is asked for
 * the code when a message is proved.
 *
 * Source: the addresses are those of STON.fi's own list (GET /v1/routers), as two wallets have copied it
 * (vultisig/vultisig-ios TonKnownRouters, and one of October 2026), that run ston-fi/dex-core-v2 v2.2, and as
 * the latter and an indexer of swaps have it, of v2.1 · the codes as they were read from mainnet (i582/abis
 * data/stonfi/info.toml) · ston-fi/pton-contracts contracts/wallet.fc
 */
import { hexToBytes } from '@noble/hashes/utils.js'
import { addressBits, deployedAt, type HashedCell, hashCell } from './cell.ts'
import second from './ston-second.json' with { type: 'json' }

export interface StonRouter {
  readonly version: 1 | 2
  /** The router's wallet of TON as a jetton. */
  readonly ptonWallet: string
}

const FIRST_ROUTER = 'EQB3ncyBUTjZUA5EnFKR5_EnOMI9V1tTEAAPaiU71gc4TiUt'
const FIRST_PTON_WALLET = 'EQARULUYsmJq1RiZ-YiH-IJLcAZUVkVff-KBPwEmmaQGH6aC'
const FIRST_CODES: ReadonlySet<string> = new Set([
  '276f7c2058931d4685750a9856a5ac2dfa04d1b83c932d1e429fa3ceecd42faf',
])

const SECOND_ROUTERS: readonly string[] = [...second['v2.1'], ...second['v2.2']]
/** One for each kind of pool, in several revisions. Each is a reference to a library. */
const SECOND_CODES: ReadonlySet<string> = new Set(second.codes)

/** The master of TON as a jetton at routers of the second version. */
const PTON = 'EQBnGWMCf3-FZZq1W4IWcWiGAc3PHuZ0_H-7sad2oY00o83S'
/** A reference to a library. */
const PTON_CODE: HashedCell = {
  hash: hexToBytes('ed91066ad36ee3aaaff29e78db287acb51376292ea0e01bca1b92c97cdf0421b'),
  depth: 0,
}
const NO_COINS = '0000'

/** Its wallet is computed on first use: the start needs none of them. */
function secondRouter(address: string): StonRouter {
  let wallet: string | null = null
  return {
    version: 2,
    get ptonWallet() {
      return (wallet ??= ptonWalletOf(address))
    },
  }
}

/** By canonical address. */
export const STON_ROUTERS: ReadonlyMap<string, StonRouter> = new Map<string, StonRouter>([
  [FIRST_ROUTER, { version: 1, ptonWallet: FIRST_PTON_WALLET }],
  ...SECOND_ROUTERS.map((router) => [router, secondRouter(router)] as const),
])

/** @param hash  64 hex digits */
export const isStonCode = ({ version }: StonRouter, hash: string): boolean =>
  (version === 1 ? FIRST_CODES : SECOND_CODES).has(hash)

/** The wallet's data are its balance, its owner and its master. */
function ptonWalletOf(router: string): string {
  return deployedAt(PTON_CODE, hashCell(NO_COINS + addressBits(router) + addressBits(PTON), []))
}
