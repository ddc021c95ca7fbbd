/** The review before signing: what the transaction does, and how far that was verified. */

import { useContext } from 'preact/hooks'
import type { Chain } from '../../../../client/index.ts'
import { useHealth, useNow } from '../../../data/hooks.ts'
import { titleOf } from '../../../data/words.ts'
import { percent } from '../../../format.ts'
import { Button, Checkbox } from '../../../parts/controls.tsx'
import { OnChain } from '../../../parts/explorer.tsx'
import { Term } from '../../../parts/fact.tsx'
import { useHeld } from '../form/held.ts'
import { isGrave, Risks, useAccepted } from '../form/risks.tsx'
import { checkedBy } from '../offers/costs.ts'
import { Holds } from '../offers/offer.tsx'
import { FAILURES } from '../offers/offer-list.ts'
import { LEVELS, weakestOf } from '../offers/rules.ts'
import { type Built, belowSlippageBps, brief, lostBps, sidesOf } from '../order.ts'
import { build, change, dismiss, run } from './attempt.ts'
import { differenceIn } from './differences.ts'
import { Leaving } from './leaving.ts'
import { isShort, leftMs } from './obstacles.ts'
import {
  Checks,
  claimsOf,
  Details,
  exactFigure,
  feeFigure,
  feesOf,
  type Reviewed,
  VERIFIED,
} from './review-details.tsx'
import words from './words.json' with { type: 'json' }

interface ReviewProps {
  readonly attempt: Reviewed
  readonly chains: readonly Chain[]
  readonly isReview: boolean
}

export function Review({ attempt, chains, isReview }: ReviewProps) {
  const chainOf = (key: string): Chain | null => chains.find((one) => one.key === key) ?? null
  const { built, wallet, risks } = attempt
  const { edit } = useContext(Leaving)
  const now = useNow(1_000)
  const obstacle = useObstacle(attempt, now)
  const chain = chainOf(attempt.order.chain)
  if (!isReview) {
    return (
      <details class="reviewed">
        <summary>
          Reviewed · <ChecksLine attempt={attempt} />
        </summary>
        <Changes attempt={attempt} />
        <Checks attempt={attempt} />
        <Details attempt={attempt} chain={chain} />
      </details>
    )
  }
  return (
    <div class="review">
      <Receiver attempt={attempt} chain={chain} />
      <Changes attempt={attempt} />
      {attempt.simulationFailure !== null && (
        <p role="alert">{`This swap would fail: ${attempt.simulationFailure}.`}</p>
      )}
      <Moved attempt={attempt} />
      <Risks risks={risks} now={now} />
      <Claims attempt={attempt} />
      <details class="verified" open={claimsOf(attempt).length > 0}>
        <summary>
          <ChecksLine attempt={attempt} />
        </summary>
        <Checks attempt={attempt} />
      </details>
      {attempt.crossing !== null && (
        <p class="shape warn delivery-note">
          What is sent is checked above. Delivery depends on the bridge: {titleOf(built.provider)}.
        </p>
      )}
      <Deed attempt={attempt} chain={chain} target={chainOf(attempt.order.toChain ?? attempt.order.chain)} />
      <p class="actions row">
        <Button class="primary" disabled={obstacle !== null} onClick={() => run(attempt, chains)}>
          {obstacle ?? (wallet.isThrowAway ? 'Sign and send' : `Sign in ${wallet.name}`)}
        </Button>
        {obstacle === EXPIRED && attempt.crossing === null && (
          <Button onClick={() => build(attempt)}>Build it again</Button>
        )}
        <Button onClick={dismiss}>{edit}</Button>
      </p>
      <Lasts attempt={attempt} now={now} />
      <Details attempt={attempt} chain={chain} />
    </div>
  )
}

const EXPIRED = 'Expired'

/** How long it can be signed, and what is then. It is no status: a screen reader would read every second. */
function Lasts({ attempt, now }: { readonly attempt: Reviewed; readonly now: number }) {
  const { quote, quotedAt, order, builtAt, crossing } = attempt
  const left = Math.ceil(leftMs(order.chain, builtAt ?? 0, now) / 1_000)
  const next = crossing === null ? 'build it again at the current price' : 'get a new route'
  return (
    <small class="expiry row">
      {left > 0 ? `Good for ${left} s. After that, ${next}.` : `Expired: ${next}.`}
      <Holds quote={quote} at={quotedAt} now={now} />
    </small>
  )
}

/** Why it shouldn't be signed, in a few words on the button; null if it may be. */
function useObstacle(attempt: Reviewed, now: number): string | null {
  const { built, builtAt, quote, wallet, order, native, risks } = attempt
  const health = useHealth()
  const held = useHeld(wallet, order.chain)
  const isAccepted = useAccepted(risks)
  const { spent } = verifiedSides(attempt)
  const lost = lostBps(quote.expectedOut, built.expectedOut)
  if (health.error !== null) return "The gateway doesn't answer"
  if (differenceIn(attempt) !== null) return "The gateway's figures differ"
  if (attempt.simulationFailure !== null) return 'This swap would fail'
  if (isShort(held, spent, spent.address === native.address, BigInt(attempt.verdict.facts.spends.amount))) {
    return `Not enough ${spent.symbol ?? 'of the token'}`
  }
  if (leftMs(order.chain, builtAt ?? 0, now) === 0) return EXPIRED
  if (lost > order.slippageBps) return 'The price moved by more than your slippage'
  if (lost > 0 && !attempt.isMoveAccepted) return 'Accept the new price first'
  if (belowOf(attempt) > 0 && !attempt.isMoveAccepted) return 'Accept the lower minimum first'
  if (claimsOf(attempt).length > 0 && !attempt.areClaimsAccepted) return 'Accept the claims first'
  return isAccepted ? null : 'Accept the risk first'
}

/** The protocol of a bridge may keep a part of the minimum. */
const belowOf = ({ quote, order, verdict }: Reviewed): number =>
  belowSlippageBps(verdict.facts.receives.atLeast, { ...quote, slippageBps: order.slippageBps })

/** Says that a build gives less than the form showed, or may, and asks. */
function Moved({ attempt }: { readonly attempt: Reviewed }) {
  const { quote, built, builtAt, order } = attempt
  const lost = lostBps(quote.expectedOut, built.expectedOut)
  const below = belowOf(attempt)
  if (lost === 0 && below === 0) return null
  const { got } = verifiedSides(attempt)
  const exact = exactFigure(`${titleOf(built.provider)}'s build`, builtAt)
  return (
    <div class="moved">
      {lost > 0 && (
        <p role="alert">
          {'The price moved: '}
          {exact(built.expectedOut, got)}
          {` instead of ${brief(quote.expectedOut!, got)}, ${percent(lost / 100)} less.`}
        </p>
      )}
      {below > 0 && (
        <p role="alert">{`The bridge may keep a part: the minimum is ${percent(below / 100)} below what your slippage leaves.`}</p>
      )}
      {lost <= order.slippageBps && (
        <Checkbox
          class="accept"
          checked={attempt.isMoveAccepted}
          onChange={(isMoveAccepted) => change(attempt, { isMoveAccepted })}
        >
          {lost > 0 ? 'I accept the new price.' : 'I accept the lower minimum.'}
        </Checkbox>
      )}
    </div>
  )
}

/** The two coins, with decimals by the module's table or the wallet's node; by the quote they are a claim. */
function verifiedSides({ quote, other, token, verdict }: Reviewed) {
  const { spends, receives } = verdict.facts
  const { spent, got } = sidesOf(quote, other, token)
  return {
    spent: { ...spent, decimals: spends.decimals ?? spent.decimals },
    got: { ...got, decimals: receives.decimals ?? got.decimals },
  }
}

/** Shows where the gateway's figures differ, and asks to accept what only the gateway claims. */
function Claims({ attempt }: { readonly attempt: Reviewed }) {
  const difference = differenceIn(attempt)
  return (
    <>
      {difference !== null && (
        <p role="alert">{`Blocked: the gateway says another ${difference} than this page found in the transaction.`}</p>
      )}
      {claimsOf(attempt).length > 0 && (
        <Checkbox
          class="accept"
          checked={attempt.areClaimsAccepted}
          onChange={(areClaimsAccepted) => change(attempt, { areClaimsAccepted })}
        >
          {`I take the gateway's word for its ${claimsOf(attempt).join(', ')}. If it is false, I may lose all that I pay.`}
        </Checkbox>
      )}
    </>
  )
}

/** The verdict in a line: no better than the weaker of the two readings. */
function ChecksLine({ attempt }: { readonly attempt: Reviewed }) {
  const { built, verdict } = attempt
  const level = weakestOf([
    verdict.level,
    built.verification?.level ?? verdict.level,
    ...(claimsOf(attempt).length > 0 ? ['stated'] : []),
  ])
  const { length } = verdict.checks
  // A matching order does not make a bad token good: then nothing is green.
  const isBad = isGrave(attempt.risks) || attempt.simulationFailure !== null
  return (
    <>
      <strong class={`chip ${isBad ? '' : `level-${level}`}`}>{LEVELS[level].word}</strong>
      {` · ${length} of ${length} checks passed`}
      {isGrave(attempt.risks) && <strong class="chip grave">Dangerous token</strong>}
    </>
  )
}

interface OnChainProps {
  readonly attempt: Reviewed
  /** Null until it is known. */
  readonly chain: Chain | null
}

/** Another wallet that gets all of it. */
function Receiver({ attempt: { crossing, wallet, verdict }, chain }: OnChainProps) {
  const { recipient } = verdict.facts.receives
  if (crossing !== null || recipient.toLowerCase() === wallet.address.toLowerCase()) return null
  return (
    <p class="shape warn receiver">
      {'All that is bought goes to another wallet: '}
      <OnChain chain={chain} id={recipient} text={recipient} />
    </p>
  )
}

/** What leaves the wallet, and what arrives. */
function Changes({ attempt }: { readonly attempt: Reviewed }) {
  const { built, builtAt, crossing, quote, verdict } = attempt
  const { spends, receives } = verdict.facts
  const { spent, got } = verifiedSides(attempt)
  const exact = exactFigure(`${titleOf(built.provider)}'s build`, builtAt, [checkedBy(quote, 'fairOut')])
  const verified = exactFigure(VERIFIED, builtAt)
  return (
    <ul class="balance-changes" aria-label="Balance changes">
      <li class="down">
        {'− '}
        {verified(spends.amount, spent)}
      </li>
      <li class="up">
        {'+ '}
        {exact(built.expectedOut, got)} <small>{`expected, as ${titleOf(built.provider)} states`}</small>
      </li>
      <li class="least">
        {verified(receives.atLeast, got)}{' '}
        <small>{crossing === null ? 'at least, or nothing is swapped' : 'at least, or a refund'}</small>
      </li>
    </ul>
  )
}

type Cost = NonNullable<Built['costs']>[number]

const COSTS: Readonly<Record<Cost['kind'], string>> = words.costs

/**
 * What the wallet's owner agrees to apart from the balances: an approval, the token, the recipient, costs.
 */
function Deed({ attempt, chain, target }: OnChainProps & { readonly target: Chain | null }) {
  const { native, built, wallet, builtAt, verdict } = attempt
  const { send, facts } = verdict
  const { spent, got } = verifiedSides(attempt)
  const approval = send.family === 'evm' ? send.approval : null
  const verified = exactFigure(VERIFIED, builtAt)
  const { recipient } = facts.receives
  const isOwn = recipient.toLowerCase() === wallet.address.toLowerCase()
  const refund = facts.refundFee
  const costs = (built.costs ?? []).filter(({ source }) => source !== 'material')
  const { insteadOf } = built
  return (
    <dl class="facts">
      {insteadOf !== undefined && (
        <Term title="Built by">
          {`${titleOf(built.provider)}, instead of ${titleOf(insteadOf.provider)}: ${FAILURES[insteadOf.code] ?? insteadOf.code}`}
        </Term>
      )}
      {approval !== null && (
        <Term title="Step 1: approve">
          {'exactly '}
          {verified(approval.amount, spent)}
          {` for ${titleOf(built.provider)}, `}
          <OnChain chain={chain} id={approval.spender} />
          {approval.reset && ', after the old approval is reset to zero'}
        </Term>
      )}
      {got.address !== native.address && (
        <Term title="Token bought">
          <OnChain chain={target} kind="token" id={facts.receives.token} />
        </Term>
      )}
      <Term title="Recipient">
        <OnChain chain={target} id={recipient} {...(!isOwn && { text: recipient })} />
        {isOwn ? ' (your wallet)' : ' (not the signing wallet)'}
      </Term>
      {feesOf(facts).map(([name, amount]) => (
        <Term key={name} title={name}>
          {feeFigure(VERIFIED, builtAt)(amount, native)}
        </Term>
      ))}
      {(facts.fees ?? []).map(({ bps, amount, token, whose }) => (
        <Term key={`${token} ${amount}`} title={`Fee of ${whose ?? 'a third party'}`}>
          {verified(amount, token === facts.receives.token ? got : spent)}
          {`, ${percent(bps / 100)}; the minimum is net of it`}
        </Term>
      ))}
      {typeof facts.demands === 'string' && facts.demands !== facts.receives.atLeast && (
        <Term title="The order demands">
          {verified(facts.demands, got)}
          {', of which the bridge may keep a part'}
        </Term>
      )}
      {refund !== undefined && (
        <Term title="If nobody fills it">
          {`it is refunded${refund.bps === 0 ? '' : `, less ${percent(refund.bps / 100)} of what is sent`}`}
        </Term>
      )}
      {costs.map(({ kind, amount, refundable }) => (
        <Term key={`${kind} ${amount}`} title={COSTS[kind]}>
          {(kind === 'rent' ? exactFigure : feeFigure)(`${titleOf(built.provider)}'s build`, builtAt)(
            amount,
            native,
          )}
          {refundable && (kind === 'rent' ? ' (refundable)' : ' (the unused part comes back)')}
        </Term>
      ))}
      {built.costsComplete === false && (
        <Term title="Other costs">unknown (this swap couldn't be simulated)</Term>
      )}
    </dl>
  )
}
