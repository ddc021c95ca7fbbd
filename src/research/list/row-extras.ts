/**
 * The optional members of a row: each is present only if its value is known.
 *
 * Source: §2 TokenRow
 */
import { findMajor } from '../../chains/majors.ts'
import type { Named, RowExtras, Security } from '../../providers/market/market.ts'
import type { TokenRow } from '../../runtime/resources/tokens.ts'
import { isNameSuspicious } from './suspicious-name.ts'

type ShownExtras = Pick<TokenRow, Exclude<keyof RowExtras, 'fdv'> | 'verified' | 'nameSuspicious'>

const LASTING = ['image', 'firstPoolAt', 'launchpad', 'creatorPct', 'topTenPct'] as const

/** The extras that outlive a row without them. Changes are not among them: they belong to one point in time. */
export const lasting = (row: RowExtras): RowExtras =>
  Object.fromEntries(LASTING.filter((name) => row[name] !== undefined).map((name) => [name, row[name]]))

/**
 * @param token     with the names that the row shows
 * @param security  each source's verdict
 * @param isWrapped  whether markets list its wrapper, whose creator, holders and first pool are not the coin's
 */
export function toExtras(
  token: Named,
  row: RowExtras,
  security: Iterable<readonly [source: string, security: Pick<Security, 'verified'>]>,
  isWrapped: boolean,
): ShownExtras {
  const { changes, image } = row
  const marks = [...security].flatMap(([source, { verified }]): [string, boolean][] =>
    verified === undefined ? [] : [[source, verified]],
  )
  if (findMajor(token.chain, token.address) !== null) marks.unshift(['curated', true])
  return {
    ...(changes !== undefined && { changes: { ...changes } }),
    ...(isWrapped ? image !== undefined && { image } : lasting(row)),
    ...(marks.length > 0 && { verified: Object.fromEntries(marks) }),
    ...(isNameSuspicious(token, token.symbol, token.name) && { nameSuspicious: true }),
  }
}
