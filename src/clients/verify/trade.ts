/**
 * The file of a trade: what was ordered, quoted, built, verified, signed and received, each with its time and
 * source, in one JSON that anybody can judge again without a network.
 *
 * Its content has only one spelling, and its last member is the SHA-256 of the rest. A flipped bit is
 * detected by that; a recomputed digest by the verdict, which is repeated.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { quantity } from '../../chains/json/quantity.ts'
import type { ExplainRequest } from '../../explain/types.ts'
import { Findings } from './findings.ts'
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
  if (file === null) return { isIntact: false, isRepeated: false, verdict: null, ...NOTHING_FOUND }
  const verdict = await verdictOf(file)
  const isRepeated = JSON.stringify(recorded(verdict)) === JSON.stringify(file.verdict)
  const { bind } = await import('./bind.ts')
  const found = new Findings()
  if (verdict.isVerified) {
    for (const what of verdict.stated) found.leave('built', `its ${what} is the gateway's word`)
  } else {
    const { ruleInWords } = await import('./rules.ts')
    const { rule, message } = verdict
    found.expect(false, 'built', rule, ruleInWords(rule) ?? message, await foundIn(file))
  }
  await bind(file, verdict, found)
  const { broken, notBound, changes } = found
  return { isIntact: true, isRepeated, verdict, broken, notBound, changes }
}

const NOTHING_FOUND = { broken: [], notBound: [], changes: [] }

/** What the built transaction does, in words. */
async function foundIn({ order, built }: Trade): Promise<string> {
  const answer = (built.body ?? {}) as Readonly<Record<string, unknown>>
  const { to, data, value, transactionRequest, solanaTransaction, suiTransaction, tonConnect } = answer
  const call = transactionRequest ?? { to, data, value: typeof value === 'string' ? hexOf(value) : value }
  const transaction = solanaTransaction ?? suiTransaction
  const what = transaction ? { transaction } : tonConnect ? { messages: tonConnect } : { call }
  const { explain, inWords } = await import('./explain.ts')
  try {
    const chain = 'chain' in order ? order.chain : order.fromChain
    return inWords(await explain({ chain, owner: order.from, ...what } as ExplainRequest, {}))
  } catch (error) {
    return `what cannot be read: ${error instanceof Error ? error.message : error}`
  }
}

const hexOf = (decimal: string): string => (/^\d+$/.test(decimal) ? quantity(BigInt(decimal)) : decimal)

/** As it was when the gateway answered. What relied on the gateway then is in the verdict's `stated`. */
async function verdictOf({ order, built }: Trade): Promise<Verdict> {
  const now = () => built.at
  const verdict = await verify(order, built.body, { now })
  if (verdict.isVerified || verdict.stated === undefined) return verdict
  return verify(order, built.body, { now, accept: verdict.stated })
}

/** The verdict without what is signed, which follows from the built transaction. */
function recorded(verdict: Verdict): object {
  if (!verdict.isVerified) return { isVerified: false, rule: verdict.rule }
  const { level, checks, stated, facts } = verdict
  return { isVerified: true, level, checks, stated, facts }
}

function textOf(content: object): string {
  const digest = bytesToHex(sha256(utf8ToBytes(JSON.stringify(content))))
  return `${JSON.stringify({ ...content, digest }, null, 2)}\n`
}

/** @returns null if it isn't a file of this format, or isn't spelled canonically */
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
