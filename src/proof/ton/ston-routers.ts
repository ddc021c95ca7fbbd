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

const SECOND_ROUTERS: readonly string[] = [
  // v2.1
  'EQABT9GCyDI60CbC4c6uS33HFDwaqd6MddiwIIw7CXTgNR3A',
  'EQATvO_BXfkFocOXhlve01EZfsiyFjoV-0k9CLmpgwtzVtcN',
  'EQAgERF5tvrNn0AM2Rrrvk-MutGP60ZL70bJPuqvCTGY-17_',
  'EQAyY2lBQ6RsVe88CKTmeH3BWWsUCWu7ugQNaf5kwLDYAoKt',
  'EQBCl1JANkTpMpJ9N3lZktPMpp2btRe2vVwHon0la8ibRied',
  'EQBQErJi0DHgKYseIHtrQk4N5CQLCr3XYwkQIEw0HNs470OG',
  'EQBZj7nhXNhB4O9rRCn4qGS82DZaPUPlyM2k6ZrbvQ1j3Ge7',
  'EQBjM7B2PKa82IPKrUFbMFaKeQDFGTMRnrvY1TmptC7Kxz7B',
  'EQBzkqAN4ViYdS24lD2fFPe8odHn2rUkfMYbEJ88EBKBAS1b',
  'EQCCdNmj4QbNjrg_PM-JJE-B9f_czXLkYmrO7P9UkA6tt95m',
  'EQCRgwuFbPRR7TGodkJwbjiBtNtb0hfzJIliV-5kY6lKr_18',
  'EQChoROpuUM4cpN6IRzqNTrkP9iVZHYoHgxMABDVU28vlUiG',
  'EQCiz74FCV2lYlvFPEYhL3Jql8WwIO7QvbvYT-LQH0SmtCgI',
  'EQCpuYtq55nhkwYDmL4OWjsrdYy83gj5_49nNRQ5CrPOze49',
  'EQCxkYVQcfXKw9uJ-MMtutvR2Cu0DVCZFfLNBp6NwXgO8vQY',
  'EQDBYUj5KEPUQrbj7da742UYJIeT9QU5C2dKsi12SdQ3yh9a',
  'EQDTb1w1TCohFqnNcyPrrbbBJQdAwwPn8DbCoaSUd0S5T4fB',
  'EQDi1eWU3HWWst8owY8OMq2Dz9nJJEHUROza8R-_wEGb8yu6',
  'EQDwyjgjnTXJVPjXji3OPtUilcCjceGVQOLGwr9_sRLjImfG',
  // v2.2
  'EQACn16m9OrZ-mw186M4NlIpVP8Tb3q6SV9aX8NjSgVfJTo9',
  'EQADEFMTMnC-gu5v2U0ZY8AYaGhAOk9TcECg1TOquAW3r-IE',
  'EQAJG5pyZPWEiQiMVJdf7bDRgRLzg6QR57qKeRsOrMO-ncZN',
  'EQAQYbnb1EGK0Wb8mk3vEW4vbHTyv7cOcfJlPWQ87_6_qfzR',
  'EQAiLV677BgHNXEUuDJ3Cw8K5WOiJSO86xh8YQq2LthJEoED',
  'EQAiv3IuxYA6ZGEunOgZSTuMBzbpjwRbWw09-WsE-iqKKMrK',
  'EQAsa5p_UWxUDaU9n9bo3CAv2xRNrNFjadhm70JQAesdVt_5',
  'EQAyD7O8CvVdR8AEJcr96fHI1ifFq21S8QMt1czi5IfJPyfA',
  'EQAz1D0ZUiG_9XCyjrJ1-xTx-CnmnQ3J3LMKQ7sZTr-XlNZP',
  'EQBCtlN7Zy96qx-3yH0Yi4V0SNtQ-8RbhYaNs65MC4Hwfq31',
  'EQBQ_UBQvR9ryUjKDwijtoiyyga2Wl-yJm6Y8gl0k-HDh_5x',
  'EQBd9vfWfn6MOqBYEEYFeyFqliOYln1znFklfp8B02zlS_Lq',
  'EQBigMnbY4NU1uwdvzertV5mv_yI7282R-ffW7XZFWPEVRDG',
  'EQBjK_kjY5R_DoyTRff109VzFrSlKFCC_gOOWIMtyEvCcv2J',
  'EQBqgCTdrtSod76UrcOeALSiLCp3WuNIFQBQvyjjlQMvwLkc',
  'EQByADL5Ra2dldrMSBctgfSm2X2W1P61NVW2RYDb8eJNJGx6',
  'EQC67o2-2UzR1cJFrUGL5M7OAnLgG8oY_tHaTgGmR63LQNV-',
  'EQCDT9dCT52pdfsLNW0e6qP5T3cgq7M4Ug72zkGYgP17tsWD',
  'EQCS4UEa5UaJLzOyyKieqQOQ2P9M-7kXpkO5HnP3Bv250cN3',
  'EQCiypoBWNIEPlarBp04UePyEj5zH0ZDHxuRNqJ1WQx3FCY-',
  'EQCx0HDJ_DxLxDSQyfsEqHI8Rs65nygvdmeD9Ra7rY15OWN8',
  'EQD11suHkrO_1Mb5IIdYFx5ZPy38MuHoeHx6dA-QRaD8w0UJ',
  'EQDAPye7HAPAAl4WXpz5jOCdhf2H9h9QkkzRQ-6K5usiuQeC',
  'EQDQ6j53q21HuZtw6oclm7z4LU2cG6S2OKvpSSMH548d7kJT',
  'EQDh5oHPvfRwPu2bORBGCoLEO4WQZKL4fk5DD1gydeNG9oEH',
  'EQDkncuJ267Py3EmL2XAN7YsSNQMUu8u-GHsW9jVljcH8fr5',
  'EQDx--jUU9PUtHltPYZX7wdzIi0SPY3KZ8nvOs0iZvQJd6Ql',
]
/** One for each kind of pool, in several revisions. Each is a reference to a library. */
const SECOND_CODES: ReadonlySet<string> = new Set([
  'a7e2f92c4bccbdbaaa0c083aa1da9762b52023134234adeb3b7bc8e72dbd1182',
  '4895b7fc5908648bcc77aad2373eae0526c4780a426ffd444c249230116791ce',
  'f451dd294a06530b6e4ec99790a595c1ac421829f78b9231245f8b51cba72556',
  '29a542d36e4196a8719faf33e58e855c8f07bdb0b25897bf3a283ca017c97965',
  '0679c28b77b86f5ef808b14fb96554ed96e163211a836a7cf412bcb59a8c1a45',
  '5c327aefd0f71a8c71a907f95e4655e4e72d403e118f255356075a0e8d6db547',
  'f9502b55cf962dac6d86af158405af50b281fb110cabfafb9a198db46f75b154',
  'c39a85ac98055c68309bcc6570432d88cc68a586e0dec124b607564a12cec3eb',
  '5a19635c1dc8780c352c18b7cd6c2b0e6835ca4b9926608119cb032d12719aaa',
])

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
