/**
 * A signed transaction, read in the page before it is sent: what is in it, who
 * signed it, and why the relay would refuse it; then sent, if somebody wants to,
 * with the relay's answer beside what was predicted. It stays out of the page's
 * URL: whoever has it can send it.
 */
import { useMemo, useState } from 'preact/hooks'
import { Empty, Panel, ViewHead } from '../../parts/panel.tsx'
import { Decoded } from './decoded.tsx'
import { ENCODINGS, predict, type Refusal, readTransaction, type TextEncoding } from './read.ts'
import { Send } from './send.tsx'
import './relay.css'

export function Relay() {
  const [text, type] = useState('')
  const [encoding, choose] = useState<TextEncoding | null>(null)
  const [skipPreflight, skip] = useState(false)
  const reading = useMemo(
    () => (text.trim() === '' ? null : readTransaction(text, encoding)),
    [text, encoding],
  )
  return (
    <>
      <ViewHead title="Relay">
        <p class="lead">
          Paste a signed Solana transaction. It is read here, in the page, by the code that the relay judges
          it with; nothing is sent before you press Send.
        </p>
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
        <Empty>What is pasted is decoded here.</Empty>
      ) : (
        <>
          <Verdict refusal={predict(reading, skipPreflight)} isDurableNonce={reading.isDurableNonce} />
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

function Verdict({
  refusal,
  isDurableNonce,
}: {
  readonly refusal: Refusal | null
  readonly isDurableNonce: boolean
}) {
  return (
    <Panel title="What the relay would say">
      <div role="status" class={`verdict ${refusal === null ? 'forwarded' : 'refused'}`}>
        {refusal === null ? (
          <p>
            <span class="chip state-ok">forwarded</span> All that its bytes tell is in order, and every
            signature holds.
          </p>
        ) : (
          <p>
            <span class="chip state-refused">{refusal.code}</span> {refusal.message}
          </p>
        )}
      </div>
      {refusal === null && (
        <p class="note">
          {isDurableNonce
            ? 'Only the chain knows whether its durable nonce is still unused, '
            : 'Only the chain knows whether its blockhash is recent enough, '}
          whether it landed before, whether its accounts can pay, and what its programs say.
        </p>
      )}
    </Panel>
  )
}
