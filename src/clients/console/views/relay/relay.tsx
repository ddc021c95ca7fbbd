/**
 * The relay view, in three cards: whether a signed transaction would be accepted, with Send; what it does; its bytes.
 * The transaction stays out of the page's URL, because anybody who has it can send it.
 */
import { useMemo, useState } from 'preact/hooks'
import { encodeBase64 } from '../../../../runtime/base64.ts'
import { useChains, useConfig } from '../../data/hooks.ts'
import samples from '../../data/samples.json' with { type: 'json' }
import { Select } from '../../parts/controls.tsx'
import { Explained } from '../../parts/explained.tsx'
import { Empty, ViewHead } from '../../parts/panel.tsx'
import { Samples } from '../../parts/samples.tsx'
import { Decoded } from './decoded.tsx'
import { ENCODINGS, readTransaction, type SentText, type TextEncoding } from './read.ts'
import { Send } from './send.tsx'
import './relay.css'

export default function Relay() {
  const [text, type] = useState('')
  const [encoding, choose] = useState<TextEncoding | null>(null)
  const [skipPreflight, skip] = useState(false)
  const solana = useChains().find(({ key }) => key === 'solana')
  const maxV1Bytes = useConfig().data?.relay.maxV1TransactionBytes
  const reading = useMemo(
    () => (text.trim() === '' ? null : readTransaction(text, encoding, maxV1Bytes)),
    [text, encoding, maxV1Bytes],
  )
  return (
    <>
      <ViewHead title="Relay" exchange={exchangeOf(reading?.sent ?? SAMPLE, skipPreflight)}>
        <p class="lead">
          Paste a signed Solana transaction. This page checks it as the relay does, and sends nothing until
          you press Send.
        </p>
        <Samples choose={type} />
      </ViewHead>
      <div class="filters row">
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
          <Select
            value={encoding ?? ''}
            options={[
              ['', `Detect${reading === null ? '' : `: ${reading.encoding}`}`],
              ...ENCODINGS.map((one) => [one, one] as const),
            ]}
            onChange={(text) => choose(ENCODINGS.find((one) => one === text) ?? null)}
          />
        </label>
      </div>
      {reading === null ? (
        <Empty>Paste a transaction to see what it does.</Empty>
      ) : (
        <>
          <Send
            key={`${reading.sent.encoding} ${skipPreflight} ${reading.sent.text}`}
            reading={reading}
            skipPreflight={skipPreflight}
            onSkip={skip}
          />
          {reading.wire !== null && (
            <Explained
              request={{ chain: 'solana', transaction: encodeBase64(reading.bytes!) }}
              chain={solana ?? null}
            />
          )}
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
