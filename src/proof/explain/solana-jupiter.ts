/** Swaps by Jupiter's program, in the two forms that the proofs read: see proof/jupiter.ts. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { JUPITER_PROGRAM, KINDS, ROUTES, routeTerms } from '../jupiter.ts'
import type { Findings } from './findings.ts'
import { at, type Call, type Memory, type Program } from './solana-call.ts'

/** What a route may lose against its quote before it is no quote. */
const MAX_SLIPPAGE_BPS = 5_000

export const JUPITER: Program = {
  foresee(call, memory) {
    if (kindOf(call) === KINDS.createTokenAccount) memory.opens(at(call, 0), at(call, 1))
    if (kindOf(call) === KINDS.createAssociated) memory.opens(at(call, 1), at(call, 2))
  },
  read(call, found, memory) {
    const { where, data } = call
    const layout = ROUTES.get(kindOf(call))
    const terms = layout && routeTerms(data, layout)
    if (layout !== undefined && terms) return swap(call, layout, terms, found, memory)
    switch (kindOf(call)) {
      case KINDS.createTokenAccount:
      case KINDS.createAssociated:
        return found.act('create', 'opens a token account', { program: JUPITER_PROGRAM })
      case KINDS.closeWrappedSol:
        found.act('close', 'unwraps SOL', { program: JUPITER_PROGRAM, asset: 'native', to: at(call, 1) })
        return found.hands('close_to_stranger', at(call, 1), 'The SOL')
      default:
        found.act('swap', 'swaps at Jupiter, by an instruction that is not read here', {
          program: JUPITER_PROGRAM,
        })
        found.leave(where, 'an instruction of Jupiter that is not read here', data)
    }
  },
}

const kindOf = ({ data }: Call): string => bytesToHex(data.subarray(0, 8))

type Layout = NonNullable<ReturnType<typeof ROUTES.get>>
type Terms = NonNullable<ReturnType<typeof routeTerms>>

function swap(call: Call, layout: Layout, terms: Terms, found: Findings, memory: Memory): void {
  const [mintIn, mintOut] = [at(call, layout.mintIn), at(call, layout.mintOut)]
  const source = at(call, layout.source)
  const targets = layout.destinations.map((i) => at(call, i)).filter((account) => account !== JUPITER_PROGRAM)
  found.act(
    'swap',
    `swaps ${terms.amountIn} of ${mintIn} for at least ${terms.minOut} of ${mintOut} at Jupiter`,
    {
      program: JUPITER_PROGRAM,
      asset: mintIn,
      amount: String(terms.amountIn),
      from: source,
      to: targets.at(-1) ?? null,
      fields: {
        asset_out: mintOut ?? '',
        at_least: String(terms.minOut),
        slippage_bps: String(terms.slippageBps),
      },
    },
  )
  if (terms.minOut === 0n || terms.slippageBps > MAX_SLIPPAGE_BPS)
    found.risk('no_minimum', `At least ${terms.minOut} arrive.`)
  for (const target of targets) {
    const owner = memory.ownerOf(target, mintOut)
    if (!found.isOwn(owner)) found.pays(owner ?? target, 'What is bought')
  }
}
