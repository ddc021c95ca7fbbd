/** The review before signing: what the transaction does, and how far that was verified. */
import { Fragment } from 'preact'
import type { BuildResult, Chain } from '../../../client/index.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Figure } from '../../parts/figure.tsx'
import { approvalOf } from './approval.ts'
import { type Attempt, dismiss, run } from './attempt.ts'
import { exactly, sidesOf } from './order.ts'
import { LEVELS, type ProofLevel, ruleInWords } from './rules.ts'

interface ReviewProps {
  readonly attempt: Attempt & { readonly built: BuildResult }
  readonly chains: readonly Chain[]
  readonly isReview: boolean
}

export function Review({ attempt, chains, isReview }: ReviewProps) {
  const { built, exchange, wallet } = attempt
  const failed = built as BuildResult & { simulationError?: { error?: string } | null }
  return (
    <div class="review">
      <h3>What it does</h3>
      <Deed attempt={attempt} />
      {failed.simulationError && (
        <p role="alert">{`${built.provider}'s own simulation fails: ${failed.simulationError.error ?? 'no reason given.'} The wallet's balance may be too low.`}</p>
      )}
      <OwnVerification attempt={attempt} />
      <Verification built={built} at={attempt.builtAt} attempt={attempt} />
      {isReview && (
        <p class="actions">
          <button type="button" class="primary" onClick={() => run(attempt, chains)}>
            {wallet.isThrowAway ? 'Sign and send' : `Sign in ${wallet.name}`}
          </button>
          <button type="button" onClick={dismiss}>
            Back
          </button>
        </p>
      )}
      <CurlLine exchange={exchange} of="the build" />
    </div>
  )
}

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

/** The effects that concern the wallet's owner. */
function Deed({ attempt }: { readonly attempt: ReviewProps['attempt'] }) {
  const { quote, native, other, token, built, wallet, builtAt } = attempt
  const { spent, got } = sidesOf(quote, other, token)
  const approval = approvalOf(built)
  const facts = (built.verification ?? {}) as Readonly<Record<string, unknown>>
  const source = { source: `POST /api/build, ${built.provider}`, at: builtAt }
  const exact = (base: string | undefined, coin: typeof spent) => (
    <Figure
      {...source}
      value={base === undefined ? null : Number(base)}
      format={() => exactly(base!, coin)}
      unknown="The gateway did not find it in the transaction."
    />
  )
  const recipient = typeof facts.recipient === 'string' ? facts.recipient : wallet.address
  const isOwn = recipient.toLowerCase() === wallet.address.toLowerCase()
  return (
    <dl class="facts">
      {approval !== null && (
        <>
          <dt>First, an approval</dt>
          <dd>
            {'Allows '}
            <code>{approval.spender}</code>
            {' to take exactly '}
            {exact(approval.amount, spent)}
            {approval.reset && ', after the old approval is reset to zero'}
          </dd>
        </>
      )}
      <dt>You spend</dt>
      <dd>{exact(quote.amountIn, spent)}</dd>
      <dt>You get at least</dt>
      <dd>{exact(built.minOut, got)}</dd>
      <dt>Expected</dt>
      <dd>{exact(built.expectedOut, got)}</dd>
      <dt>Recipient</dt>
      <dd>
        <code>{recipient}</code>
        {isOwn ? ' (your wallet)' : ' (not the signing wallet)'}
      </dd>
      {built.to !== undefined && (
        <>
          <dt>Contract</dt>
          <dd>
            <code>{built.to}</code>
            {` with ${((built.data?.length ?? 2) - 2) / 2} bytes of data, carrying `}
            {exact(built.value, native)}
          </dd>
        </>
      )}
      {(built.costs ?? []).map(({ kind, amount, refundable }) => (
        <Fragment key={`${kind} ${amount}`}>
          <dt>{COSTS[kind]}</dt>
          <dd>
            {exact(amount, native)}
            {refundable &&
              (kind === 'rent' ? ', back when the account is closed' : ', back as far as unused')}
          </dd>
        </Fragment>
      ))}
      {built.costsComplete === false && (
        <>
          <dt>Other costs</dt>
          <dd>not known: the build could not be executed, or priced, beforehand</dd>
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
              {...source}
              value={built.lastValidBlockHeight}
              format={(height) => `block ${height}`}
              notes={['About a minute after the build.']}
              unknown=""
            />
          </dd>
        </>
      )}
    </dl>
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

/** What this page found without the gateway's word. */
function OwnVerification({ attempt: { verdict, built } }: { readonly attempt: Attempt }) {
  if (verdict?.isVerified !== true) return null
  const { level, checks, stated } = verdict
  return (
    <p class="own-verdict">
      <strong class={`chip level-${level}`}>{level}</strong>
      {`Your page read the transaction itself, without the gateway's word: ${checks.length} rules hold.`}
      {stated.length > 0 && ` Left to ${built!.provider} and the gateway: ${stated.join(', ')}.`}
    </p>
  )
}

function Verification({
  built,
  at,
  attempt,
}: {
  readonly built: BuildResult
  readonly at: number | null
  readonly attempt: Attempt
}) {
  const { verification } = built
  if (verification === undefined) return <p role="alert">The gateway does not report what it verified.</p>
  const { level, checks, stated, simulation } = verification
  const { native, other, token } = attempt
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
      <h3>What was verified</h3>
      <p class="level">
        <strong class={`chip level-${level}`}>{level}</strong>
        {LEVELS[level as ProofLevel]}
      </p>
      {stated.length > 0 && (
        <>
          <p>{`Stated by ${built.provider} alone:`}</p>
          <Rules rules={stated} class="stated" />
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
      <details open>
        <summary>{`${checks.length} checks, all of which hold`}</summary>
        <Rules rules={checks} class="checks" />
      </details>
      <small>
        <Figure
          source="POST /api/build, verification"
          at={at}
          value={checks.length}
          format={() => 'Checked by the gateway before the page received the transaction.'}
          unknown=""
        />
      </small>
    </>
  )
}

function Rules({ rules, class: name }: { readonly rules: readonly string[]; readonly class: string }) {
  return (
    <ul class={`rules ${name}`}>
      {rules.map((rule) => (
        <li key={rule}>
          <code>{rule}</code>
          <span>{ruleInWords(rule) ?? ''}</span>
        </li>
      ))}
    </ul>
  )
}
