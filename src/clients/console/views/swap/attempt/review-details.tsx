/** The details of a review that unfold: fees, programs, and what was checked. */

import { type ComponentChildren, Fragment } from 'preact'
import type { Chain } from '../../../../client/index.ts'
import { ruleInWords } from '../../../../verify/rules.ts'
import type { Confirmed } from '../../../../verify/types.ts'
import { titleOf } from '../../../data/words.ts'
import { price as dollarsOf, estimate } from '../../../format.ts'
import { CurlLine } from '../../../parts/curl-line.tsx'
import { OnChain } from '../../../parts/explorer.tsx'
import { Term } from '../../../parts/fact.tsx'
import { Figure } from '../../../parts/figure.tsx'
import { groupsOf, LEVELS } from '../offers/rules.ts'
import { type Built, brief, exactly } from '../order.ts'
import type { Attempt } from './types.ts'
import words from './words.json' with { type: 'json' }

export type Reviewed = Attempt & { readonly built: Built; readonly verdict: Confirmed }

/** Unproved claims, by the page's own reading or the gateway's. */
export const claimsOf = ({ built, verdict }: Reviewed): readonly string[] => [
  ...new Set([
    ...verdict.stated,
    ...(verdict.facts.receives.decimals === null ? ['decimals'] : []),
    ...(built.verification?.stated ?? []),
  ]),
]

export const VERIFIED = 'the transaction, as this page read it'

export const exactFigure =
  (source: string, at: number | null, notes: readonly string[] = []) =>
  (base: string | undefined, coin: NamedCoin) => (
    <Figure
      source={source}
      at={at}
      notes={[...notes, base === undefined ? null : `Exactly ${exactly(base, coin)}.`]}
      value={base === undefined ? null : Number(base)}
      format={() => brief(base!, coin)}
      unknown="The gateway did not find it in the transaction."
    />
  )

type NamedCoin = Parameters<typeof exactly>[1]

/** What is paid in a native coin, in dollars; in the coin if its price is not known. */
export const feeFigure =
  (source: string, at: number | null) =>
  (base: string, coin: Attempt['native']): ComponentChildren => {
    const { price, decimals } = coin
    if (price == null || decimals === null) return exactFigure(source, at)(base, coin)
    const notes = [`Exactly ${exactly(base, coin)}, at ${dollarsOf(price)} by the token list.`]
    const usd = (Number(base) / 10 ** decimals) * price
    return <Figure source={source} at={at} notes={notes} value={usd} format={estimate} />
  }

/** The bytes' payments in the native coin, by its name. */
export const feesOf = (facts: Confirmed['facts']): readonly (readonly [name: string, amount: string])[] =>
  Object.entries(FEES).flatMap(([member, name]) => {
    const amount = facts[member as keyof typeof FEES]
    return typeof amount === 'string' && amount !== '0' ? [[name, amount] as const] : []
  })

const FEES = words.fees

/** What few read: contract, bytes, programs, expiry and the request. */
export function Details({ attempt, chain }: { readonly attempt: Reviewed; readonly chain: Chain | null }) {
  const { built, builtAt, exchange, native, verdict } = attempt
  const { facts, send } = verdict
  const swap = send.family === 'evm' ? send.transactions.at(-1)! : null
  return (
    <details class="details">
      <summary>Details</summary>
      <dl class="facts">
        {swap !== null && (
          <Term title="Contract">
            <OnChain chain={chain} id={swap.to} />
            {` with ${(swap.data.length - 2) / 2} bytes of data, carrying `}
            {exactFigure(VERIFIED, builtAt)(String(BigInt(swap.value)), native)}
          </Term>
        )}
        {Array.isArray(facts.programs) && (
          <Term title="Programs">
            {facts.programs.map((program: string) => (
              <code key={program} class="program">
                {PROGRAMS[program] ?? <OnChain chain={chain} id={program} />}
              </code>
            ))}
          </Term>
        )}
        {built.lastValidBlockHeight !== undefined && (
          <Term title="Valid until">
            <Figure
              source={`${titleOf(built.provider)}'s build`}
              at={builtAt}
              value={built.lastValidBlockHeight}
              format={(height) => `block ${height.toLocaleString('en-US')}`}
              notes={['About a minute after the build.']}
            />
          </Term>
        )}
      </dl>
      <CurlLine exchange={exchange} of="the build" />
    </details>
  )
}

const PROGRAMS: Readonly<Record<string, string>> = words.programs

/** Everything that the verdict rests on, and who checked it. */
export function Checks({ attempt }: { readonly attempt: Reviewed }) {
  const { native, other, token, built, builtAt, verdict } = attempt
  const claims = claimsOf(attempt)
  const simulation = built.verification?.simulation ?? null
  const coinOf = (address: string) =>
    address === 'native'
      ? native
      : ([native, other, token].find((coin) => coin.address.toLowerCase() === address.toLowerCase()) ?? {
          address,
          symbol: null,
          decimals: null,
        })
  return (
    <>
      <p class="own-verdict row">
        {`Checked again in your browser: ${verdict.checks.length} checks passed. ${LEVELS[verdict.level].text}`}
      </p>
      {claims.length > 0 && (
        <>
          <h3>Only the gateway's claim</h3>
          <Rules rules={claims} class="stated" />
        </>
      )}
      {simulation !== null && (
        <>
          <p>{`Simulated${simulation.at === null ? '' : ` at ${simulation.at.toLocaleString('en-US')}`}. Your balance changes:`}</p>
          <ul class="changes">
            {simulation.changes.map(({ token, amount }) => {
              const isLoss = amount.startsWith('-')
              return (
                <li key={token} class={isLoss ? 'down' : 'up'}>
                  {`${isLoss ? '−' : '+'}${brief(amount.replace('-', ''), coinOf(token))}`}
                </li>
              )
            })}
          </ul>
        </>
      )}
      {groupsOf(verdict.checks).map(([group, rules]) => (
        <Fragment key={group}>
          <h3>{group}</h3>
          <Rules rules={rules} class="checks" />
        </Fragment>
      ))}
      {built.verification && (
        <small>
          <Figure
            source="The gateway"
            at={builtAt}
            value={built.verification.checks.length}
            format={(count) => `The gateway checked ${count} before this page received the transaction.`}
          />
        </small>
      )}
    </>
  )
}

const Rules = ({ rules, class: name }: { readonly rules: readonly string[]; readonly class: string }) => (
  <ul class={`rules ${name}`}>
    {rules.map((rule) => (
      <li key={rule}>
        <span>{ruleInWords(rule) ?? ''}</span>
        <code>{rule}</code>
      </li>
    ))}
  </ul>
)
