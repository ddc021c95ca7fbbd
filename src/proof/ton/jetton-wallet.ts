/**
 * Computes a jetton wallet's address: the hash of the code and the data with
 * which its master deploys it. This works for jettons whose wallet code is known
 * and uses one of two data layouts; the chain is asked about all others.
 *
 *   StateInit  00110, ref code, ref data
 *   plain      status 4 bits, balance coins, owner, master
 *   standard   balance coins, owner, master, ref code
 *
 * Source: TEP-74 · ton-blockchain/token-contract (standard), stablecoin-contract (plain) · the wallets of
 * mainnet owners, recomputed: test/conformance/ton.test.ts
 */
import { hexToBytes } from '@noble/hashes/utils.js'
import { addressBits, deployedAt, type HashedCell, hashCell } from './cell.ts'

interface WalletCode {
  readonly layout: 'plain' | 'standard'
  /** The hash of the code cell that StateInit references: 64 hex digits. */
  readonly hash: string
  readonly depth: number
}

const plain = (hash: string, depth: number): WalletCode => ({ layout: 'plain', hash, depth })
const standard = (hash: string, depth: number): WalletCode => ({ layout: 'standard', hash, depth })

const NOTCOIN_CODE = plain('8d28ea421b77e805fea52acf335296499f03aec8e9fd21ddb5f2564aa65c48de', 0)
const BRIDGED_CODE = standard('9e06ca30e508a6d9fb21167cbb8f66399edd1190b0b01e0bbd14c546cc97a72b', 6)

/** By the master's canonical address. */
const CODES: ReadonlyMap<string, WalletCode> = new Map([
  // USDT
  [
    'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
    plain('89468f02c78e570802e39979c8516fc38df07ea76a48357e0536f2ba7b3ee37b', 0),
  ],
  // NOT
  ['EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT', NOTCOIN_CODE],
  // DOGS
  ['EQCvxJy4eG8hyHBFsZ7eePxrRsUQSFE_jpptRAYBmcG_DOGS', NOTCOIN_CODE],
  // USDe
  [
    'EQAIb6KmdfdDR7CN1GBqVJuP25iCnLKCvBlJ07Evuu2dzP5f',
    plain('fda348fb56e6fca2cf790dde7878d89739b59d073fc115b88ba829ebb5eab68e', 5),
  ],
  // jUSDT
  ['EQBynBO23ywHy_CgarY9NK9FTz0yDsG82PtcbSTQgGoXwiuA', BRIDGED_CODE],
  // jUSDC
  ['EQB-MPwrd1G6WKNkLz_VnV6WqBDd142KMQv-g1O-8QUA3728', BRIDGED_CODE],
  // CATI
  [
    'EQD-cvR0Nz6XAyRBvbhz-abTrRC6sI5tvHvvpeQraV9UAAD7',
    standard('beb0683ebeb8927fe9fc8ec0a18bc7dd17899689825a121eab46c5a3a860d0ce', 7),
  ],
  // stTON
  [
    'EQDNhy-nxYFgUqzfUzImBEP67JqsyMIcyk2S5_RwNNEYku0k',
    standard('2d7972f712fc398bc32f6796980ad711907434a311b57fe72d20f7510b2123e6', 6),
  ],
  // STON
  [
    'EQA2kCVNwVsil2EM2mB0SkXytxCqQjS4mttjDpnXmwG9T6bO',
    standard('a760d629d5343e76d045017d9dc216fc8a307a8377815feb2b0a5c490e733486', 6),
  ],
])

/** The masters of the jettons whose wallets can be computed. */
export const LISTED_JETTONS: readonly string[] = [...CODES.keys()]

/** Zero as `Coins`. */
const EMPTY = '0000'
const STATUS = '0000'

/**
 * Addresses are canonical.
 * @returns null for a jetton whose wallet code is not listed here
 */
export function jettonWallet(master: string, owner: string): string | null {
  const known = CODES.get(master)
  if (known === undefined) return null
  const code: HashedCell = { hash: hexToBytes(known.hash), depth: known.depth }
  const parties = addressBits(owner) + addressBits(master)
  const data =
    known.layout === 'plain' ? hashCell(STATUS + EMPTY + parties, []) : hashCell(EMPTY + parties, [code])
  return deployedAt(code, data)
}
