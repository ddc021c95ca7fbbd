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
import contracts from './ston-contracts.json' with { type: 'json' }

export interface StonRouter {
  readonly version: 1 | 2
  /** The router's wallet of TON as a jetton. */
  readonly ptonWallet: string
}

/** The codes of the second version are one for each kind of pool, in several revisions; each is a reference to a library. */
const { v1, v2 } = contracts

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
  [v1.router, { version: 1, ptonWallet: v1.ptonWallet }],
  ...[...v2['v2.1'], ...v2['v2.2']].map((router) => [router, secondRouter(router)] as const),
])

/** @param hash  64 hex digits */
export const isStonCode = ({ version }: StonRouter, hash: string): boolean =>
  (version === 1 ? v1 : v2).codes.includes(hash)

/** The wallet's data are its balance, its owner and its master. */
function ptonWalletOf(router: string): string {
  return deployedAt(PTON_CODE, hashCell(NO_COINS + addressBits(router) + addressBits(PTON), []))
}
