/** A receipt as stages on a logarithmic time scale: a check takes microseconds, a block half a second. */
import type { SubmissionReceipt } from '../../client/index.ts'

/** The outcomes of what was not sent, and why. */
const NOT_SENT = {
  untipped: 'it lacks the tip that the service asks for',
  unpriced: 'it lacks the price of compute units that the service asks for',
  throttled: 'the service takes no more transactions at the moment',
} as const

type Withheld = keyof typeof NOT_SENT

export interface ReceiptStage {
  readonly name: string
  readonly kind: 'own' | 'accepted' | 'refused' | 'failed' | Withheld | 'waiting' | 'landed'
  readonly fromUs: number
  /** Null while the stage lasts. */
  readonly toUs: number | null
  /** Lines for the tooltip. */
  readonly notes: readonly string[]
}

/** The start of the scale, µs. */
const FIRST_US = 100

/** The stages from the request's arrival to the block, in order of their start. */
export function stagesOf({
  parsedUs,
  verifiedUs,
  upstreams,
  landed,
}: SubmissionReceipt): readonly ReceiptStage[] {
  const deliveries = upstreams.map(
    ({ name, sends, sentUs, answeredUs, outcome }): ReceiptStage => ({
      name,
      kind: outcome ?? 'waiting',
      fromUs: sentUs,
      toUs: answeredUs,
      notes:
        outcome !== null && outcome in NOT_SENT
          ? [`not sent: ${NOT_SENT[outcome as Withheld]}`]
          : [outcome ?? 'no answer yet', `sent ${sends === 1 ? 'once' : `${sends} times`}`],
    }),
  )
  return [
    { name: 'read', kind: 'own', fromUs: 0, toUs: parsedUs, notes: ['the request and its transaction'] },
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
            notes: [`slot ${landed.slot}`, 'when the gateway first saw it there'],
          } as const,
        ]),
  ]
}

/** When the first upstream accepted the transaction, µs; null if none has. */
export function firstAcceptanceUs({ upstreams }: SubmissionReceipt): number | null {
  const accepted = upstreams
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ answeredUs }) => answeredUs!)
  return accepted.length === 0 ? null : Math.min(...accepted)
}

/** The end of the scale, a power of ten that covers all receipts, µs. */
export function scaleOf(receipts: readonly SubmissionReceipt[]): number {
  const ends = receipts.flatMap(stagesOf).map(({ fromUs, toUs }) => toUs ?? fromUs)
  return 10 ** Math.max(4, Math.ceil(Math.log10(Math.max(1, ...ends))))
}

/** The position of a time on the scale, 0 to 1. */
export function positionOf(us: number, scaleUs: number): number {
  if (us <= FIRST_US) return 0
  return Math.min(1, Math.log10(us / FIRST_US) / Math.log10(scaleUs / FIRST_US))
}

/** The powers of ten on the scale, µs. */
export function ticksOf(scaleUs: number): readonly number[] {
  const decades = Math.round(Math.log10(scaleUs / FIRST_US))
  return Array.from({ length: decades + 1 }, (_, i) => FIRST_US * 10 ** i)
}
