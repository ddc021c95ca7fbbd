/**
 * The explain view: what any pasted transaction, call, message or signature request does, before somebody signs it.
 * The text stays out of the page's URL, because anybody who has a signed transaction can send it.
 */
import { useMemo, useState } from 'preact/hooks'
import type { ExplainRequest } from '../../../../explain/types.ts'
import type { Chain } from '../../../client/index.ts'
import { useChainNames, useChains } from '../../data/hooks.ts'
import samples from '../../data/samples.json' with { type: 'json' }
import { Select, TextField } from '../../parts/controls.tsx'
import { Explained } from '../../parts/explained.tsx'
import { Empty, ViewHead } from '../../parts/panel.tsx'
import { Samples } from '../../parts/samples.tsx'
import { Decoded } from '../relay/decoded.tsx'
import { type PastedTransaction, readTransaction, signatureFaults } from '../relay/read.ts'
import '../relay/relay.css'
import { MAX_SOLANA_BYTES, type Pasted, readPasted } from './read.ts'

export default function Explain() {
  const chains = useChains()
  const nameOf = useChainNames()
  const [text, type] = useState('')
  const [chosen, choose] = useState('')
  const [wallet, own] = useState('')
  const [known, name] = useState('')
  const pasted = useMemo(() => (text.trim() === '' ? null : readPasted(text)), [text])
  const found = pasted === null ? null : chainOf(pasted, chains)
  const chain = chosen || found
  const owner = wallet.trim()
  const solana = pasted?.family === 'solana' ? pasted.asked.transaction : undefined
  const reading = useMemo(
    () => (solana === undefined ? null : readTransaction(solana, 'base64', MAX_SOLANA_BYTES)),
    [solana],
  )
  const request: ExplainRequest | null =
    pasted === null || !chain
      ? null
      : {
          ...pasted.asked,
          chain,
          recent: [...(pasted.asked.recent ?? []), ...wordsOf(known)],
          ...(owner !== '' && { owner }),
        }
  return (
    <>
      <ViewHead title="Explain" exchange={exchangeOf(request)}>
        <p class="lead">
          Paste anything a dapp asks you to sign. It stays in this page unless you simulate it.
        </p>
        <Samples choose={type} />
      </ViewHead>
      <div class="filters row">
        <label class="wide">
          Transaction, call, message or typed data
          <textarea
            rows={6}
            value={text}
            onInput={({ currentTarget }) => type(currentTarget.value)}
            placeholder="base64, base58, hexadecimal digits or JSON"
            spellcheck={false}
            autocomplete="off"
          />
        </label>
        <label>
          Chain
          <Select
            value={chosen}
            options={[
              ['', `Detect${found === null ? '' : `: ${nameOf(found)}`}`],
              ...chains.map(({ key, name }) => [key, name] as const),
            ]}
            onChange={choose}
          />
        </label>
      </div>
      <div class="filters row">
        <label>
          Your wallet (optional)
          <TextField value={wallet} onInput={own} />
        </label>
        <label>
          Trusted addresses (optional)
          <TextField value={known} onInput={name} />
        </label>
      </div>
      {reading !== null && <Signatures reading={reading} />}
      {request === null ? (
        <Empty>{text.trim() === '' ? 'Paste something to see what it does.' : missing(pasted)}</Empty>
      ) : (
        <>
          <Explained request={request} chain={chains.find(({ key }) => key === chain) ?? null} />
          {reading === null ? (
            <details class="panel bytes">
              <summary>Bytes</summary>
              <code>{text.trim()}</code>
            </details>
          ) : (
            <Decoded reading={reading} />
          )}
        </>
      )}
    </>
  )
}

const SAMPLE: ExplainRequest = { chain: 'solana', transaction: samples[0]!.transaction }

/** What a node would be asked; before anything is pasted, about a sample. */
const exchangeOf = (request: ExplainRequest | null) =>
  ({ method: 'POST', url: '/api/explain', body: JSON.stringify(request ?? SAMPLE) }) as const

/** Which signatures of a signed transaction do not hold; an unsigned one needs none. */
function Signatures({ reading }: { readonly reading: PastedTransaction }) {
  const faults = signatureFaults(reading)
  if (faults.length === 0 || reading.signatures.every((state) => state === 'missing')) return null
  return <p role="alert">{faults.join(' ')}</p>
}

const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '')

/** @returns null if the text fits several chains */
function chainOf({ family, chain, chainId }: Pasted, chains: readonly Chain[]): string | null {
  if (chain !== undefined) return chain
  if (family !== 'evm') return family
  return chains.find((chain) => chainId !== null && chain.chainId === chainId)?.key ?? null
}

/** Why nothing is explained. */
function missing(pasted: Pasted | null): string {
  if (pasted === null)
    return 'We can’t read this. Paste a transaction, a call, a message or typed data. For calldata, paste JSON with "to" and "data".'
  return pasted.chainId === null ? 'Choose its chain.' : `This gateway doesn't serve chain ${pasted.chainId}.`
}
