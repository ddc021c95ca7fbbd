/** What is known against the tokens of a swap: shown where they are picked, ordered and reviewed. */
import type { TokenProfile, TokenRisks } from '../../../../client/index.ts'
import { useAnswer } from '../../../data/hooks.ts'
import { Kept, useKept } from '../../../data/kept.ts'
import { titleOf } from '../../../data/words.ts'
import { age, shortAddress } from '../../../format.ts'
import { Checkbox } from '../../../parts/controls.tsx'
import type { TokenChoice } from './choices.ts'

/** The profile of a token that is in no list, by its address; null before its answer, or for one that is listed. */
export function useProfile(token: Pick<TokenChoice, 'chain' | 'address' | 'isListed'> | null) {
  const isAsked = token !== null && !token.isListed && token.address !== ''
  return useAnswer('token', isAsked ? { chain: token.chain, address: token.address } : null)
}

/** A token by the name that its sources give it; its symbol proves nothing about what it is. */
export function named(token: TokenChoice, profile: TokenProfile | null): TokenChoice {
  const { symbol = null, name = null, price = null, liq = null } = profile?.row ?? {}
  return token.isListed ? token : { ...token, symbol, name, price: token.price ?? price, liq }
}

const isSame = (a: TokenRisks, b: TokenRisks): boolean =>
  a.chain === b.chain && a.token.toLowerCase() === b.token.toLowerCase()

/** The risks of the swap; for a token that was unchecked when it was quoted, what was found out since. */
export const risksOfSwap = (
  quoted: readonly TokenRisks[] | undefined,
  found: readonly (TokenRisks | undefined)[],
): readonly TokenRisks[] => {
  const known = found.filter((one) => one !== undefined)
  const fresh = (one: TokenRisks): TokenRisks =>
    one.checked === 'nobody' ? (known.find((other) => isSame(other, one)) ?? one) : one
  return quoted === undefined ? known : quoted.map(fresh)
}

type RiskFlag = TokenRisks['flags'][number]

export const graveOf = ({ flags }: TokenRisks): readonly RiskFlag[] => flags.filter(({ isGrave }) => isGrave)

export const isGrave = (risks: readonly TokenRisks[]): boolean => risks.some((one) => graveOf(one).length > 0)

/** What was accepted, by token and flags: another flag asks again. */
const accepted = new Kept<ReadonlySet<string>>(new Set())
const keyOf = (risks: TokenRisks): string =>
  [risks.chain, risks.token, ...graveOf(risks).map(({ flag }) => flag)].join(' ')

export function useAccepted(risks: readonly TokenRisks[]): boolean {
  const all = useKept(accepted)
  return risks.every((one) => graveOf(one).length === 0 || all.has(keyOf(one)))
}

function accept(risks: TokenRisks, isAccepted: boolean): void {
  const others = [...accepted.value].filter((key) => key !== keyOf(risks))
  accepted.set(new Set(isAccepted ? [...others, keyOf(risks)] : others))
}

/** In a few words, for a row of the picker. */
export function briefly({ checked, checkedBy, flags }: TokenRisks): string {
  const [worst] = flags
  if (worst?.isGrave) return `Danger: ${worst.reason}`
  if (checked === 'nobody') return 'Not on any list, not checked'
  return checked === 'chosen' ? '' : `Not on any list; no grave flag by ${listed(checkedBy)}`
}

const nameOf = ({ symbol, name, token }: TokenRisks): string => symbol ?? name ?? shortAddress(token)
const listed = (from: readonly { readonly source: string }[]): string =>
  from.map(({ source }) => titleOf(source)).join(', ')

interface RisksProps {
  readonly risks: readonly TokenRisks[]
  readonly now: number
}

/** Each grave token has to be accepted. */
export function Risks({ risks, now }: RisksProps) {
  const all = useKept(accepted)
  const told = risks.filter(({ checked, flags }) => checked === 'nobody' || flags.length > 0)
  if (told.length === 0) return null
  return (
    <div class="risks">
      {told.map((one) => {
        const grave = graveOf(one)
        return (
          <section key={`${one.chain} ${one.token}`} class={grave.length > 0 ? 'shape danger' : 'shape warn'}>
            <strong>{nameOf(one)}</strong>
            {one.flags.length === 0 && ' Nobody has checked this token: its risks are unknown.'}
            <ul>
              {one.flags.map(({ flag, source, at, reason }) => (
                <li key={`${flag} ${source}`}>
                  {reason}
                  <small class="risk-source">
                    {source === null
                      ? ' swapgate'
                      : ` ${titleOf(source)}${at === null ? '' : `, ${age(now - at)} ago`}`}
                  </small>
                </li>
              ))}
            </ul>
            {grave.length > 0 && (
              <Checkbox
                class="accept"
                checked={all.has(keyOf(one))}
                onChange={(isAccepted) => accept(one, isAccepted)}
              >
                {`I swap ${nameOf(one)} although: ${grave[0]!.reason}`}
              </Checkbox>
            )}
          </section>
        )
      })}
    </div>
  )
}
