/**
 * The file of a trade: what was ordered, quoted, built, verified, signed and received, each with its time and
 * source, in one JSON that anybody can judge again without a network.
 *
 * Its text is the only one that its content has, and its last member is the SHA-256 of the rest. A bit that is
 * flipped is found by that; whoever computes the digest anew is found by the verdict, which is repeated.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Judgement, Trade, Verdict } from './types.ts'
import { verify } from './verify.ts'

const FORMAT = 'swapgate-trade/1'
/** More than any trade has. */
const MAX_CHARACTERS = 1_000_000

/** @returns the file's text */
export async function tradeFile(trade: Trade): Promise<string> {
  const verdict = await verdictOf(trade)
  return textOf({ format: FORMAT, ...trade, verdict: recorded(verdict) })
}

/** @param text  a file's */
export async function judgeTrade(text: string): Promise<Judgement> {
  const file = read(text)
  if (file === null) {
    return { isIntact: false, isRepeated: false, verdict: null, onlyChainTells: [] }
  }
  const verdict = await verdictOf(file)
  return {
    isIntact: true,
    isRepeated: JSON.stringify(recorded(verdict)) === JSON.stringify(file.verdict),
    verdict,
    onlyChainTells: [
      ...(verdict.isVerified ? verdict.stated : []),
      ...(file.signed === undefined ? ['signed'] : ['inclusion']),
      ...(file.receipt === undefined ? [] : ['receipt']),
    ],
  }
}

/** As it was when the gateway answered; what a node said then is in the file's `stated`. */
const verdictOf = ({ order, built }: Trade): Promise<Verdict> =>
  verify(order, built.body, { now: () => built.at })

/** The verdict without its material, which is in what was built. */
function recorded(verdict: Verdict): object {
  if (!verdict.isVerified) return { isVerified: false, rule: verdict.rule }
  const { level, checks, stated, facts } = verdict
  return { isVerified: true, level, checks, stated, facts }
}

function textOf(content: object): string {
  const digest = bytesToHex(sha256(utf8ToBytes(JSON.stringify(content))))
  return `${JSON.stringify({ ...content, digest }, null, 2)}\n`
}

/** @returns null for what is no file of this format, or has another text than its content */
function read(text: string): (Trade & { readonly verdict: unknown }) | null {
  if (text.length > MAX_CHARACTERS) return null
  try {
    const { digest: _, ...content } = JSON.parse(text) as Trade & {
      format: string
      digest: string
      verdict: unknown
    }
    const { format, order, built } = content
    const isTrade =
      format === FORMAT && typeof order === 'object' && order !== null && typeof built?.at === 'number'
    return isTrade && textOf(content) === text ? content : null
  } catch {
    return null
  }
}
