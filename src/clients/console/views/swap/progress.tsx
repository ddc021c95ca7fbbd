/** The progress of a swap after it was signed, to its receipt. */

import type { Receipt } from '../../../client/index.ts'
import { amount } from '../../format.ts'
import { Copy } from '../../parts/copy.tsx'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Figure } from '../../parts/figure.tsx'
import { type Attempt, type AttemptStep, dismiss } from './attempt.ts'
import { comparedWith, exactly, sidesOf } from './order.ts'
import { saveTrade } from './trade.ts'

const STATES: Readonly<Record<AttemptStep['state'], string>> = {
  signing: 'Sign in your wallet',
  sent: 'Sent, waiting for confirmation',
  done: 'Confirmed',
  failed: 'Failed',
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
            {phase === 'done' ? 'New swap' : 'Get a new offer'}
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

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

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
        <dt>Quoted</dt>
        <dd>{exactly(quote.expectedOut ?? '0', bought)}</dd>
        <dt>Minimum</dt>
        <dd>{exactly(built?.minOut ?? quote.minOut ?? '0', bought)}</dd>
        <dt>You received</dt>
        <dd>
          {list(got)}
          {received !== undefined && ` ${comparedWith(quote.expectedOut, received.amount)}`}
        </dd>
        <dt>You paid</dt>
        <dd>{list(paid)}</dd>
        <dt>Network fee</dt>
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
