/** The tokens that a swap may be of: the chains' own, and those of the token list, with their prices. */
import type { SwapOptions, TokenRow } from '../../../../client/index.ts'
import type { SwapCoin } from '../order.ts'
import { isSameToken, type TokenAt } from './pair.ts'

export interface TokenChoice extends SwapCoin, TokenAt {
  /** Dollars; null if it is not known. */
  readonly price: number | null
  /** Dollars in its pools; null if the list does not have it. */
  readonly liq: number | null
  /** A link to its logo; null if no list names one. */
  readonly image: string | null
  /** Of the chain itself, or in the token list. */
  readonly isListed: boolean
}

const idOf = ({ chain, address }: TokenAt): string => `${chain} ${address.toLowerCase()}`

/** The chains' own tokens first, then the list's by the depth of their pools. */
export function choicesOf({ chains }: SwapOptions, rows: readonly TokenRow[]): readonly TokenChoice[] {
  const listed = new Map(rows.map((row) => [idOf(row), row]))
  const majors = chains.flatMap(({ key, majors: own }) =>
    own.map(({ address, symbol, name, decimals, kind }): TokenChoice => {
      const row = listed.get(idOf({ chain: key, address }))
      const wrapped = kind === 'native' ? own.find((one) => one.kind === 'wrapped') : undefined
      const same = wrapped && listed.get(idOf({ chain: key, address: wrapped.address }))
      const price = row?.price ?? same?.price ?? null
      const [liq, image] = [row?.liq ?? null, row?.image ?? null]
      return { chain: key, address, symbol, name, decimals, price, liq, image, isListed: true }
    }),
  )
  const known = new Set(majors.map(idOf))
  const keys = new Set(chains.map(({ key }) => key))
  const others = rows
    .filter((row) => keys.has(row.chain) && !known.has(idOf(row)))
    .map(({ chain, address, symbol, name, ...row }): TokenChoice => {
      const { decimals = null, price = null, liq = null, image = null } = row
      return { chain, address, symbol, name, decimals, price, liq, image, isListed: true }
    })
  return [...majors, ...others.sort((a, b) => (b.liq ?? 0) - (a.liq ?? 0))]
}

/** Of a token that is not among the choices only its address is known. */
export const choiceOf = (token: TokenAt, choices: readonly TokenChoice[]): TokenChoice =>
  choices.find((choice) => isSameToken(choice, token)) ?? unlisted(token)

export const unlisted = ({ chain, address }: TokenAt): TokenChoice => ({
  chain,
  address,
  symbol: null,
  name: null,
  decimals: null,
  price: null,
  liq: null,
  image: null,
  isListed: false,
})

/** The choices that a text finds by symbol, name or the beginning of an address; those of just this symbol first. */
export function matching(choices: readonly TokenChoice[], typed: string): readonly TokenChoice[] {
  const text = typed.trim().toLowerCase()
  const found = choices.filter(
    ({ symbol, name, address }) =>
      symbol?.toLowerCase().includes(text) ||
      name?.toLowerCase().includes(text) ||
      address.toLowerCase().startsWith(text),
  )
  const isExact = ({ symbol }: TokenChoice): boolean => symbol?.toLowerCase() === text
  return [...found.filter(isExact), ...found.filter((choice) => !isExact(choice))]
}
