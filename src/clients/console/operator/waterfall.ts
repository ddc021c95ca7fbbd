/** A receipt as stages on a scale of time, which is logarithmic: a check takes microseconds, a block half a second. */
import type { SubmissionReceipt } from '../../client/index.ts'

export interface Stage {
  readonly name: string
  readonly kind: 'own' | 'accepted' | 'refused' | 'failed' | 'waiting' | 'landed'
  readonly fromUs: number
  /** Null: not over. */
  readonly toUs: number | null
  /** In words. */
  readonly notes: readonly string[]
}

/** Where the scale begins, µs. */
const FIRST_US = 100

/** From the arrival to the block, as they began. */
export function stagesOf({ parsedUs, verifiedUs, upstreams, landed }: SubmissionReceipt): readonly Stage[] {
  const deliveries = upstreams.map(
    ({ name, sends, sentUs, answeredUs, outcome }): Stage => ({
      name,
      kind: outcome ?? 'waiting',
      fromUs: sentUs,
      toUs: answeredUs,
      notes: [outcome ?? 'no answer yet', `sent ${sends === 1 ? 'once' : `${sends} times`}`],
    }),
  )
  return [
    { name: 'read', kind: 'own', fromUs: 0, toUs: parsedUs, notes: ['the request, and its transaction'] },
    { name: 'verified', kind: 'own', fromUs: parsedUs, toUs: verifiedUs, notes: ['the signatures'] },
    ...deliveries.sort((a, b) => a.fromUs - b.fromUs),
    ...(landed === null
      ? []
      : [
          {
            name: 'landed',
            kind: 'landed',
            fromUs: landed.us,
            toUs: landed.us,
            notes: [`slot ${landed.slot}`, 'when it was first seen there'],
          } as const,
        ]),
  ]
}

/** When the first node took it, µs; null where none has. */
export function firstAcceptanceUs({ upstreams }: SubmissionReceipt): number | null {
  const accepted = upstreams
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ answeredUs }) => answeredUs!)
  return accepted.length === 0 ? null : Math.min(...accepted)
}

/** The decade that all of them end in, µs. */
export function scaleOf(receipts: readonly SubmissionReceipt[]): number {
  const ends = receipts.flatMap(stagesOf).map(({ fromUs, toUs }) => toUs ?? fromUs)
  return 10 ** Math.max(4, Math.ceil(Math.log10(Math.max(1, ...ends))))
}

/** Where a time stands on the scale, 0 to 1. */
export function positionOf(us: number, scaleUs: number): number {
  if (us <= FIRST_US) return 0
  return Math.min(1, Math.log10(us / FIRST_US) / Math.log10(scaleUs / FIRST_US))
}

/** The decades of a scale, µs. */
export function ticksOf(scaleUs: number): readonly number[] {
  const decades = Math.round(Math.log10(scaleUs / FIRST_US))
  return Array.from({ length: decades + 1 }, (_, i) => FIRST_US * 10 ** i)
}
