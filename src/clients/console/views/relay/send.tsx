/** Sends the transaction, compares the relay's answer with the prediction, and follows its status. */
import { useEffect, useState } from 'preact/hooks'
import { isSwapgateError, mayBeSent, type SwapgateError, signatureOf } from '../../../client/index.ts'
import { useQuery } from '../../data/hooks.ts'
import { client, spare } from '../../data/service.ts'
import { Checkbox } from '../../parts/checkbox.tsx'
import { Fact } from '../../parts/fact.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type PastedTransaction, predict } from './read.ts'

interface SubmissionAnswer {
  /**
   * The transaction's first signature; null if it was refused. With an error, it isn't known yet whether it
   * was sent.
   */
  readonly signature: string | null
  readonly error: SwapgateError | null
}

interface SendProps {
  readonly reading: PastedTransaction
  readonly skipPreflight: boolean
  readonly onSkip: (skip: boolean) => void
}

export function Send({ reading, skipPreflight, onSkip }: SendProps) {
  const refusal = predict(reading, skipPreflight)
  const [isSending, setSending] = useState(false)
  const [answer, set] = useState<SubmissionAnswer | null>(null)
  const send = async (): Promise<void> => {
    setSending(true)
    set(await submit(reading, skipPreflight))
    setSending(false)
  }
  return (
    <Panel title="Send it">
      <div class="send row">
        <button type="button" class="primary" disabled={isSending} onClick={send}>
          {isSending ? 'Sending …' : refusal === null ? 'Send' : 'Send anyway'}
        </button>
        <Checkbox checked={skipPreflight} onChange={onSkip}>
          <span>
            With <code>skipPreflight</code>
          </span>
        </Checkbox>
      </div>
      {answer !== null && <Answered answer={answer} predicted={refusal?.code ?? null} />}
    </Panel>
  )
}

async function submit({ sent, bytes }: PastedTransaction, skipPreflight: boolean): Promise<SubmissionAnswer> {
  try {
    const params = [sent.text, { encoding: sent.encoding, skipPreflight }]
    return {
      signature: await client.rpc<string>('sendTransaction', params, { maxWaitMs: 0 }),
      error: null,
    }
  } catch (error) {
    if (!isSwapgateError(error)) throw error
    return { signature: bytes !== null && mayBeSent(error) ? signatureOf(bytes) : null, error }
  }
}

interface AnsweredProps {
  readonly answer: SubmissionAnswer
  readonly predicted: string | null
}

function Answered({ answer, predicted }: AnsweredProps) {
  const { signature, error } = answer
  return (
    <>
      <div role="status">
        <dl class="compared">
          <Fact title="Predicted">{predicted ?? 'forwarded'}</Fact>
          <Fact title="Answered">{error === null ? 'forwarded' : error.code}</Fact>
        </dl>
      </div>
      {error !== null && (
        <p class="problem">
          {error.message}
          {error.rpc !== null && error.rpc !== undefined && ` (${error.rpc.code}, from a node)`}
        </p>
      )}
      {signature !== null && error !== null && (
        <p>The answer was lost. It may be on its way, by this signature:</p>
      )}
      {signature !== null && <Status signature={signature} />}
    </>
  )
}

const EVERY_MS = 2_000

interface SignatureStatuses {
  readonly value: readonly (null | {
    readonly slot: number
    readonly confirmationStatus: string | null
    readonly err: unknown
  })[]
}

/** The transaction's status on the chain, polled until it is final. */
function Status({ signature }: { readonly signature: string }) {
  const [final, end] = useState<SignatureStatuses | null>(null)
  const query = useQuery(
    final === null ? `status ${signature}` : null,
    (callOptions) => client.rpc<SignatureStatuses>('getSignatureStatuses', [[signature]], callOptions),
    { everyMs: EVERY_MS, budgetPauseMs: spare('rpcRead') },
  )
  const shown = final ?? query.data
  const status = shown?.value[0] ?? null
  useEffect(() => {
    if (status?.confirmationStatus === 'finalized') end(shown)
  }, [status])
  const text =
    shown === null
      ? 'checking …'
      : status === null
        ? 'not seen on chain yet'
        : `${status.confirmationStatus ?? 'processed'} in slot ${status.slot}`
  return (
    <>
      <p>
        <code>{signature}</code>
      </p>
      <p role="status">
        <span class={`chip ${final !== null ? 'state-ok' : ''}`}>{text}</span>
        {status !== null && status.err !== null && (
          <span class="problem">{`It failed: ${JSON.stringify(status.err)}`}</span>
        )}
      </p>
      {final === null && <Freshness query={query} />}
    </>
  )
}
