/**
 * Reads a token's own account from a Solana node: who may mint and freeze, and what
 * Token-2022's extensions allow. These findings override those of other sources.
 *
 * Source: §4.2 · src/chains/solana/mint.ts
 */

import { feeAt, type Mint } from '../../chains/solana/mint.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { askEpoch, askMint } from '../../upstream/nodes/solana/accounts.ts'
import type { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import { knownOf } from './fields.ts'
import { type About, type MarketProvider, ONCHAIN, type RiskFlags, UNKNOWN_FLAGS } from './market.ts'
import { sharedParts } from './shared-calls.ts'

const CHAIN = 'solana'
/** A mint may be paused, or its fee raised, at any time. */
const KEEP_MS = 60_000

interface OnchainMarketOptions {
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly clock?: Clock
}

export function onchain({ solana, clock = CLOCK }: OnchainMarketOptions): MarketProvider {
  const options = { keepMs: KEEP_MS, sharedMs: KEEP_MS, clock }
  const parts = sharedParts(['about', 'security'], options, async ({ address }, call) => {
    const at = clock.date()
    const mint = await askMint(solana, address, call)
    if (mint === null) return { parts: null }
    const bps = await transferFeeBps(mint, () => askEpoch(solana, call))
    const security = { at, facts: factsOf(mint, bps), flags: flagsOf(mint, bps) }
    return { parts: { about: aboutOf(mint), security } }
  })
  return { label: ONCHAIN, chains: new Set([CHAIN]), parts }
}

/** @returns the current transfer fee in bps; null if the account does not show it */
async function transferFeeBps({ transferFee, unread }: Mint, askEpoch: () => Promise<bigint>) {
  if (transferFee === null) return unread.length === 0 ? 0 : null
  const { older, newer } = transferFee
  const isSettled = older.bps === newer.bps && older.max === newer.max
  const { bps, max } = isSettled ? newer : feeAt(transferFee, await askEpoch())
  return max === 0n ? 0 : bps
}

function aboutOf({ mintAuthority, freezeAuthority }: Mint): About {
  return {
    description: null,
    image: null,
    links: [],
    createdAt: null,
    mintAuthority: mintAuthority ?? 'none',
    freezeAuthority: freezeAuthority ?? 'none',
  }
}

function factsOf(mint: Mint, transferFeeBps: number | null): Record<string, unknown> {
  const { program, supply, decimals, extensions, unread, transferFee } = mint
  const { closeAuthority, permanentDelegate, transferHook, pauseAuthority } = mint
  const transferFeeAuthority = transferFee?.configAuthority ?? null
  return {
    program,
    supply: String(supply),
    decimals,
    extensions: [...extensions],
    ...(unread.length > 0 && { unread: [...unread] }),
    ...knownOf({ closeAuthority, permanentDelegate, transferHook, pauseAuthority }),
    ...knownOf({ transferFeeAuthority, transferFeeBps }),
    ...(transferFee !== null && {
      transferFeeMax: String(transferFee.newer.max),
      nextTransferFeeBps: transferFee.newer.bps,
      nextTransferFeeEpoch: String(transferFee.newer.epoch),
    }),
  }
}

function flagsOf(mint: Mint, transferFeeBps: number | null): RiskFlags {
  // A missing extension is a finding only if all extensions were read.
  const found = (is: boolean): boolean | null => is || (mint.unread.length === 0 ? false : null)
  return {
    ...UNKNOWN_FLAGS,
    freezable: mint.freezeAuthority !== null || found(mint.pauseAuthority !== null),
    mintable: mint.mintAuthority !== null,
    nonTransferable: found(mint.isNonTransferable),
    sellTaxPct: transferFeeBps === null ? null : transferFeeBps / 100,
    taxModifiable: found((mint.transferFee?.configAuthority ?? null) !== null),
    permanentDelegate: found(mint.permanentDelegate !== null),
    transferHook: found(mint.transferHook !== null),
    bornFrozen: found(mint.isBornFrozen),
    paused: found(mint.isPaused),
  }
}
