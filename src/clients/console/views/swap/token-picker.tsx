/** Picks a token from the list by symbol, name or address, or by a pasted address. Source: WAI-ARIA APG, combobox */
import { useId, useState } from 'preact/hooks'
import { dollars } from '../../format.ts'
import { TokenName } from '../../parts/token-name.tsx'
import type { SwapCoin } from './order.ts'

export interface TokenChoice extends SwapCoin {
  readonly chain: string
  /** Liquidity in its pools, dollars, if the list has it. */
  readonly liq?: number | null | undefined
}

const SHOWN = 8
/** Shorter than any address. */
const MIN_ADDRESS = 32

interface PickerProps {
  readonly label: string
  readonly choices: readonly TokenChoice[]
  /** The chosen token's address. */
  readonly chosen: string
  readonly onChoose: (address: string) => void
}

export function TokenPicker({ label, choices, chosen, onChoose }: PickerProps) {
  const [typed, type] = useState<string | null>(null)
  const [active, activate] = useState(0)
  const id = useId()
  const known = choices.find(({ address }) => address === chosen)
  const found = typed === null ? [] : matching(choices, typed)
  const pasted = typed?.trim() ?? ''
  const isAddress = pasted.length >= MIN_ADDRESS && found.length === 0 && !/\s/.test(pasted)
  const isOpen = typed !== null && (found.length > 0 || isAddress)
  const choose = (address: string): void => {
    type(null)
    onChoose(address)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Escape') type(null)
    if (event.key === 'ArrowDown' && typed === null) type('')
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (found.length > 0) activate((active + step + found.length) % found.length)
    }
    if (event.key === 'Enter' && isOpen) {
      event.preventDefault()
      choose(found[active]?.address ?? pasted)
    }
  }
  return (
    <div class="picker">
      <label for={id}>{label}</label>
      <input
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && found.length > 0 ? `${id}-${active}` : undefined}
        value={typed ?? known?.symbol ?? chosen}
        placeholder="Symbol, name or address"
        autocomplete="off"
        spellcheck={false}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => {
          type(currentTarget.value)
          activate(0)
        }}
        onClick={() => type(typed ?? '')}
        onBlur={() => type(null)}
        onKeyDown={press}
      />
      <div id={`${id}-list`} role="listbox" aria-label={`${label}: choices`} hidden={!isOpen}>
        {found.map((choice, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the combobox's
          <div
            tabIndex={-1}
            key={choice.address}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(choice.address)}
          >
            <TokenName {...choice} />
            <small>{choice.liq == null ? '' : `${dollars(choice.liq)} in pools`}</small>
          </div>
        ))}
        {isAddress && (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the combobox's
          <div
            tabIndex={-1}
            role="option"
            aria-selected={true}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(pasted)}
          >
            <span>Use this address. Not on any list, not checked.</span>
          </div>
        )}
      </div>
    </div>
  )
}

function matching(choices: readonly TokenChoice[], typed: string): readonly TokenChoice[] {
  const text = typed.trim().toLowerCase()
  const found = choices.filter(
    ({ symbol, name, address }) =>
      symbol?.toLowerCase().includes(text) ||
      name?.toLowerCase().includes(text) ||
      address.toLowerCase().startsWith(text),
  )
  const exact = ({ symbol }: TokenChoice): boolean => symbol?.toLowerCase() === text
  return [...found.filter(exact), ...found.filter((choice) => !exact(choice))].slice(0, SHOWN)
}
