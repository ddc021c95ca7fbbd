/**
 * The relay view: decodes a signed transaction in the page, shows its contents, its signers and why the relay
 * would refuse it, and sends it on request, with the relay's answer next to the prediction. The transaction
 * stays out of the page's URL, because anybody who has it can send it.
 */
import { useMemo, useState } from 'preact/hooks'
import { encodeBase64 } from '../../../../runtime/base64.ts'
import { useConfig } from '../../data/hooks.ts'
import samples from '../../data/samples.json' with { type: 'json' }
import { Explained } from '../../parts/explained.tsx'
import { Empty, Panel, ViewHead } from '../../parts/panel.tsx'
import { Samples } from '../../parts/samples.tsx'
import { Decoded } from './decoded.tsx'
import {
  ENCODINGS,
  type PredictedRefusal,
  predict,
  readTransaction,
  type SentText,
  signatureFaults,
  type TextEncoding,
} from './read.ts'
import { Send } from './send.tsx'
import './relay.css'

export function Relay() {
  const [text, type] = useState('')
  const [encoding, choose] = useState<TextEncoding | null>(null)
  const [skipPreflight, skip] = useState(false)
  const maxV1Bytes = useConfig().data?.relay.maxV1TransactionBytes
  const reading = useMemo(
    () => (text.trim() === '' ? null : readTransaction(text, encoding, maxV1Bytes)),
    [text, encoding, maxV1Bytes],
  )
  return (
    <>
      <ViewHead title="Relay" exchange={exchangeOf(reading?.sent ?? SAMPLE, skipPreflight)}>
        <p class="lead">
          Paste a signed Solana transaction. This page decodes it with the relay's own code, and sends nothing
          until you press Send.
        </p>
        <Samples choose={type} />
      </ViewHead>
      <div class="filters">
        <label class="wide">
          Signed transaction
          <textarea
            rows={5}
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            placeholder="base64, base58, or hexadecimal digits"
            spellcheck={false}
            autocomplete="off"
          />
        </label>
        <label>
          Encoding
          <select
            value={encoding ?? ''}
            onChange={({ currentTarget }) =>
              choose(ENCODINGS.find((one) => one === currentTarget.value) ?? null)
            }
          >
            <option value="">{`Detect${reading === null ? '' : `: ${reading.encoding}`}`}</option>
            {ENCODINGS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
      </div>
      {reading === null ? (
        <Empty>Paste a transaction to see what it does.</Empty>
      ) : (
        <>
          <Verdict
            refusal={predict(reading, skipPreflight)}
            isDurableNonce={reading.isDurableNonce}
            faults={signatureFaults(reading)}
          />
          {reading.wire !== null && <Deed bytes={reading.bytes!} />}
          <Send
            key={`${reading.sent.encoding} ${skipPreflight} ${reading.sent.text}`}
            reading={reading}
            skipPreflight={skipPreflight}
            onSkip={skip}
          />
          <Decoded reading={reading} />
        </>
      )}
    </>
  )
}

const SAMPLE: SentText = { text: samples[0]!.transaction, encoding: 'base64' }

/** The request that is sent; before anything is pasted, for a sample. */
function exchangeOf({ text, encoding }: SentText, skipPreflight: boolean) {
  const params = [text, { encoding, skipPreflight }]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params })
  return { method: 'POST', url: '/api/solrpc', body } as const
}

const COIN = { native: 'SOL', decimals: 9 }

function Deed({ bytes }: { readonly bytes: Uint8Array }) {
  return <Explained request={{ chain: 'solana', transaction: encodeBase64(bytes) }} coin={COIN} />
}

interface VerdictProps {
  readonly refusal: PredictedRefusal | null
  readonly isDurableNonce: boolean
  readonly faults: readonly string[]
}

function Verdict({ refusal, isDurableNonce, faults }: VerdictProps) {
  return (
    <Panel title="Before it is sent">
      <div role="status" class={`verdict ${refusal === null ? 'forwarded' : 'refused'}`}>
        {refusal === null ? (
          <p>
            <span class="chip state-ok">Ready to send</span> The transaction is well-formed, and every
            signature holds.
          </p>
        ) : (
          <p>
            <span class="chip state-refused">{refusal.code}</span> {refusal.message}
          </p>
        )}
      </div>
      {faults.length > 0 && <p>{faults.join(' ')}</p>}
      {refusal === null && (
        <p class="note">
          {isDurableNonce
            ? 'Only the chain can tell whether its durable nonce is still unused, '
            : 'Only the chain can tell whether its blockhash is recent enough, '}
          whether it has already landed, whether its accounts can pay, and whether its programs succeed.
        </p>
      )}
    </Panel>
  )
}
