/**
 * A text of the explainer. Its addresses are shortened and lead to the explorer, its amounts have six digits. Amounts of
 * tokens that only the token list knows are in the list's units, which the tooltip says.
 */
import { PROGRAM_NAMES } from '../../../chains/solana/programs.ts'
import type { Chain } from '../../client/index.ts'
import { useAllTokens } from '../data/hooks.ts'
import { decimal, short } from '../format.ts'
import { OnChain } from './explorer.tsx'
import { Tipped } from './figure.tsx'

const ADDRESS = String.raw`0x[0-9a-fA-F]{40,64}(?![0-9a-fA-F])|\b[EU]Q[\w-]{46}\b|\b[1-9A-HJ-NP-Za-km-z]{32,44}\b`
const UNITS = String.raw`\b\d+ base units of (?:${ADDRESS})`
const PARTS = new RegExp(String.raw`(${UNITS}|${ADDRESS}|\b\d+\.\d+\b)`)

interface SaidProps {
  readonly text: string
  readonly chain: Chain | null
}

export function Said({ text, chain }: SaidProps) {
  const parts = text.split(PARTS)
  return (
    <>
      {parts.map((part, i) => {
        if (i % 2 === 0) return part
        if (part.includes(' base units of ')) return <Units key={i} text={part} chain={chain} />
        if (/^\d+\./.test(part)) return <Amount key={i} text={part} />
        return <OnChain key={i} chain={chain} id={part} />
      })}
    </>
  )
}

const Amount = ({ text }: { readonly text: string }) => <span title={text}>{short(text)}</span>

/** Of the list, so that no request has a part of the text. */
const useToken = (chain: Chain | null, address: string) =>
  useAllTokens().data?.tokens.find(
    (one) => one.chain === chain?.key && one.address.toLowerCase() === address.toLowerCase(),
  )

function Units({ text, chain }: SaidProps) {
  const [units = '', address = ''] = text.split(' base units of ')
  const token = useToken(chain, address)
  const name = token?.symbol ?? <OnChain chain={chain} kind="token" id={address} />
  if (token?.decimals == null) return [`${units} base units of `, name]
  return (
    <Tipped source="Symbol and decimals by the token list" notes={[text]}>
      {`${short(decimal(units, token.decimals))} `}
      {name}
    </Tipped>
  )
}

/** A program or contract by its name, or a token's contract by its symbol. */
export function ProgramName({ chain, id }: { readonly chain: Chain | null; readonly id: string }) {
  const symbol = useToken(chain, id)?.symbol
  return (
    <>{PROGRAM_NAMES.get(id) ?? (symbol ? `the ${symbol} contract` : <OnChain chain={chain} id={id} />)}</>
  )
}
