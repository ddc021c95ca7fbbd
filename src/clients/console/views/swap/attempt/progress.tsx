/** The progress of a swap after it was signed, to its receipt. */

import { Fragment } from 'preact'
import { useContext } from 'preact/hooks'
import type { Receipt } from '../../../../client/index.ts'
import { useChainNames } from '../../../data/hooks.ts'
import { titleOf } from '../../../data/words.ts'
import { amount, shortAddress } from '../../../format.ts'
import { Button } from '../../../parts/controls.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { CurlLine } from '../../../parts/curl-line.tsx'
import { Term } from '../../../parts/fact.tsx'
import { Figure, Unknown } from '../../../parts/figure.tsx'
import { brief, comparedWith, exactly, isSame, sidesOf } from '../order.ts'
import { type TrackStep, trackOf } from './crossing.ts'
import { Leaving } from './leaving.ts'
import { feeFigure } from './review-details.tsx'
import { download, tradeOf } from './trade.ts'
import type { Attempt, AttemptStep, Delivery } from './types.ts'
import words from './words.json' with { type: 'json' }

const STATES: Readonly<Record<AttemptStep['state'], string>> = words.steps

export function Progress({ attempt }: { readonly attempt: Attempt }) {
  const nameOf = useChainNames()
  const { steps, status, receipt, problem, phase, wallet, crossing } = attempt
  const { again, fresh, leave } = useContext(Leaving)
  const shown = crossing === null ? steps : steps.filter(({ title }) => title !== 'Swap')
  return (
    <div class="progress">
      {crossing !== null && (
        <Track
          steps={trackOf(
            steps.find(({ title }) => title === 'Swap'),
            attempt.delivery,
            {
              from: nameOf(crossing.input.fromChain),
              to: nameOf(crossing.input.toChain),
              bridge: titleOf(crossing.answer.tool ?? crossing.answer.provider),
            },
          )}
          delivery={attempt.delivery}
        />
      )}
      <ol class="steps">
        {shown.map(({ title, state, id, explorer }) => (
          <li key={title} class={state}>
            <strong>{title}</strong>
            <span role="status">
              {state === 'done' && title === 'Swap' && status !== null ? status.status : STATES[state]}
            </span>
            {id !== null && (
              <span class="id line">
                <code>{id}</code>
                <Copy text={id} what={`the ${title.toLowerCase()}'s id`} />
                {explorer !== null && !wallet.isThrowAway && (
                  <a href={explorer} target="_blank" rel="noreferrer">
                    explorer
                  </a>
                )}
              </span>
            )}
          </li>
        ))}
      </ol>
      {steps.at(-1)?.state === 'checking' && <p role="status">{words.said.checking}</p>}
      {attempt.changes.map(({ words, isAllowed }) => (
        <p key={words} role={isAllowed ? undefined : 'alert'}>{`What your wallet signed ${words}.`}</p>
      ))}
      {problem !== null && <p role={phase === 'failed' ? 'alert' : 'status'}>{problem}</p>}
      {receipt !== null && <Paid receipt={receipt} attempt={attempt} />}
      {(phase === 'done' || phase === 'failed') && (
        <p class="actions row">
          <Button class="primary" onClick={leave}>
            {phase === 'done' ? fresh : again}
          </Button>
          {attempt.built !== null && (
            <Button onClick={async () => download(await tradeOf(attempt), steps.at(-1)?.id ?? undefined)}>
              Save this trade
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

interface TrackProps {
  readonly steps: readonly TrackStep[]
  readonly delivery: Delivery | null
}

const Track = ({ steps, delivery }: TrackProps) => (
  <>
    <ol class="track" aria-label="The transfer">
      {steps.map(({ title, state, id }) => (
        <li key={title} class={state} aria-current={state === 'now' ? 'step' : undefined}>
          <strong data-mark={words.track[state].mark}>{title}</strong>
          <small>{words.track[state].word}</small>
          {id !== null && (
            <span class="id row">
              <code title={id}>{shortAddress(id)}</code>
              <Copy text={id} what={`the id of "${title}"`} />
            </span>
          )}
        </li>
      ))}
    </ol>
    <p role="status">{delivery?.message ?? ''}</p>
  </>
)

type MovedAmount = NonNullable<Receipt['paid']>[number]

function Paid({ receipt, attempt }: { readonly receipt: Receipt; readonly attempt: Attempt }) {
  const { paid, got, fee, missing } = receipt
  const { quote, built, other, token, native } = attempt
  const { got: bought } = sidesOf(quote, other, token)
  // A receipt has the native coin under whatever address its chain's tools use.
  const received =
    got?.length === 1 && (bought.address === native.address || isSame(got[0]!.token, bought.address))
      ? got[0]
      : undefined
  // The amount that the review showed: a build is newer than its quote.
  const expected = built?.expectedOut ?? quote.expectedOut
  const rent = (built?.costs ?? []).find(({ kind }) => kind === 'rent')
  const path = receipt.signature === null ? `hash=${receipt.hash}` : `signature=${receipt.signature}`
  const list = (moved: readonly MovedAmount[] | null) =>
    moved === null || moved.length === 0
      ? '—'
      : moved.map(({ token, symbol, decimals, amount: base, listed }, i) => (
          <Fragment key={token}>
            {i === 0 ? '' : ' + '}
            <Figure
              source="The chain's nodes"
              at={receipt.asOf}
              value={decimals === null ? Number(base) : Number(base) / 10 ** decimals}
              format={(value) => `${amount(value)} ${symbol ?? ''}`}
              notes={[
                `Exactly ${exactly(base, { address: token, symbol, decimals })}.`,
                listed ? null : 'Not in the token list: its symbol is not verified.',
              ]}
            />
          </Fragment>
        ))
  return (
    <>
      <dl class="facts receipt">
        <Term title="Expected">{brief(expected ?? '0', bought)}</Term>
        <Term title="Minimum">{brief(built?.minOut ?? quote.minOut, bought)}</Term>
        <Term title="You received">
          {attempt.order.receiver !== undefined
            ? `— it went to ${attempt.order.receiver}`
            : attempt.crossing === null
              ? list(got)
              : attempt.delivery?.amount == null
                ? '—'
                : `${brief(attempt.delivery.amount, bought)} ${comparedWith(expected, attempt.delivery.amount)}`}
          {received !== undefined && ` ${comparedWith(expected, received.amount)}`}
        </Term>
        <Term title="You paid">{list(paid)}</Term>
        {rent !== undefined && (
          <Term title="Account deposit in it">{`${brief(rent.amount, native)} (refundable)`}</Term>
        )}
        <Term title="Network fee">
          {fee === null ? (
            <Unknown source="The chain's nodes" at={receipt.asOf} why="A part of the fee is unknown." />
          ) : (
            feeFigure("The chain's nodes", receipt.asOf)(fee.amount, native)
          )}
        </Term>
      </dl>
      {missing.length > 0 && <p>{`Incomplete, missing: ${missing.join(' and ')}.`}</p>}
      <CurlLine
        of="the receipt"
        exchange={{ method: 'GET', url: `/api/receipt?chain=${receipt.chain}&${path}`, body: null }}
      />
    </>
  )
}
