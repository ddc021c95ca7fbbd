/** Swaps by Jupiter's program, in the two forms that the proofs read: see proof/solana/jupiter.ts. */
import { bytesToHex } from '@noble/hashes/utils.js'
import {
  ASSOCIATED_TOKEN_PROGRAM,
  JUPITER_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../chains/solana/programs.ts'
import { KINDS, ROUTE_LAYOUTS, routeTerms } from '../../proof/solana/jupiter.ts'
import { accountRent, BPS, SOLANA_CEILING } from '../../proof/terms/fees.ts'
import type { Findings } from '../findings.ts'
import { costs, opens } from '../ledger.ts'
import { at, isTokenProgram, type Memory, type Program, type ProgramCall } from './call.ts'
import { empties } from './lamports.ts'
import { swaps, unread } from './swaps.ts'

/** The largest loss of a route against its quote. */
const MAX_SLIPPAGE_BPS = 5_000

export const JUPITER_ROUTER: Program = {
  foresee(call, memory) {
    const opened = openedBy(call)
    if (opened?.isKnown) memory.opens(opened.account, opened.owner, opened.mint)
  },
  read(call, found, memory) {
    const { where, data } = call
    const layout = ROUTE_LAYOUTS.get(kindOf(call))
    const terms = layout && routeTerms(data, layout)
    if (layout !== undefined && terms) return swap(call, layout, terms, found, memory)
    switch (kindOf(call)) {
      case KINDS.createTokenAccount:
      case KINDS.createAssociated: {
        const { account, owner, payer, isKnown } = openedBy(call)!
        const words = `opens the token account ${account} of ${found.nameOf(owner ?? 'nobody')}`
        const rent = opens(payer, accountRent(SOLANA_CEILING), owner)
        found.act('create', words, { program: JUPITER_PROGRAM, from: payer, to: account }, [rent])
        if (!isKnown) found.leave(where, 'it calls a token program that is not known here', data)
        return
      }
      case KINDS.closeWrappedSol: {
        const to = at(call, 1)
        const more = { program: JUPITER_PROGRAM, asset: 'native', to }
        found.act('close', 'unwraps SOL', more, [empties(found, call, to, to)])
        return
      }
      default:
        unread(call, found, 'swap', 'swaps at Jupiter')
    }
  },
}

const kindOf = ({ data }: ProgramCall): string => bytesToHex(data.subarray(0, 8))

type Layout = NonNullable<ReturnType<typeof ROUTE_LAYOUTS.get>>
type Terms = NonNullable<ReturnType<typeof routeTerms>>

function swap(call: ProgramCall, layout: Layout, terms: Terms, found: Findings, memory: Memory): void {
  const [mintOut, authority] = [at(call, layout.mintOut), at(call, layout.authority)]
  const { amountIn, minOut, quotedOut, slippageBps, platformFeeBps: bps, positiveSlippageBps } = terms
  const fee = (quotedOut * BigInt(bps)) / BPS
  swaps(call, found, memory, {
    authority,
    mintIn: at(call, layout.mintIn),
    mintOut,
    source: at(call, layout.source),
    targets: layout.destinations.map((i) => at(call, i)).filter((account) => account !== JUPITER_PROGRAM),
    amountIn,
    minOut,
    fields: {
      slippage_bps: String(slippageBps),
      platform_fee_bps: String(bps),
      surplus_fee_bps: String(positiveSlippageBps),
    },
    fees: bps > 0 ? [costs(authority, mintOut, fee, null, { what: 'platform fee', share: { bps } })] : [],
    isLoose: slippageBps > MAX_SLIPPAGE_BPS,
  })
  if (positiveSlippageBps > 0) {
    const severity = positiveSlippageBps > MAX_SLIPPAGE_BPS ? 'danger' : 'warning'
    found.risk('high_fee', `A fee takes ${positiveSlippageBps} bps of all above the quote.`, severity)
  }
  for (const program of [at(call, layout.programIn), at(call, layout.programOut)]) {
    if (isTokenProgram(program)) continue
    found.leave(call.where, 'it calls a token program that is not known here', call.data)
    found.risk('unknown_call', `${program} may get the wallet's signature.`)
  }
}

/** @returns what one of the two helpers opens; null for other instructions */
function openedBy(call: ProgramCall) {
  const [first, second, third, fourth] = [at(call, 0), at(call, 1), at(call, 2), at(call, 3)]
  switch (kindOf(call)) {
    case KINDS.createTokenAccount:
      return { account: first, owner: second, mint: third, payer: second, isKnown: isTokenProgram(fourth) }
    case KINDS.createAssociated: {
      const isKnown = call.accounts.slice(4).every((one) => OPENERS.has(one ?? ''))
      return { account: second, owner: third, mint: fourth, payer: first, isKnown }
    }
    default:
      return null
  }
}

const OPENERS = new Set([SYSTEM_PROGRAM, TOKEN_PROGRAM, TOKEN_2022_PROGRAM, ASSOCIATED_TOKEN_PROGRAM])
