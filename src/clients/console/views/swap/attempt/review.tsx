/** The review before signing: what the transaction does, and how far that was verified. */
import { Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import type { BuildResult, Chain } from '../../../../client/index.ts'
import { ruleInWords } from '../../../../verify/rules.ts'
import type { Confirmed } from '../../../../verify/types.ts'
import { useHealth } from '../../../data/health.ts'
import { useNow } from '../../../data/hooks.ts'
import { percent } from '../../../format.ts'
import { CurlLine } from '../../../parts/curl-line.tsx'
import { Figure } from '../../../parts/figure.tsx'
import { useHeld } from '../form/held.ts'
import { isGrave, Risks, useAccepted } from '../form/risks.tsx'
import { checkedBy } from '../offers/costs.ts'
import { groupsOf, LEVELS, weakestOf } from '../offers/rules.ts'
import { belowSlippageBps, exactly, lostBps, sidesOf } from '../order.ts'
import { type Attempt, acceptClaims, acceptMove, build, dismiss, run } from './attempt.ts'
import { differenceIn } from './differences.ts'
import { Leaving } from './leaving.ts'
import { isExpired, isShort } from './obstacles.ts'

interface ReviewProps {
  readonly attempt: Attempt & { readonly built: BuildResult; readonly verdict: Confirmed }
  readonly chains: readonly Chain[]
  readonly isReview: boolean
}

export function Review({ attempt, chains, isReview }: ReviewProps) {
  const { built, wallet, risks } = attempt
  const { edit } = useContext(Leaving)
  const now = useNow(1_000)
  const obstacle = useObstacle(attempt, now)
  if (!isReview) {
    return (
      <details class="reviewed">
        <summary>
          Reviewed · <ChecksLine attempt={attempt} />
        </summary>
        <Changes attempt={attempt} />
        <Checks attempt={attempt} />
        <Details attempt={attempt} />
      </details>
    )
  }
  return (
    <div class="review">
      <Changes attempt={attempt} />
      {attempt.simulationFailure !== null && (
        <p role="alert">{`A node says that it would fail now: ${attempt.simulationFailure}. The wallet's balance may be too low.`}</p>
      )}
      <Moved attempt={attempt} />
      <Risks risks={risks} isAsked now={now} />
      <Claims attempt={attempt} />
      <details class="verified" open={claimsOf(attempt).length > 0}>
        <summary>
          <ChecksLine attempt={attempt} />
        </summary>
        <Checks attempt={attempt} />
      </details>
      {attempt.crossing !== null && (
        <p class="shape warn delivery-note">
          What is sent is checked above. That it arrives is the bridge's promise: {built.provider}.
        </p>
      )}
      <Deed attempt={attempt} />
      <p class="actions">
        <button
          type="button"
          class="primary"
          disabled={obstacle !== null}
          onClick={() => run(attempt, chains)}
        >
          {obstacle ?? (wallet.isThrowAway ? 'Sign and send' : `Sign in ${wallet.name}`)}
        </button>
        {obstacle === EXPIRED && attempt.crossing === null && (
          <button type="button" onClick={() => build(attempt)}>
            Build it again
          </button>
        )}
        <button type="button" onClick={dismiss}>
          {edit}
        </button>
      </p>
      <Details attempt={attempt} />
    </div>
  )
}

type Reviewed = ReviewProps['attempt']

const EXPIRED = 'Expired'

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
  if (attempt.simulationFailure !== null) return 'Its simulation fails'
  if (isShort(held, spent, spent.address === native.address, BigInt(attempt.verdict.facts.spends.amount))) {
    return `Not enough ${spent.symbol ?? 'of the token'}`
  }
  if (isExpired(order.chain, builtAt ?? 0, now)) return EXPIRED
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
  const exact = exactFigure(`POST /api/build, ${built.provider}`, builtAt)
  return (
    <div class="moved">
      {lost > 0 && (
        <p role="alert">
          {'The price moved: '}
          {exact(built.expectedOut, got)}
          {` instead of ${exactly(quote.expectedOut!, got)}, ${percent(lost / 100)} less.`}
        </p>
      )}
      {below > 0 && (
        <p role="alert">{`The bridge may keep a part: the minimum is ${percent(below / 100)} below what your slippage leaves.`}</p>
      )}
      {lost <= order.slippageBps && (
        <label class="accept">
          <input
            type="checkbox"
            checked={attempt.isMoveAccepted}
            onChange={({ currentTarget }) => acceptMove(attempt, currentTarget.checked)}
          />
          {lost > 0 ? 'I accept the new price.' : 'I accept the lower minimum.'}
        </label>
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

/** Unproved claims, by the page's own reading or the gateway's. */
const claimsOf = ({ built, verdict }: Reviewed): readonly string[] => [
  ...new Set([
    ...verdict.stated,
    ...(verdict.facts.receives.decimals === null ? ['decimals'] : []),
    ...(built.verification?.stated ?? []),
  ]),
]

/** Shows where the gateway's figures differ, and asks to accept what only the gateway claims. */
function Claims({ attempt }: { readonly attempt: Reviewed }) {
  const difference = differenceIn(attempt)
  return (
    <>
      {difference !== null && (
        <p role="alert">{`Blocked: the gateway says another ${difference} than this page found in the transaction.`}</p>
      )}
      {claimsOf(attempt).length > 0 && (
        <label class="accept">
          <input
            type="checkbox"
            checked={attempt.areClaimsAccepted}
            onChange={({ currentTarget }) => acceptClaims(attempt, currentTarget.checked)}
          />
          {`I take the gateway's word for its ${claimsOf(attempt).join(', ')}. If it is false, I may lose all that I pay.`}
        </label>
      )}
    </>
  )
}

/** The verdict in a line: no better than the weaker of the two readings. */
function ChecksLine({ attempt }: { readonly attempt: Reviewed }) {
  const { built, verdict } = attempt
  const level = weakestOf([
    verdict.level,
    ...(built.verification === undefined ? [] : [built.verification.level]),
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

/** What leaves the wallet, and what arrives. */
function Changes({ attempt }: { readonly attempt: Reviewed }) {
  const { built, builtAt, crossing, quote, verdict } = attempt
  const { spends, receives } = verdict.facts
  const { spent, got } = verifiedSides(attempt)
  const exact = exactFigure(`POST /api/build, ${built.provider}`, builtAt, [checkedBy(quote, 'fairOut')])
  const verified = exactFigure(VERIFIED, builtAt)
  return (
    <ul class="balance-changes" aria-label="Balance changes">
      <li class="down">
        {'− '}
        {verified(spends.amount, spent)}
      </li>
      <li class="up">
        {'+ '}
        {exact(built.expectedOut, got)} <small>{`expected, as ${built.provider} states`}</small>
      </li>
      <li class="least">
        {verified(receives.atLeast, got)}{' '}
        <small>
          {crossing === null
            ? 'at least, or nothing is swapped'
            : 'at least, if the bridge delivers, or it is refunded'}
        </small>
      </li>
    </ul>
  )
}

const VERIFIED = 'the transaction, as this page read it'

const exactFigure =
  (source: string, at: number | null, notes?: readonly string[]) =>
  (base: string | undefined, coin: NamedCoin) => (
    <Figure
      source={source}
      at={at}
      notes={notes}
      value={base === undefined ? null : Number(base)}
      format={() => exactly(base!, coin)}
      unknown="The gateway did not find it in the transaction."
    />
  )

type NamedCoin = Parameters<typeof exactly>[1]

type Cost = NonNullable<BuildResult['costs']>[number]

const COSTS: Readonly<Record<Cost['kind'], string>> = {
  network_fee: 'Network fee',
  priority_fee: 'Priority fee',
  l1_fee: 'Data on layer 1',
  approval_fee: 'Fee of the approval',
  rent: 'Rent of a new account',
  tip: 'Tip',
  messaging_fee: "The bridge's message",
  attached_gas: 'Sent along for gas',
  other_fee: 'Other fees',
}

/**
 * What the wallet's owner agrees to apart from the balances: an approval, the token, the recipient, costs.
 */
function Deed({ attempt }: { readonly attempt: Reviewed }) {
  const { native, built, wallet, builtAt, verdict } = attempt
  const { send, facts } = verdict
  const { spent, got } = verifiedSides(attempt)
  const approval = send.family === 'evm' ? send.approval : null
  const exact = exactFigure(`POST /api/build, ${built.provider}`, builtAt)
  const verified = exactFigure(VERIFIED, builtAt)
  const { recipient } = facts.receives
  const isOwn = recipient.toLowerCase() === wallet.address.toLowerCase()
  const refund = facts.refundFee as { readonly bps: number } | undefined
  const costs = (built.costs ?? []).filter(({ source }) => source !== 'material')
  return (
    <dl class="facts">
      {approval !== null && (
        <>
          <dt>Step 1: approve</dt>
          <dd>
            {'exactly '}
            {verified(approval.amount, spent)}
            {` for ${built.provider}, `}
            <code>{approval.spender}</code>
            {approval.reset && ', after the old approval is reset to zero'}
          </dd>
        </>
      )}
      {got.address !== native.address && (
        <>
          <dt>Token bought</dt>
          <dd>
            <code>{facts.receives.token}</code>
          </dd>
        </>
      )}
      <dt>Recipient</dt>
      <dd>
        <code>{recipient}</code>
        {isOwn ? ' (your wallet)' : ' (not the signing wallet)'}
      </dd>
      {feesOf(facts).map(([name, amount]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{verified(amount, native)}</dd>
        </Fragment>
      ))}
      {takenOf(facts).map(({ bps, amount, token, whose }) => (
        <Fragment key={`${token} ${amount}`}>
          <dt>{`Fee of ${whose ?? 'a third party'}`}</dt>
          <dd>
            {verified(amount, token === facts.receives.token ? got : spent)}
            {`, ${percent(bps / 100)}; the minimum is net of it`}
          </dd>
        </Fragment>
      ))}
      {typeof facts.demands === 'string' && facts.demands !== facts.receives.atLeast && (
        <>
          <dt>The order demands</dt>
          <dd>
            {verified(facts.demands, got)}
            {', of which the bridge may keep a part'}
          </dd>
        </>
      )}
      {refund !== undefined && (
        <>
          <dt>If nobody fills it</dt>
          <dd>{`it is refunded${refund.bps === 0 ? '' : `, less ${percent(refund.bps / 100)} of what is sent`}`}</dd>
        </>
      )}
      {costs.map(({ kind, amount, refundable }) => (
        <Fragment key={`${kind} ${amount}`}>
          <dt>{COSTS[kind]}</dt>
          <dd>
            {exact(amount, native)}
            {', by the gateway'}
            {refundable &&
              (kind === 'rent' ? ', back when the account is closed' : ', back as far as unused')}
          </dd>
        </Fragment>
      ))}
      {built.costsComplete === false && (
        <>
          <dt>Other costs</dt>
          <dd>unknown: the build could not be run, or priced, beforehand</dd>
        </>
      )}
    </dl>
  )
}

/** The bytes' payments in the native coin, by its name. */
const feesOf = (facts: Confirmed['facts']): readonly (readonly [name: string, amount: string])[] =>
  Object.entries(FEES).flatMap(([member, name]) => {
    const amount = facts[member]
    return typeof amount === 'string' && amount !== '0' ? [[name, amount] as const] : []
  })

const FEES: Readonly<Record<string, string>> = {
  priorityLamports: 'Priority fee',
  tipLamports: 'Tip',
  nativeFee: "The bridge's message",
  gasBudget: 'Gas, at most',
}

interface TakenFee {
  readonly bps: number
  readonly amount: string
  readonly token: string
  readonly whose: string | null
}

const takenOf = (facts: Confirmed['facts']): readonly TakenFee[] =>
  (facts.fees as readonly TakenFee[] | undefined) ?? []

/** What few read: contract, bytes, programs, expiry and the request. */
function Details({ attempt }: { readonly attempt: Reviewed }) {
  const { built, builtAt, exchange, native, verdict } = attempt
  const { facts, send } = verdict
  const swap = send.family === 'evm' ? send.transactions.at(-1)! : null
  const source = `POST /api/build, ${built.provider}`
  return (
    <details class="details">
      <summary>Details</summary>
      <dl class="facts">
        {swap !== null && (
          <>
            <dt>Contract</dt>
            <dd>
              <code>{swap.to}</code>
              {` with ${(swap.data.length - 2) / 2} bytes of data, carrying `}
              {exactFigure(VERIFIED, builtAt)(String(BigInt(swap.value)), native)}
            </dd>
          </>
        )}
        {Array.isArray(facts.programs) && (
          <>
            <dt>Programs</dt>
            <dd>
              {facts.programs.map((program: string) => (
                <code key={program} class="program">
                  {PROGRAMS[program] ?? program}
                </code>
              ))}
            </dd>
          </>
        )}
        {built.lastValidBlockHeight !== undefined && (
          <>
            <dt>Valid until</dt>
            <dd>
              <Figure
                source={source}
                at={builtAt}
                value={built.lastValidBlockHeight}
                format={(height) => `block ${height}`}
                notes={['About a minute after the build.']}
                unknown=""
              />
            </dd>
          </>
        )}
      </dl>
      <CurlLine exchange={exchange} of="the build" />
    </details>
  )
}

const PROGRAMS: Readonly<Record<string, string>> = {
  ComputeBudget111111111111111111111111111111: 'compute budget',
  ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL: 'associated token accounts',
  '11111111111111111111111111111111': 'system',
  TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA: 'tokens',
  TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb: 'tokens 2022',
  JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4: 'Jupiter',
}

/** Everything that the verdict rests on, and who checked it. */
function Checks({ attempt }: { readonly attempt: Reviewed }) {
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
      <p class="own-verdict">
        {`This page read the transaction itself, without the gateway's word: ${verdict.checks.length} checks passed. ${LEVELS[verdict.level].text}`}
      </p>
      {claims.length > 0 && (
        <>
          <h3>Only the gateway's claim</h3>
          <Rules rules={claims} class="stated" />
        </>
      )}
      {simulation !== null && (
        <>
          <p>{`Simulated by ${simulation.by}${simulation.at === null ? '' : ` at ${simulation.at}`}, with these changes of your wallet:`}</p>
          <ul class="changes">
            {simulation.changes.map(({ token, amount }) => {
              const isLoss = amount.startsWith('-')
              return (
                <li key={token} class={isLoss ? 'down' : 'up'}>
                  {`${isLoss ? '−' : '+'}${exactly(amount.replace('-', ''), coinOf(token))}`}
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
      {built.verification !== undefined && (
        <small>
          <Figure
            source="POST /api/build, verification"
            at={builtAt}
            value={built.verification.checks.length}
            format={(count) => `The gateway checked ${count} before this page received the transaction.`}
            unknown=""
          />
        </small>
      )}
    </>
  )
}

function Rules({ rules, class: name }: { readonly rules: readonly string[]; readonly class: string }) {
  return (
    <ul class={`rules ${name}`}>
      {rules.map((rule) => (
        <li key={rule}>
          <span>{ruleInWords(rule) ?? ''}</span>
          <code>{rule}</code>
        </li>
      ))}
    </ul>
  )
}
