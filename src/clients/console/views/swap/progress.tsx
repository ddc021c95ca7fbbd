/** The progress of a swap after it was signed, to its receipt. */

import type { Receipt } from '../../../client/index.ts'
import { amount } from '../../format.ts'
import { Copy } from '../../parts/copy.tsx'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Figure } from '../../parts/figure.tsx'
import { type Attempt, type AttemptStep, dismiss } from './attempt.ts'
import { exactly } from './order.ts'
import { saveTrade } from './trade.ts'

const STATES: Readonly<Record<AttemptStep['state'], string>> = {
  signing: 'waiting for a signature',
  sent: 'sent, waiting for its block',
  done: 'in a block',
  failed: 'failed',
}

export function Progress({ attempt }: { readonly attempt: Attempt }) {
  const { steps, status, receipt, problem, phase, wallet } = attempt
  return (
    <div class="progress">
      <ol class="steps">
        {steps.map(({ title, state, id, explorer }) => (
          <li key={title} class={state}>
            <strong>{title}</strong>
            <span role="status">
              {state === 'done' && title === 'Swap' && status !== null ? status.status : STATES[state]}
            </span>
            {id !== null && (
              <span class="id">
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
      {problem !== null && <p role={phase === 'failed' ? 'alert' : 'status'}>{problem}</p>}
      {receipt !== null && <Paid receipt={receipt} attempt={attempt} />}
      {(phase === 'done' || phase === 'failed') && (
        <p class="actions">
          <button type="button" class="primary" onClick={dismiss}>
            {phase === 'done' ? 'Another swap' : 'Back to a new quote'}
          </button>
          {attempt.built !== null && (
            <button type="button" onClick={() => saveTrade(attempt)}>
              Save this trade
            </button>
          )}
        </p>
      )}
    </div>
  )
}

type MovedAmount = NonNullable<Receipt['paid']>[number]

function Paid({ receipt, attempt }: { readonly receipt: Receipt; readonly attempt: Attempt }) {
  const { paid, got, fee, missing } = receipt
  const path = receipt.signature === null ? `hash=${receipt.hash}` : `signature=${receipt.signature}`
  const list = (moved: readonly MovedAmount[] | null) =>
    moved === null || moved.length === 0
      ? '—'
      : moved.map(({ token, symbol, decimals, amount: base, listed }) => (
          <Figure
            key={token}
            source="GET /api/receipt, from the chain's nodes"
            at={receipt.asOf}
            value={decimals === null ? Number(base) : Number(base) / 10 ** decimals}
            format={(value) => `${amount(value)} ${symbol ?? ''}`}
            notes={[
              `Exactly ${exactly(base, { address: token, symbol, decimals })}.`,
              listed ? null : 'Not in the token list: its symbol is not verified.',
            ]}
            unknown=""
          />
        ))
  return (
    <>
      <dl class="facts receipt">
        <dt>You paid</dt>
        <dd>{list(paid)}</dd>
        <dt>You got</dt>
        <dd>{list(got)}</dd>
        <dt>Fee</dt>
        <dd>
          <Figure
            source="GET /api/receipt, from the chain's nodes"
            at={receipt.asOf}
            value={fee === null ? null : Number(fee.amount)}
            format={() => exactly(fee!.amount, attempt.native)}
            unknown="A part of the fee is unknown."
          />
        </dd>
      </dl>
      {missing.length > 0 && <p>{`Incomplete, missing: ${missing.join(' and ')}.`}</p>}
      <CurlLine
        of="the receipt"
        exchange={{ method: 'GET', url: `/api/receipt?chain=${receipt.chain}&${path}`, body: null }}
      />
    </>
  )
}
