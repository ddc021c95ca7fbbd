/** The swap view: order, quote, build and verification, review, signature, progress. */
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SwapOptions } from '../../../client/index.ts'
import { useHealth } from '../../data/health.ts'
import { useQuery, type WatchedQuery } from '../../data/hooks.ts'
import { client } from '../../data/service.ts'
import { setParameters, type ViewLocation } from '../../location.ts'
import { Empty, Panel, ViewHead, Waiting } from '../../parts/panel.tsx'
import { useWallets } from '../../wallets/connected.ts'
import type { ViewProps } from '../view.ts'
import { type Attempt, build, dismiss, useAttempt } from './attempt.ts'
import { Form } from './form.tsx'
import { OfferOf } from './offer.tsx'
import { shownOf } from './offer-list.ts'
import { useOffers } from './offer-stream.ts'
import { Offers } from './offers.tsx'
import {
  againstOf,
  chainOf,
  DEFAULT_CHAIN,
  inputOf,
  nativeOf,
  type Priority,
  priorityOf,
  readOrder,
  type SwapChain,
  type SwapOrder,
  sidesOf,
  tokenOf,
} from './order.ts'
import { Progress } from './progress.tsx'
import { OwnRefusal, Refusal } from './refusal.tsx'
import { Review } from './review.tsx'
import type { TokenChoice } from './token-picker.tsx'
import { familyOf, WalletPanel } from './wallet-panel.tsx'

const OPTIONS_EVERY_MS = 60_000
const LIST_EVERY_MS = 60_000

export function Swap({ place }: ViewProps) {
  const options = useQuery('swap options', (callOptions) => client.swapOptions({}, callOptions), {
    everyMs: OPTIONS_EVERY_MS,
  })
  if (options.data === null) {
    return (
      <>
        <ViewHead title="Swap" query={options} />
        <Waiting query={options} />
      </>
    )
  }
  const chain = chainOf(place.parameters, options.data)
  if (chain === null) return <NoChain place={place} />
  return <Ordering place={place} options={options.data} chain={chain} />
}

function NoChain({ place }: { readonly place: ViewLocation }) {
  return (
    <>
      <ViewHead title="Swap" />
      <Empty>
        {`Swaps aren't available on ${place.parameters.get('chain')}. `}
        <button
          type="button"
          onClick={() => setParameters(place, { chain: null, token: null, against: null })}
        >
          {`Use ${DEFAULT_CHAIN}`}
        </button>
      </Empty>
    </>
  )
}

interface OrderingProps {
  readonly place: ViewLocation
  readonly options: SwapOptions
  readonly chain: SwapChain
}

function Ordering({ place, options, chain }: OrderingProps) {
  const health = useHealth()
  const choices = useChoices(chain)
  const wallets = useWallets(familyOf(chain), health.data)
  const attempt = useAttempt()
  const order = readOrder(place.parameters, chain, options)
  const isOrder = order !== null && typeof order !== 'string'
  const priority = priorityOf(place.parameters, chain)
  const address = wallets.wallet?.address ?? null
  const name = isOrder ? `quote ${JSON.stringify(inputOf(order, address))}` : null
  useEffect(() => leaveWhereOther(attempt, isOrder ? order : null, priority, address), [name, priority])
  const asked = attempt === null ? name : null
  const query = useOffers(
    asked,
    isOrder ? inputOf(order, address) : null,
    chain.providers.map(({ label }) => label),
  )
  const [picked, pick] = useState<string | null>(null)
  useEffect(() => pick(null), [asked])
  const shown = query.data === null ? null : shownOf(query.data, picked)
  const quote = shown?.quote ?? null
  const native = nativeOf(chain)
  const token = coinOf(tokenOf(place.parameters, chain), choices)
  const against = againstOf(place.parameters, chain)
  const other = against === native.address ? native : coinOf(against, choices)
  const result = useRef<HTMLDivElement>(null)
  const wallet = useRef<HTMLDivElement>(null)
  useFocusKept(result, attempt?.phase ?? 'quote')
  const isLocked = attempt?.phase === 'running'
  const isChosen = picked !== null || query.data?.best != null
  const isBuildable = isChosen && quote?.route.buildBy != null && quote.minOut !== null
  const hasQuote = isOrder && attempt === null
  return (
    <>
      <ViewHead title="Swap" {...(hasQuote ? { query } : {})} />
      <div class="swap-grid">
        <div>
          <Panel title="Order">
            <Form
              place={place}
              options={options}
              chain={chain}
              choices={choices}
              suggestedBps={quote?.suggestedSlippageBps ?? null}
              isLocked={isLocked}
            />
            {typeof order === 'string' && <p role="alert">{order}</p>}
          </Panel>
          <div ref={wallet} tabIndex={-1}>
            <Panel title="Wallet">
              <WalletPanel
                wallets={wallets}
                chain={chain}
                native={native}
                tokens={other === native ? [token] : [other, token]}
                isLocked={isLocked}
                changed={attempt?.receipt?.asOf ?? null}
              />
            </Panel>
          </div>
        </div>
        <div ref={result} tabIndex={-1} class="result">
          {attempt !== null && <Attempted attempt={attempt} />}
          {attempt === null && (
            <Panel title="Quote">
              {!isOrder ? (
                <Empty>Enter an amount to see offers.</Empty>
              ) : quote === null ? (
                <NoOffer query={query} />
              ) : (
                <>
                  <OfferOf
                    quote={quote}
                    at={shown!.at!}
                    chain={chain}
                    options={options}
                    other={other}
                    token={token}
                  >
                    {wallets.wallet === null && familyOf(chain) !== null ? (
                      <button type="button" class="primary" onClick={() => connectIn(wallet.current!)}>
                        Connect wallet
                      </button>
                    ) : (
                      <button
                        type="button"
                        class="primary"
                        disabled={wallets.wallet === null || !isBuildable}
                        onClick={() =>
                          build({ order, priority, quote, wallet: wallets.wallet!, native, other, token })
                        }
                      >
                        Review swap
                      </button>
                    )}
                  </OfferOf>
                  <Offers
                    list={query.data!}
                    shown={shown!}
                    got={sidesOf(quote, other, token).got}
                    onPick={pick}
                    onAgain={query.refresh}
                  />
                </>
              )}
            </Panel>
          )}
        </div>
      </div>
    </>
  )
}

/** Connects the only wallet there is, or leads to the choice of them. */
function connectIn(panel: HTMLElement): void {
  const wallets = panel.querySelectorAll<HTMLButtonElement>('.offers button')
  if (wallets.length === 1) wallets[0]!.click()
  else (wallets[0] ?? panel).focus()
}

/** An error that more time does not mend stands where the offers would. */
function NoOffer({ query }: { readonly query: WatchedQuery<unknown> }) {
  const status = query.error?.status ?? null
  if (status === null || status >= 500 || status === 429) return <Waiting query={query} />
  return <p role="alert">{query.error!.message}</p>
}

/** Moves the focus to the new content when the pressed button disappears with the old. */
function useFocusKept(root: RefObject<HTMLElement>, shown: string): void {
  const first = useRef(shown)
  useEffect(() => {
    if (shown !== first.current && document.activeElement === document.body) root.current?.focus()
    first.current = ''
  }, [shown])
}

function Attempted({ attempt }: { readonly attempt: Attempt }) {
  const chains = useQuery('chains', (callOptions) => client.chains(callOptions))
  const { phase, built, verdict, error } = attempt
  if (phase === 'building') {
    return (
      <Panel title="Review">
        <Empty>{`Building with ${attempt.quote.route.buildBy} and running checks…`}</Empty>
      </Panel>
    )
  }
  return (
    <>
      {attempt.steps.length > 0 && (
        <Panel title="Progress">
          <Progress attempt={attempt} />
        </Panel>
      )}
      <Panel title={phase === 'refused' ? 'Blocked' : 'Review'}>
        {error !== null && <Refusal attempt={{ ...attempt, error }} />}
        {verdict?.isVerified === false && <OwnRefusal verdict={verdict} attempt={attempt} />}
        {built !== null && verdict?.isVerified === true && (
          <Review
            attempt={attempt as Attempt & { built: typeof built }}
            chains={chains.data?.chains ?? []}
            isReview={phase === 'review'}
          />
        )}
      </Panel>
    </>
  )
}

/** Leaves an attempt that was built for another order, priority or wallet than the form's. */
function leaveWhereOther(
  attempt: Attempt | null,
  order: SwapOrder | null,
  priority: Priority | null,
  address: string | null,
): void {
  if (attempt === null || attempt.phase === 'running') return
  const isSame = JSON.stringify(attempt.order) === JSON.stringify(order) && attempt.priority === priority
  if (!isSame || attempt.wallet.address !== address) dismiss()
}

/** The chain's tokens: its majors and those of the token list. */
function useChoices({ key, majors }: SwapChain): readonly TokenChoice[] {
  const list = useQuery('tokens false', (callOptions) => client.tokens({}, callOptions), {
    everyMs: LIST_EVERY_MS,
  })
  const listed = (list.data?.tokens ?? []).filter(({ chain }) => chain === key)
  const known = new Set(listed.map(({ address }) => address.toLowerCase()))
  const others = majors.filter(({ address, kind }) => kind !== 'native' && !known.has(address.toLowerCase()))
  const native = majors.find(({ kind }) => kind === 'native')!.address.toLowerCase()
  return [
    ...others.map((major) => ({ ...major, chain: key })),
    ...listed
      .filter(({ address }) => address.toLowerCase() !== native)
      .map(({ address, symbol, name, liq, ...row }) => ({
        chain: key,
        address,
        symbol: symbol ?? null,
        name: name ?? null,
        liq,
        decimals: (row as { decimals?: number | null }).decimals ?? null,
      })),
  ]
}

const coinOf = (address: string, choices: readonly TokenChoice[]): TokenChoice =>
  choices.find((choice) => choice.address.toLowerCase() === address.toLowerCase()) ?? {
    chain: '',
    address,
    symbol: null,
    name: null,
    decimals: null,
  }
