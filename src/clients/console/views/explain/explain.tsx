/**
 * The explain view: what any pasted transaction, call, message or signature request does, before somebody signs it.
 * The text stays out of the page's URL, because anybody who has a signed transaction can send it.
 */
import { useMemo, useState } from 'preact/hooks'
import type { ExplainRequest } from '../../../../explain/types.ts'
import type { Chain } from '../../../client/index.ts'
import { useChains } from '../../data/chains.ts'
import samples from '../../data/samples.json' with { type: 'json' }
import { Explained } from '../../parts/explained.tsx'
import { Empty, ViewHead } from '../../parts/panel.tsx'
import { Samples } from '../../parts/samples.tsx'
import { readTransaction, signatureFaults } from '../relay/read.ts'
import { MAX_SOLANA_BYTES, type Pasted, readPasted } from './read.ts'

export function Explain() {
  const chains = useChains()
  const [text, type] = useState('')
  const [chosen, choose] = useState('')
  const [wallet, own] = useState('')
  const [known, name] = useState('')
  const pasted = useMemo(() => (text.trim() === '' ? null : readPasted(text)), [text])
  const found = pasted === null ? null : chainOf(pasted, chains)
  const chain = chosen || found
  const owner = wallet.trim()
  const request: ExplainRequest | null =
    pasted === null || !chain
      ? null
      : { ...pasted.asked, chain, recent: wordsOf(known), ...(owner !== '' && { owner }) }
  return (
    <>
      <ViewHead title="Explain" exchange={exchangeOf(request)}>
        <p class="lead">
          Paste what somebody wants signed. This page reads it with its own code, and sends it nowhere unless
          you ask for it to be executed at a node.
        </p>
        <Samples choose={type} />
      </ViewHead>
      <div class="filters">
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
          <select value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value)}>
            <option value="">{`Detect${found === null ? '' : `: ${nameOf(found, chains)}`}`}</option>
            {chains.map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div class="filters">
        <label>
          Wallet that is to sign, if known
          <input
            value={wallet}
            onInput={({ currentTarget }) => own(currentTarget.value)}
            spellcheck={false}
            autocomplete="off"
          />
        </label>
        <label>
          Addresses that it knows
          <input
            value={known}
            onInput={({ currentTarget }) => name(currentTarget.value)}
            spellcheck={false}
            autocomplete="off"
          />
        </label>
      </div>
      {pasted?.family === 'solana' && <Signatures transaction={pasted.asked.transaction!} />}
      {request === null ? (
        <Empty>{text.trim() === '' ? 'Paste something to see what it does.' : missing(pasted)}</Empty>
      ) : (
        <Explained request={request} coin={chains.find(({ key }) => key === chain) ?? null} />
      )}
    </>
  )
}

const SAMPLE: ExplainRequest = { chain: 'solana', transaction: samples[0]!.transaction }

/** What a node would be asked; before anything is pasted, about a sample. */
const exchangeOf = (request: ExplainRequest | null) =>
  ({ method: 'POST', url: '/api/explain', body: JSON.stringify(request ?? SAMPLE) }) as const

/** Which signatures of a signed transaction do not hold; an unsigned one needs none. */
function Signatures({ transaction }: { readonly transaction: string }) {
  const reading = useMemo(() => readTransaction(transaction, 'base64', MAX_SOLANA_BYTES), [transaction])
  const faults = signatureFaults(reading)
  if (faults.length === 0 || reading.signatures.every((state) => state === 'missing')) return null
  return <p role="alert">{faults.join(' ')}</p>
}

const wordsOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '')

const nameOf = (chain: string, chains: readonly Chain[]): string =>
  chains.find(({ key }) => key === chain)?.name ?? chain

/** @returns null if the text fits several chains */
function chainOf({ family, chainId }: Pasted, chains: readonly Chain[]): string | null {
  if (family !== 'evm') return family
  return chains.find((chain) => chainId !== null && chain.chainId === chainId)?.key ?? null
}

/** Why nothing is explained. */
function missing(pasted: Pasted | null): string {
  if (pasted === null)
    return 'This is no transaction, call, message or typed data that this page knows. Calldata alone does not say which contract it calls: paste it as JSON, with "to" and "data".'
  return pasted.chainId === null
    ? 'It does not say for which chain it is: choose one.'
    : `It is for the chain with the id ${pasted.chainId}, which this gateway does not serve.`
}
