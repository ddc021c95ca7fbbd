/** The swap view: order, quote, build and verification, review, signature, progress. */

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Quote, SwapgateError, SwapOptions } from '../../../client/index.ts'
import { useAnswer, useHealth, useNow, type WatchedQuery } from '../../data/hooks.ts'
import { textOf } from '../../data/words.ts'
import { dollars, percent } from '../../format.ts'
import { hrefOf, setParameters, type ViewLocation } from '../../location.ts'
import { Button, Checkbox } from '../../parts/controls.tsx'
import { Empty, Panel, ViewHead, WaitingView } from '../../parts/panel.tsx'
import type { ViewProps } from '../view.ts'
import { build, dismiss } from './attempt/attempt.ts'
import { Attempted, useFocusKept } from './attempt/attempted.tsx'
import { crossingQuote, isCrossing } from './attempt/crossing.ts'
import { Recipient, Routes, useCrossing, useRecipient } from './attempt/crossing-route.tsx'
import { baseOf, isShort } from './attempt/obstacles.ts'
import type { Attempt } from './attempt/types.ts'
import words from './attempt/words.json' with { type: 'json' }
import { choiceOf, choicesOf, type TokenChoice } from './form/choices.ts'
import { Form } from './form/form.tsx'
import { pairOf, type TokenAt, targetOf } from './form/pair.ts'
import { named, Risks, risksOfSwap, useAccepted, useProfile } from './form/risks.tsx'
import { Act, useChainWallet } from './form/wallet-panel.tsx'
import { costOf, cut, gradeOfImpact, networkUsdOf, worthUsdOf } from './offers/costs.ts'
import { Arriving, Expiry, Price } from './offers/offer.tsx'
import { shownOf } from './offers/offer-list.ts'
import { useOffers } from './offers/offer-stream.ts'
import { Offers } from './offers/offers.tsx'
import * as orders from './order.ts'

const OPTIONS_EVERY_MS = 60_000
const LIST_EVERY_MS = 60_000

export default function Swap({ place }: ViewProps) {
  const options = useAnswer('swapOptions', {}, { everyMs: OPTIONS_EVERY_MS })
  if (options.data === null) return <WaitingView title="Swap" query={options} rows={9} />
  const chain = orders.chainOf(place.parameters, options.data)
  if (chain === null) return <NoChain place={place} />
  return <Ordering place={place} options={options.data} exchange={options.exchange} chain={chain} />
}

const NoChain = ({ place }: { readonly place: ViewLocation }) => (
  <>
    <ViewHead title="Swap" />
    <Empty>
      {`Swaps aren't available on ${place.parameters.get('chain')}. `}
      <Button onClick={() => setParameters(place, { chain: null, token: null, against: null })}>
        {`Use ${orders.DEFAULT_CHAIN}`}
      </Button>
    </Empty>
  </>
)

interface OrderingProps {
  readonly place: ViewLocation
  readonly options: SwapOptions
  /** The request for the options. */
  readonly exchange: WatchedQuery<SwapOptions>['exchange']
  readonly chain: orders.SwapChain
}

function Ordering({ place, options, exchange, chain }: OrderingProps) {
  const health = useHealth()
  const tokens = useAnswer('tokens', {}, { everyMs: LIST_EVERY_MS })
  const choices = choicesOf(options, tokens.data?.tokens ?? [])
  const { wallet, attempt, held, isLocked, panelOf, button, act } = useChainWallet(chain)
  const target = targetOf(place.parameters, chain, options)
  const read = orders.readOrder(place.parameters, chain, options, target)
  const priority = orders.priorityOf(place.parameters, chain)
  const address = wallet?.address ?? null
  const pair = pairOf(place.parameters, chain, target)
  const recipient = useRecipient(chain, target, pair.get.address, health.data)
  const receives = recipient.isOffered && recipient.address !== '' && !recipient.isOwn
  const ordered = read !== null && 'chain' in read ? read : null
  const order = ordered && receives ? { ...ordered, receiver: recipient.address } : ordered
  const name = order === null ? null : `quote ${JSON.stringify(orders.inputOf(order, address))}`
  useEffect(
    () => leaveWhereOther(attempt, order, priority, address, recipient.to),
    [name, priority, recipient.to],
  )
  const asked = attempt === null ? name : null
  const crossingOrder = order !== null && isCrossing(order) ? order : null
  const offers = useOffers(
    crossingOrder === null ? asked : null,
    order === null ? null : orders.inputOf(order, address),
    chain.providers.map(({ label }) => label),
  )
  const crossing = useCrossing(attempt === null ? crossingOrder : null, chain, target, address, recipient.to)
  const query = crossingOrder === null ? offers : crossing.query
  const isAsked = crossingOrder === null ? asked !== null : crossing.isAsked
  const [pickedOffer, pick] = useState<string | null>(null)
  // Percent of price impact, whole, that the user accepts for this order.
  const [accepted, accept] = useState(0)
  useEffect(() => accept(0), [name])
  useEffect(() => pick(null), [asked])
  const list = offers.data
  const shown = list === null ? null : shownOf(list, pickedOffer)
  const answer = crossing.query.data
  const quote =
    attempt?.quote ??
    (crossingOrder === null ? shown?.quote : answer && crossingQuote(answer, crossingOrder)) ??
    null
  const at = crossingOrder === null ? (shown?.at ?? null) : crossing.query.at
  const choseOf = (at: TokenAt): TokenChoice => choiceOf(at, choices)
  // Until the list has loaded, it isn't known what is missing from it.
  const isKnown = tokens.data !== null
  const [payProfile, getProfile] = [pair.pay, pair.get].map((at) => useProfile(isKnown ? choseOf(at) : null))
  const pay = named(choseOf(pair.pay), payProfile!.data)
  const get = named(choseOf(pair.get), getProfile!.data)
  const isBuy = target === chain && orders.sideOf(place.parameters) === 'buy'
  const [other, token] = isBuy ? [pay, get] : [get, pay]
  const { spent, got } = quote === null ? { spent: pay, got: get } : orders.sidesOf(quote, other, token)
  const result = useRef<HTMLDivElement>(null)
  useFocusKept(result, attempt?.phase ?? 'quote')
  // A route is a transaction: an old one isn't signed while another is requested.
  const isRoute = crossingOrder !== null && crossing.query.askedAt === null && crossing.query.error === null
  const isChosen = isRoute || pickedOffer !== null || list?.best != null
  const impact = quote?.priceImpactPct ?? null
  const isGrave = gradeOfImpact(impact) === 'danger'
  const risks = risksOfSwap(quote?.risks, [payProfile!.data?.risks, getProfile!.data?.risks])
  const isRiskAccepted = useAccepted(risks)
  const now = useNow(5_000)
  const paidUsd = order === null || pay.price === null ? null : Number(order.amount) * pay.price
  const priced = { options, spent, got, paidUsd }
  const native = orders.nativeOf(chain)
  const amountIn =
    quote !== null
      ? BigInt(quote.amountIn)
      : order === null || pay.decimals === null
        ? null
        : baseOf(order.amount, pay.decimals)
  /** The button's text while it cannot be pressed; null if it can. */
  const obstacle = ((): string | null => {
    if (read === null) return 'Enter an amount'
    if (order === null) return 'Check the order'
    if (health.error !== null) return "The gateway doesn't answer"
    const isNativePaid = pay.address.toLowerCase() === native.address.toLowerCase()
    if (receives && recipient.to === '') return 'Check the recipient'
    if (isShort(held, pay, isNativePaid, amountIn)) return `Not enough ${pay.symbol ?? 'of the token'}`
    if (!isChosen || quote === null) return query.error === null ? 'Review swap' : 'No offer'
    if (isGrave && impact! > accepted) return 'Accept the price impact first'
    return isRiskAccepted ? null : 'Accept the risk first'
  })()
  // What is said at its field, or in the place of the offers.
  const isSaid = query.error !== null && query.error.status >= 400 && query.error.status < 500
  const isRefused = ['to', 'receiver'].includes(String(query.error?.body?.field))
  const recipientField = (
    <Recipient
      target={target.name}
      value={recipient.address}
      isOwn={recipient.isOwn}
      isNeeded={recipient.isNeeded}
      problem={recipient.refusal ?? (isRefused ? textOf(query.error!) : null)}
      onChange={recipient.change}
    />
  )
  return (
    <>
      <ViewHead
        title="Swap"
        button={button}
        {...(isAsked && !isSaid ? { query } : { exchange: query.exchange ?? exchange })}
      />
      <div class={`swap-grid ${attempt === null ? '' : 'is-attempted'}`}>
        <div>
          <section class="panel" aria-label="Order">
            <Form
              place={place}
              options={options}
              chain={chain}
              pair={pair}
              choices={choices}
              coins={{ pay, get }}
              wallet={wallet}
              held={held}
              problem={problemOf(read, query.error)}
              suggestedBps={quote?.suggestedSlippageBps ?? null}
              networkUsd={quote === null ? null : networkUsdOf(quote)}
              receives={{
                shown:
                  quote === null ? (
                    <span class="unknown">{isAsked ? '…' : '0'}</span>
                  ) : (
                    <Arriving quote={quote} at={at ?? attempt?.builtAt ?? null} got={got} unit="" />
                  ),
                worth: quote === null ? '' : worthOf(quote, got, get.price, paidUsd),
                exact:
                  quote?.expectedOut == null || got.decimals === null
                    ? null
                    : cut(quote.expectedOut, got.decimals),
              }}
              recipient={
                recipient.isNeeded ? (
                  recipientField
                ) : recipient.isOffered ? (
                  <details class="settings" open={receives || undefined}>
                    <summary>Send to another wallet</summary>
                    {recipientField}
                  </details>
                ) : null
              }
              isLocked={isLocked}
            >
              {attempt === null && <Risks risks={risks} now={now} />}
              {isGrave && attempt === null && (
                <Checkbox
                  class="accept"
                  checked={impact! <= accepted}
                  onChange={(isAccepted) => accept(isAccepted ? Math.ceil(impact!) : 0)}
                >
                  {`I understand I'll get up to ${Math.ceil(impact!)}% less than the market price.`}
                </Checkbox>
              )}
              {attempt === null && (
                <Act
                  {...act}
                  isReady={obstacle === null}
                  onPress={() =>
                    build({
                      order: order!,
                      priority,
                      quote: quote!,
                      quotedAt: at!,
                      crossing: crossing.answered,
                      wallet: wallet!,
                      native: choseOf({ chain: chain.key, address: native.address }),
                      other,
                      token,
                      risks,
                    })
                  }
                >
                  {obstacle ?? 'Review swap'}
                </Act>
              )}
            </Form>
            <p class="note">
              <a href={hrefOf('basket', [], { chain: chain.key })}>Buy several tokens at once</a>
            </p>
          </section>
          {panelOf([pay, get].filter((coin) => coin.chain === chain.key && coin.address !== native.address))}
        </div>
        <div ref={result} class="result">
          {attempt !== null && <Attempted attempt={attempt} />}
          {attempt === null && crossingOrder !== null && (
            <Panel title={quote === null ? 'Route' : `Route for ${orders.brief(quote.amountIn, spent)}`}>
              {!crossing.isAsked ? (
                <Empty>
                  {address === null
                    ? `Connect a ${chain.name} wallet to see the route.`
                    : `Enter a ${target.name} address to see the route.`}
                </Empty>
              ) : answer === null ? (
                <NoOffer query={query} />
              ) : (
                <Routes
                  routes={crossing.routes}
                  answer={answer}
                  order={crossingOrder}
                  got={got}
                  from={chain.name}
                  to={target.name}
                  onPick={crossing.pick}
                >
                  <Price quote={quote!} at={at!} {...priced} />
                </Routes>
              )}
            </Panel>
          )}
          {attempt === null && crossingOrder === null && (
            <Panel title={quote === null ? 'Offers' : `Offers for ${orders.brief(quote.amountIn, spent)}`}>
              {order === null ? (
                <Empty>Enter an amount to see offers.</Empty>
              ) : quote === null ? (
                <NoOffer query={query} />
              ) : (
                <>
                  <Price quote={quote} at={shown!.at!} {...priced} />
                  <Offers
                    list={list!}
                    shown={shown!}
                    chain={chain}
                    got={got}
                    gotPrice={get.price}
                    onPick={pick}
                    onAgain={query.refresh}
                  />
                  <Expiry quote={quote} at={shown!.at!} chain={chain} />
                </>
              )}
            </Panel>
          )}
        </div>
      </div>
    </>
  )
}

/** `$248.64 (−0.52%)`: in dollars, and the total cost. */
function worthOf(quote: Quote, got: orders.SwapCoin, price: number | null, paidUsd: number | null): string {
  const usd = worthUsdOf(quote, price)
  if (usd === null) return got.symbol === null ? 'Not on any list: no price is known.' : ''
  const cost = costOf(quote, paidUsd)
  return cost === null
    ? dollars(usd)
    : `${dollars(usd)}${Math.abs(cost.percent) < 0.005 ? '' : ` (${cost.percent < 0 ? '+' : '−'}${percent(Math.abs(cost.percent))})`}`
}

/** Problems of the amount, found by this page or the gateway. */
const AMOUNT_CODES: readonly string[] = words.amountCodes

function problemOf(
  read: ReturnType<typeof orders.readOrder>,
  error: SwapgateError | null,
): orders.OrderProblem | null {
  if (read !== null && 'field' in read) return read
  return error !== null && AMOUNT_CODES.includes(error.code) ? { field: 'amount', text: textOf(error) } : null
}

/** The reason for a missing offer is shown in place of the offers. */
function NoOffer({ query: { error } }: { readonly query: WatchedQuery<unknown> }) {
  if (error === null) return <Empty>Asking for offers…</Empty>
  // Problems of a field are said at the field.
  const isSaid = AMOUNT_CODES.includes(error.code) || error.body?.field === 'to'
  return isSaid ? <Empty>No offers.</Empty> : <p role="alert">{textOf(error)}</p>
}

/** Leaves an attempt that was built for another order, priority or wallet than the form's. */
function leaveWhereOther(
  attempt: Attempt | null,
  order: orders.SwapOrder | null,
  priority: orders.Priority | null,
  address: string | null,
  recipient: string,
): void {
  if (attempt === null || attempt.phase === 'running') return
  const isSame = JSON.stringify(attempt.order) === JSON.stringify(order) && attempt.priority === priority
  const isElse = attempt.crossing !== null && (attempt.crossing.input.to ?? '') !== recipient
  if (!isSame || isElse || attempt.wallet.address !== address) dismiss()
}
