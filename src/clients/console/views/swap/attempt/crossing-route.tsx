/** The route of a swap to another chain, and its recipient there. */

import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { CrossChainQuote, DiscoverLookup, Health } from '../../../../client/index.ts'
import { useAnswer } from '../../../data/hooks.ts'
import { spare } from '../../../data/service.ts'
import { titleOf } from '../../../data/words.ts'
import { age } from '../../../format.ts'
import { useWallets } from '../../../wallets/connected.ts'
import { useTyped } from '../form/settled.tsx'
import { familyOf } from '../form/wallet-panel.tsx'
import { Arriving } from '../offers/offer.tsx'
import { nativeOf, type SwapChain, type SwapCoin } from '../order.ts'
import { type CrossingOrder, crossingInput, crossingQuote, needsRecipient } from './crossing.ts'
import type { Crossing } from './types.ts'
import words from './words.json' with { type: 'json' }

/** A route is built as it is quoted, and would be stale after that. */
const EVERY_MS = 30_000

type Answer = ReturnType<typeof useAnswer<'xquote'>>

/** What a route is asked for, in the order of their rows. */
const PREFERENCES = { CHEAPEST: 'Cheapest', FASTEST: 'Fastest' } as const
export type Preference = keyof typeof PREFERENCES

/** A route that was found, for one preference or for both. */
export interface FoundRoute {
  readonly preference: Preference
  readonly answer: CrossChainQuote
  readonly at: number
  readonly tags: readonly string[]
}

/** The routes of both preferences: one, if they are the same. */
function routesOf(answers: readonly (readonly [Preference, Answer])[]): readonly FoundRoute[] {
  const idOf = ({ tool, estimate: { toAmount, stated } }: CrossChainQuote): string =>
    `${tool} ${toAmount} ${stated.executionDuration}`
  const found = new Map<string, FoundRoute>()
  for (const [preference, { data: answer, at }] of answers) {
    if (answer === null) continue
    const same = found.get(idOf(answer))
    const tags = [...(same?.tags ?? []), PREFERENCES[preference]]
    found.set(idOf(answer), { ...(same ?? { preference, answer, at: at! }), tags })
  }
  return [...found.values()]
}

/** @param order  null: there is none to request */
export function useCrossing(
  order: CrossingOrder | null,
  chain: SwapChain,
  target: SwapChain,
  wallet: string | null,
  to: string,
) {
  // Not before the wallet and the recipient are known.
  const isWhole = order !== null && wallet !== null && (to !== '' || !needsRecipient(chain, target))
  const input = isWhole ? crossingInput(order, chain, target, wallet, to) : null
  const options = { everyMs: EVERY_MS, budgetPauseMs: spare('swap') }
  const cheapest = useAnswer('xquote', input && { ...input, order: 'CHEAPEST' }, options)
  const fastest = useAnswer('xquote', input && { ...input, order: 'FASTEST' }, options)
  const [picked, pick] = useState<Preference>('CHEAPEST')
  // The first row stays the first: the other one is not shown before it.
  const isBegun = cheapest.data !== null || cheapest.error !== null
  const isFastest = isBegun && fastest.data !== null && (picked === 'FASTEST' || cheapest.data === null)
  const query = isFastest ? fastest : cheapest
  const { data: answer, exchange } = query
  /** The order and its answer; null before that. */
  const answered: Crossing | null = answer && input && { input, answer, exchange }
  const asked = [['CHEAPEST', cheapest] as const, ['FASTEST', fastest] as const]
  const routes = isBegun ? routesOf(asked) : []
  return { isAsked: isWhole, query, answered, routes, pick }
}

/** Chains whose swaps may pay another wallet. */
const PAYING: readonly (string | null)[] = ['evm', 'solana']

/**
 * The recipient, kept only in this page's memory: the URL does not have it.
 * @param bought  the address of what is bought: on Solana, another wallet gets a token, not SOL
 */
export function useRecipient(chain: SwapChain, target: SwapChain, bought: string, health: Health | null) {
  const { wallet } = useWallets(familyOf(target), health)
  const [typed, type] = useState({ chain: '', address: '' })
  const isNeeded = needsRecipient(chain, target)
  const family = familyOf(chain)
  const isCoin = family === 'solana' && bought === nativeOf(chain).address
  const isOffered = chain === target && PAYING.includes(family) && !isCoin
  const own = wallet?.address ?? ''
  const isTyped = typed.chain === target.key && (isNeeded || isOffered)
  const address = isTyped ? typed.address : isNeeded ? own : ''
  const change = (address: string): void => type({ chain: target.key, address })
  const isOwn = address !== '' && address === own
  const asked = isOwn || address === '' ? null : address
  const { data, error } = useAnswer('discoverLookup', asked === null ? null : { address: asked })
  const refusal = data === null ? null : refusalOf(data, target)
  // What cannot be looked up is for the gateway to refuse.
  const isChecked = asked === null || data !== null || error !== null
  const to = isChecked && refusal === null ? address : ''
  return { isNeeded, isOffered, address, isOwn, change, refusal, to }
}

/** Why nothing is sent to an address: it isn't a wallet. */
function refusalOf({ candidates }: DiscoverLookup, { key, name }: SwapChain): string | null {
  const found = candidates.find(({ chain }) => chain === key)
  if (found === undefined || found.kind === 'wallet' || found.kind === 'account') return null
  const told = `This is ${NOT_WALLETS[found.kind] ?? `the token ${found.symbol ?? ''}`.trim()} on ${name}, not a wallet`
  return `${told}: what is sent there is lost. Enter a wallet's own address.`
}

const NOT_WALLETS: Readonly<Record<string, string>> = words.notWallets

interface RecipientProps {
  /** The name of the chain that it is on. */
  readonly target: string
  readonly value: string
  readonly isOwn: boolean
  /** Without it the output would go nowhere. */
  readonly isNeeded: boolean
  /** The gateway's objection to it. */
  readonly problem: string | null
  readonly onChange: (address: string) => void
}

export function Recipient({ target, value, isOwn, isNeeded, problem, onChange }: RecipientProps) {
  // An answer that arrives while a text is typed leaves it alone.
  const { typed, type, settle } = useTyped(onChange)
  return (
    <label class="settings recipient">
      {`Recipient on ${target}`}
      <input
        value={typed ?? value}
        aria-invalid={problem !== null}
        placeholder={`${target} address`}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget: { value: text }, inputType }) =>
          inputType === 'insertFromPaste' ? settle(text) : type(text)
        }
        onChange={({ currentTarget }) => settle(currentTarget.value)}
      />
      <small>
        {isOwn
          ? `Your ${target} wallet.`
          : isNeeded
            ? 'The two networks use different addresses. Check it twice: transfers can’t be reversed.'
            : 'Empty: your own wallet. Check it twice: transfers can’t be reversed.'}
      </small>
      {problem !== null && (
        <span class="box-note" role="alert">
          {problem}
        </span>
      )}
    </label>
  )
}

interface RoutesProps {
  readonly routes: readonly FoundRoute[]
  /** The one whose transaction is reviewed. */
  readonly answer: CrossChainQuote
  readonly order: CrossingOrder
  readonly got: SwapCoin
  readonly from: string
  readonly to: string
  readonly onPick: (preference: Preference) => void
  readonly children: ComponentChildren
}

/** The routes to choose from, each with its time and what arrives. @param children  rate and costs of the one */
export function Routes({ routes, answer, order, got, from, to, onPick, children }: RoutesProps) {
  return (
    <>
      {children}
      <fieldset class="alternatives">
        <legend class="hidden">Routes</legend>
        <ul>
          {routes.map((route) => {
            const quote = crossingQuote(route.answer, order)
            const seconds = route.answer.estimate.stated.executionDuration
            return (
              <li key={route.preference}>
                <label class="check">
                  <input
                    type="radio"
                    name="route"
                    checked={route.answer === answer}
                    onChange={() => onPick(route.preference)}
                  />
                  <span>{titleOf(quote.provider)}</span>
                </label>
                <Arriving quote={quote} at={route.at} got={got} unit={` ${got.symbol ?? ''}`} />
                <small>{`${from} → ${to}${seconds === null ? '' : `, about ${age(seconds * 1_000)}`}`}</small>
                <span class="worth">
                  {routes.length > 1 &&
                    route.tags.map((tag) => (
                      <strong key={tag} class="chip">
                        {tag}
                      </strong>
                    ))}
                </span>
              </li>
            )
          })}
        </ul>
      </fieldset>
      <p class="note">
        {`${answer.unpriced === true ? 'Two sources disagree on the price' : 'Price checked against two sources'}. Delivery depends on the bridge.`}
      </p>
    </>
  )
}
