/** Sends what was read, puts the relay's answer beside what was predicted, and follows what becomes of it. */
import { useEffect, useState } from 'preact/hooks'
import { type Exchange, isSwapgateError, type SwapgateError } from '../../../client/index.ts'
import { useQuery } from '../../data/hooks.ts'
import { client, spare } from '../../data/service.ts'
import { CurlLine } from '../../parts/curl-line.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { Panel } from '../../parts/panel.tsx'
import { predict, type Reading } from './read.ts'

interface Answer {
  /** The transaction's first signature; null where it was refused. */
  readonly signature: string | null
  readonly error: SwapgateError | null
  readonly exchange: Exchange | null
}

interface SendProps {
  readonly reading: Reading
  readonly skipPreflight: boolean
  readonly onSkip: (skip: boolean) => void
}

export function Send({ reading, skipPreflight, onSkip }: SendProps) {
  const refusal = predict(reading, skipPreflight)
  const [isSending, setSending] = useState(false)
  const [answer, set] = useState<Answer | null>(null)
  const send = async (): Promise<void> => {
    setSending(true)
    set(await submit(reading, skipPreflight))
    setSending(false)
  }
  return (
    <Panel title="Send it">
      <div class="send">
        <button type="button" class="primary" disabled={isSending} onClick={send}>
          {isSending ? 'Sending …' : refusal === null ? 'Send' : 'Send all the same'}
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={skipPreflight}
            onChange={({ currentTarget }) => onSkip(currentTarget.checked)}
          />
          <span>
            With <code>skipPreflight</code>
          </span>
        </label>
      </div>
      {answer !== null && <Answered answer={answer} predicted={refusal?.code ?? null} />}
    </Panel>
  )
}

async function submit({ sent }: Reading, skipPreflight: boolean): Promise<Answer> {
  let exchange: Exchange | null = null
  const options = { maxWaitMs: 0, onExchange: (one: Exchange) => void (exchange = one) }
  try {
    const params = [sent.text, { encoding: sent.encoding, skipPreflight }]
    return { signature: await client.rpc<string>('sendTransaction', params, options), error: null, exchange }
  } catch (error) {
    if (!isSwapgateError(error)) throw error
    return { signature: null, error, exchange }
  }
}

function Answered({ answer, predicted }: { readonly answer: Answer; readonly predicted: string | null }) {
  const { signature, error, exchange } = answer
  return (
    <>
      <div role="status">
        <dl class="compared">
          <div>
            <dt>Predicted</dt>
            <dd>{predicted ?? 'forwarded'}</dd>
          </div>
          <div>
            <dt>Answered</dt>
            <dd>{error === null ? 'forwarded' : error.code}</dd>
          </div>
        </dl>
      </div>
      {error !== null && (
        <p class="problem">
          {error.message}
          {error.rpc !== null && error.rpc !== undefined && ` (${error.rpc.code}, said by a node)`}
        </p>
      )}
      {signature !== null && <Status signature={signature} />}
      <CurlLine exchange={exchange} />
    </>
  )
}

const EVERY_MS = 2_000

interface Statuses {
  readonly context: { readonly slot: number }
  readonly value: readonly (null | {
    readonly slot: number
    readonly confirmationStatus: string | null
    readonly err: unknown
  })[]
}

/** What the chain says of it, until that is final. */
function Status({ signature }: { readonly signature: string }) {
  const [final, end] = useState<Statuses | null>(null)
  const query = useQuery(
    final === null ? `status ${signature}` : null,
    (asking) => client.rpc<Statuses>('getSignatureStatuses', [[signature]], asking),
    { everyMs: EVERY_MS, budgetPauseMs: spare('rpcRead') },
  )
  const shown = final ?? query.data
  const status = shown?.value[0] ?? null
  useEffect(() => {
    if (status?.confirmationStatus === 'finalized') end(shown)
  }, [status])
  const text =
    shown === null
      ? 'asking …'
      : status === null
        ? 'no node has seen it land yet'
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
