/**
 * What Solana charges now, by two nodes of different hosts: the deposit for a byte of an account, and the
 * price of a signature. Both change with features of the cluster, at an epoch's end.
 *
 * If the two disagree, or only one answers, the higher value bounds what may leave a wallet, up to the
 * highest ever known, and the lower one is what a wallet needs to hold. So no honest order is refused, and a
 * node's invention is bounded.
 *
 * Source: SIMD-0437, SIMD-0553 · solana.com/docs/rpc, getMinimumBalanceForRentExemption, getFeeForMessage
 */
import { Type } from 'typebox'
import { parsedOrNone } from '../chains/json/parse.ts'
import { decodeBase58 } from '../chains/solana/base58.ts'
import { WRAPPED_SOL_MINT } from '../chains/solana/programs.ts'
import { KEY_BYTES } from '../chains/solana/sizes.ts'
import type { Call } from '../flow/call.ts'
import { ACCOUNT_OVERHEAD, SOLANA_CEILING, type SolanaRates } from '../proof/terms/fees.ts'
import { CLOCK, type Clock } from '../runtime/clock.ts'
import { named, recorded } from '../runtime/tape.ts'
import { checkOf } from '../runtime/validate.ts'
import { Coalescer } from '../upstream/answers/coalescing.ts'
import { askLatestBlockhash } from '../upstream/nodes/solana/blockhash.ts'
import type { SolanaRpc } from '../upstream/nodes/solana/rpc.ts'

/** They change at an epoch's end: for this long, orders may still carry the values before it. */
const KEPT_MS = 10_000
/** How long an answer is waited for: a build continues without it. */
const DEADLINE_MS = 1_000
const MAX_BYTES = 4_096
const VOTERS = 2

const Lamports = Type.Integer({ minimum: 1, maximum: 1_000_000_000 })
const isLamports = checkOf(Lamports)
const isFee = checkOf(Type.Object({ value: Lamports }))

export type KnownRates = ReturnType<typeof knownRates>

/** Never rejects. @returns null if no node reports them */
export interface RatesOf {
  (call: Call): Promise<KnownRates | null>
  /** The last values that nodes reported; before any, the ceiling. */
  last(): SolanaRates
}

export function createRatesOf(solana: Pick<SolanaRpc, 'voters'>, clock: Clock = CLOCK): RatesOf {
  const answers = new Coalescer<KnownRates>(KEPT_MS, named(clock, 'rates'))
  let last = SOLANA_CEILING
  const ask = (call: Call): Promise<KnownRates | null> => {
    const own = call.within(DEADLINE_MS)
    const asked = answers.join('rates', call.scope, async (scope) => {
      const nodes = solana.voters.slice(0, VOTERS)
      const told = await Promise.all(nodes.map((node) => ratesAt(node, own.in(scope)).catch(() => null)))
      const found = told.filter((rates) => rates !== null)
      if (found.length === 0) throw new RangeError('no node tells the rates')
      const known = knownRates(found)
      last = known.most
      return known
    })
    return asked.catch(() => null)
  }
  return Object.assign(ask, { last: () => recorded(clock, 'last rates', () => last) })
}

async function ratesAt(node: Pick<SolanaRpc, 'read'>, call: Call): Promise<SolanaRates | null> {
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const { result } = await node.read(method, JSON.stringify(params), call)
    return result === null || result.length > MAX_BYTES ? null : parsedOrNone(result)
  }
  const feeOf = async () => {
    const { blockhash } = await askLatestBlockhash(node, call)
    const message = Buffer.concat([MESSAGE, blockhash, Buffer.of(0)]).toString('base64')
    return ask('getFeeForMessage', [message, { commitment: 'confirmed' }])
  }
  const [rent, paid] = await Promise.all([ask('getMinimumBalanceForRentExemption', [0]), feeOf()])
  if (!isLamports(rent) || !isFee(paid)) return null
  const perByte = (BigInt(rent) + ACCOUNT_OVERHEAD - 1n) / ACCOUNT_OVERHEAD
  return { perByte, perSignature: BigInt(paid.value) }
}

/** A message of one signature and nothing else, up to its blockhash; anybody may be its payer. */
const MESSAGE = Buffer.concat([Buffer.of(1, 0, 0, 1), decodeBase58(WRAPPED_SOL_MINT, KEY_BYTES)!])

/** What may leave a wallet at the most, and what it needs to hold at the least. */
function knownRates(found: readonly SolanaRates[]) {
  const spread = (name: keyof SolanaRates) => {
    const values = found.map((rates) => rates[name]).sort((one, other) => (one < other ? -1 : 1))
    const [least, highest] = [values[0]!, values.at(-1)!]
    const isAgreed = values.length === VOTERS && least === highest
    const ceiling = SOLANA_CEILING[name]
    return { least, most: isAgreed || highest < ceiling ? highest : ceiling }
  }
  const [rent, fees] = [spread('perByte'), spread('perSignature')]
  return {
    most: { perByte: rent.most, perSignature: fees.most },
    least: { perByte: rent.least, perSignature: fees.least },
  }
}
