/**
 * Submission services as described by their public documents, read in November 2026 but not tested: the path
 * of their `sendTransaction`, and the least tip and price that they accept. Their keys are in the URL's
 * query; Jupiter's is in a header: https://x-api-key:KEY@tx.jup.ag. A URL of another host has no row, and
 * gets every transaction that a node has accepted.
 *
 * Source: docs.jito.wtf/lowlatencytxnsend · helius.dev/docs/sending-transactions/sender ·
 * use.temporal.xyz/nozomi · astralane.gitbook.io/docs/low-latency · dev.jup.ag/docs, transaction/submit
 */
import { encodeBase58 } from '../../../chains/solana/base58.ts'
import { computeBudgetOf } from '../../../chains/solana/compute-budget.ts'
import { SYSTEM_PROGRAM } from '../../../chains/solana/programs.ts'
import { MAX_V1_TRANSACTION_BYTES } from '../../../chains/solana/sizes.ts'
import { WireTransaction } from '../../../chains/solana/wire.ts'
import type { Quota } from '../../admission/governor.ts'
import rows from './landing-rows.json' with { type: 'json' }
import tipAccounts from './tip-accounts.json' with { type: 'json' }

const TRANSFER = 2
const TRANSFER_BYTES = 12

/** A row of landing-rows.json. */
interface LandingRow {
  readonly name: string
  /** Its host, which regions put a name before. */
  readonly host: string
  /** The path of sendTransaction, for a URL without a path. */
  readonly path: string
  /** A query parameter that selects the row. */
  readonly query?: string
  /** Lamports, by the cheapest of its plans. */
  readonly leastTip: string
  /** Micro-lamports per compute unit, as the transaction's own instruction sets it; 0 if none is required. */
  readonly leastPrice: string
  /** How often it takes a transaction from one address, if the URL has no key; null if that is often. */
  readonly quota: Quota | null
  /** The parameter of the query that has a key. */
  readonly key?: string
  /** The list of tip-accounts.json. */
  readonly tips: string
}

export interface LandingService extends Omit<LandingRow, 'host' | 'leastTip' | 'leastPrice' | 'tips'> {
  readonly host: RegExp
  readonly leastTip: bigint
  readonly leastPrice: bigint
  /** Base58. An address that merely begins like one of them can be anybody's. */
  readonly tipAccounts: readonly string[]
}

/** The first row that fits is a URL's. Helius requires the price's instruction, whatever the price. */
export const LANDING_SERVICES: readonly LandingService[] = rows.map(
  ({ host, leastTip, leastPrice, tips, ...row }: LandingRow) => ({
    ...row,
    host: new RegExp(host),
    leastTip: BigInt(leastTip),
    leastPrice: BigInt(leastPrice),
    tipAccounts: tipAccounts[tips as keyof typeof tipAccounts],
  }),
)

/** Where tips go: base58. */
export const TIP_ACCOUNTS: ReadonlySet<string> = new Set(
  LANDING_SERVICES.flatMap(({ tipAccounts }) => tipAccounts),
)

/**
 * A service's URL, with its path if it has none, and its row, without the quota if the URL has a key; null
 * for a service without a row.
 */
export function landingServiceOf(
  text: string,
  rows: readonly LandingService[] = LANDING_SERVICES,
): { readonly url: string; readonly row: LandingService | null } {
  const url = new URL(text)
  const row =
    rows.find(
      ({ host, query }) =>
        host.test(url.hostname) && (query === undefined || url.searchParams.get(query) === 'true'),
    ) ?? null
  if (row !== null && url.pathname === '/') url.pathname = row.path
  const isKeyed = row?.key !== undefined && url.searchParams.has(row.key)
  return { url: url.href, row: isKeyed ? { ...row, quota: null } : row }
}

/** What services look for in a transaction. */
export type Offering = Readonly<ReturnType<typeof offeringOf>>

/**
 * Reads what a transaction offers. Payments by programs, and to accounts of a lookup table, are not visible
 * in its bytes and do not count; nor does the priority fee of version 1, which isn't a price per unit.
 * @param base64  a transaction that was parsed before
 */
export function offeringOf(base64: string) {
  const wire = new WireTransaction()
  const isRead = wire.parse(Buffer.from(base64, 'base64'), MAX_V1_TRANSACTION_BYTES) === null
  /** Micro-lamports per compute unit. */
  const price = (isRead && computeBudgetOf(wire)?.price) || 0n
  return { tips: isRead ? transfersIn(wire) : [], price }
}

/**
 * What a service requires and a transaction lacks: its tip, which is one transfer of enough lamports, or its
 * price.
 */
export function lackOf(offering: Offering, service: LandingService): 'untipped' | 'unpriced' | null {
  if (tipAt(offering, service) < service.leastTip) return 'untipped'
  return offering.price < service.leastPrice ? 'unpriced' : null
}

/** The largest transfer to an account of a service, lamports; 0 without one. */
export function tipAt({ tips }: Pick<Offering, 'tips'>, { tipAccounts }: LandingService): bigint {
  return tips.reduce((most, { to, lamports }) => {
    return lamports > most && tipAccounts.includes(to) ? lamports : most
  }, 0n)
}

/** Lamports in transfers to accounts of any service. */
export function tipsIn(wire: WireTransaction): bigint {
  return transfersIn(wire).reduce((sum, { lamports, to }) => {
    return TIP_ACCOUNTS.has(to) ? sum + lamports : sum
  }, 0n)
}

/** Transfers of the System program to accounts that the bytes name. */
function transfersIn(wire: WireTransaction) {
  return wire.instructions().flatMap(({ programIndex, accounts, data }) => {
    const to = accounts[1]
    if (to === undefined || to >= wire.keyCount || data.length !== TRANSFER_BYTES) return []
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    const lamports = view.getBigUint64(4, true)
    if (view.getUint32(0, true) !== TRANSFER || lamports === 0n) return []
    if (encodeBase58(wire.key(programIndex)) !== SYSTEM_PROGRAM) return []
    return [{ lamports, to: encodeBase58(wire.key(to)) }]
  })
}
