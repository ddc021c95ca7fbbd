/** Whether the relay would take the transaction; sends it, and follows its status. */
import { useEffect, useState } from 'preact/hooks'
import { isSwapgateError, mayBeSent, signatureOf } from '../../../client/index.ts'
import { useChains, useQuery } from '../../data/hooks.ts'
import { client, spare } from '../../data/service.ts'
import { reasonOf } from '../../data/simulation.ts'
import { plain } from '../../format.ts'
import { Button, Checkbox } from '../../parts/controls.tsx'
import { OnChain } from '../../parts/explorer.tsx'
import { Freshness } from '../../parts/freshness.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type PastedTransaction, type PredictedRefusal, predict, signatureFaults } from './read.ts'

interface SendProps {
  readonly reading: PastedTransaction
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
  const faults = signatureFaults(reading)
  return (
    <Panel title={refusal === null ? 'Ready to send' : 'The relay would refuse it'}>
      <div role="status" class={`verdict ${refusal === null ? 'forwarded' : 'refused'}`}>
        {refusal === null ? (
          <p class="shape ok">Valid, all signatures correct.</p>
        ) : (
          <p class="shape danger">{faults.length === 0 ? plain(refusal.message) : faults.join(' ')}</p>
        )}
      </div>
      {refusal === null && (
        <p class="note">
          {`Only the chain knows whether its ${reading.isDurableNonce ? 'durable nonce is still unused' : 'blockhash is recent enough'}, and whether its programs succeed.`}
        </p>
      )}
      <div class="send row">
        <Button
          class={refusal === null ? 'primary' : ''}
          disabled={isSending || reading.wire === null}
          onClick={send}
        >
          {isSending ? 'Sending…' : refusal === null || reading.wire === null ? 'Send' : 'Send anyway'}
        </Button>
        <Checkbox checked={skipPreflight} onChange={onSkip}>
          Skip the check by a node (preflight)
        </Checkbox>
      </div>
      {answer !== null && <Answered answer={answer} predicted={refusal} />}
      {answer === null && refusal !== null && <Codes codes={[refusal.code]} />}
    </Panel>
  )
}

/** The transaction's first signature is null if it was refused. With an error, it isn't known yet whether it was sent. */
type Answer = Awaited<ReturnType<typeof submit>>

async function submit({ sent, bytes }: PastedTransaction, skipPreflight: boolean) {
  try {
    const params = [sent.text, { encoding: sent.encoding, skipPreflight }]
    return { signature: await client.rpc<string>('sendTransaction', params, { maxWaitMs: 0 }), error: null }
  } catch (error) {
    if (!isSwapgateError(error)) throw error
    return { signature: bytes !== null && mayBeSent(error) ? signatureOf(bytes) : null, error }
  }
}

interface AnsweredProps {
  readonly answer: Answer
  readonly predicted: PredictedRefusal | null
}

function Answered({ answer: { signature, error }, predicted }: AnsweredProps) {
  const isExpected = (error?.code ?? null) === (predicted?.code ?? null)
  const who = error?.rpc == null ? 'The relay' : 'The node'
  return (
    <>
      <p role="status" class="answered">
        {`${isExpected ? 'As expected' : `We expected: ${predicted === null ? 'accepted' : 'refused'}`}. `}
        {error === null ? 'The relay accepted it.' : `${who} said: ${plain(error.message)}`}
      </p>
      {error !== null && <Codes codes={[error.code, error.rpc?.code]} />}
      {signature !== null && error !== null && (
        <p>The answer was lost. It may be on its way, by this signature:</p>
      )}
      {signature !== null && <Status signature={signature} />}
    </>
  )
}

function Codes({ codes }: { readonly codes: readonly (string | number | undefined)[] }) {
  return (
    <details>
      <summary>Details</summary>
      <code>{codes.filter((code) => code !== undefined).join(', ')}</code>
    </details>
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
  const solana = useChains().find(({ key }) => key === 'solana')
  const shown = final ?? query.data
  const status = shown?.value[0] ?? null
  useEffect(() => {
    if (status?.confirmationStatus === 'finalized') end(shown)
  }, [status])
  const text =
    shown === null
      ? 'Checking…'
      : status === null
        ? 'Not seen on chain yet'
        : `${status.confirmationStatus ?? 'processed'} in slot ${status.slot}`
  return (
    <>
      <p>
        <OnChain chain={solana ?? null} kind="tx" id={signature} />
      </p>
      <p role="status">
        <span class={`chip ${final !== null ? 'state-ok' : ''}`}>{text}</span>
        {status !== null && status.err !== null && (
          <span class="problem">{`It failed: ${reasonOf({ err: status.err })}.`}</span>
        )}
      </p>
      {final === null && <Freshness query={query} />}
    </>
  )
}
