/**
 * Raydium's CPMM: pools of a constant product, of which a pair can have one for each fee configuration.
 *
 *   configuration   ["amm_config", index u16, highest byte first]
 *   pool            ["pool", configuration, mint 0, mint 1]
 *
 * The reserves are what the vaults hold, less the fees that are owed from them. The fee rounds up, the output down.
 * A pool with a fee for its creator is not offered: no published build of the program has shown what it takes.
 *
 * Source: raydium-io/raydium-cp-swap 609780f programs/cp-swap/src/states/pool.rs, states/config.rs,
 * curve/calculator.rs, curve/constant_product.rs, instructions/swap_base_input.rs. Compared with the program's own
 * executions: test/fixtures/solana-pools
 */
import { RAYDIUM_CPMM_PROGRAM } from '../../../chains/solana/programs.ts'
import type { HeldAccount } from '../../../upstream/nodes/solana/accounts.ts'
import { FEE_UNIT } from './concentrated-math.ts'
import { type Accounts, dataOf, derived, keyAt, type PoolProgram, type PoolQuote } from './pools.ts'

/** Configurations are numbered from 0. */
const CONFIGS = 16
/** `sha256('account:PoolState')`, `sha256('account:AmmConfig')`: what an account's data begins with. */
const [POOL, CONFIG] = ['f7ede3f5d7c3de46', 'daf42168cbcb2b6f']
const POOL_BYTES = 637
const CONFIG_BYTES = 236
/** The bit of a pool's status that stops swaps. */
const NO_SWAPS = 4
const TOKEN_ACCOUNT_BYTES = 165

export const RAYDIUM_CPMM: PoolProgram = {
  label: 'raydium-cpmm',
  program: RAYDIUM_CPMM_PROGRAM,

  candidates(mints) {
    const configs = Array.from({ length: CONFIGS }, (_, i) =>
      derived(RAYDIUM_CPMM_PROGRAM, 'amm_config', Uint8Array.of(0, i)),
    )
    return [...configs, ...configs.map((config) => derived(RAYDIUM_CPMM_PROGRAM, 'pool', config, ...mints))]
  },

  async quotes({ mints, aToB, amountIn, now }, found, read) {
    const isOpen = (data: Buffer) => (data[329]! & NO_SWAPS) === 0 && data.readBigUInt64LE(373) <= now
    const poolsIn = (accounts: Accounts) =>
      [...accounts].flatMap(([pool, account]) => {
        const data = dataOf(account, RAYDIUM_CPMM_PROGRAM, POOL, POOL_BYTES)
        const isOfPair = data !== null && keyAt(data, 168) === mints[0] && keyAt(data, 200) === mints[1]
        return isOfPair && isOpen(data) && data[390] === 0 ? [{ pool, data }] : []
      })
    const pools = poolsIn(found)
    if (pools.length === 0) return []
    // The pools again: what they owe is of the same slot as what their vaults hold.
    const held = await read(pools.flatMap(({ pool, data }) => [pool, ...vaultsOf(data)]))
    return poolsIn(held).flatMap(({ pool, data }): PoolQuote[] => {
      const config = keyAt(data, 8)
      const fees = dataOf(found.get(config), RAYDIUM_CPMM_PROGRAM, CONFIG, CONFIG_BYTES)
      const vaults = vaultsOf(data)
      const reserves = vaults.map((vault, i) => heldIn(held.get(vault)) - owed(data, i))
      if (fees === null || reserves.some((reserve) => reserve <= 0n)) return []
      const fee = fees.readBigUInt64LE(12)
      const ordered = <T>([a, b]: readonly T[]): [T, T] => (aToB ? [a!, b!] : [b!, a!])
      const [reserveIn, reserveOut] = ordered(reserves)
      const usable = amountIn - (amountIn * fee + FEE_UNIT - 1n) / FEE_UNIT
      if (usable <= 0n) return []
      return [
        {
          pool,
          expectedOut: (usable * reserveOut) / (reserveIn + usable),
          atSpot: (usable * reserveOut) / reserveIn,
          fee,
          keys: [
            ...['', derived(RAYDIUM_CPMM_PROGRAM, 'vault_and_lp_mint_auth_seed'), config, pool, '', ''],
            ...[...ordered(vaults), '', '', ...ordered(mints), keyAt(data, 296)],
          ],
          ending: 0,
        },
      ]
    })
  },
}

const vaultsOf = (data: Buffer) => [keyAt(data, 72), keyAt(data, 104)] as const

/** What a vault holds; nothing if it is none. */
const heldIn = (vault: HeldAccount | undefined): bigint =>
  vault === undefined || vault.data.length < TOKEN_ACCOUNT_BYTES ? 0n : vault.data.readBigUInt64LE(64)

/** The fees of the protocol, the fund and the creator that one of the vaults still holds. */
const owed = (data: Buffer, side: number): bigint =>
  [341, 357, 397].reduce((sum, at) => sum + data.readBigUInt64LE(at + 8 * side), 0n)
