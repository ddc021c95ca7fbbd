/**
 * A dialog that picks a token: by symbol, name or address, of one chain or of all, what the wallet holds first.
 * Sources: WAI-ARIA APG, dialog (modal) and combobox
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { SwapOptions } from '../../../../client/index.ts'
import { useAllTokens } from '../../../data/hooks.ts'
import { amount, dollars, price } from '../../../format.ts'
import { Button, Select, TextField } from '../../../parts/controls.tsx'
import { TokenName } from '../../../parts/token-name.tsx'
import type { ConnectedWallet } from '../../../wallets/wallet.ts'
import { chainsOfAddress } from '../../tokens/rows.ts'
import { matching, type TokenChoice, unlisted } from './choices.ts'
import { heldOf, useHeld } from './held.ts'
import { isSameToken, type TokenAt } from './pair.ts'
import { briefly, named, useProfile } from './risks.tsx'
import { familyOf } from './wallet-panel.tsx'

/** The rows that are shown at first, and that scrolling to the end adds. */
const STEP = 40
/** How near to the end, in pixels, more is added. */
const NEAR_PX = 120

interface PickerProps {
  readonly title: string
  readonly options: SwapOptions
  readonly choices: readonly TokenChoice[]
  readonly chosen: TokenAt
  readonly wallet: ConnectedWallet | null
  readonly onChoose: (token: TokenAt) => void
  readonly onClose: () => void
}

export function TokenPicker({ title, options, choices, chosen, wallet, onChoose, onClose }: PickerProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [typed, type] = useState('')
  const [chain, narrow] = useState<string | null>(chosen.chain)
  const [active, activate] = useState(0)
  const [limit, extend] = useState(STEP)
  useEffect(() => {
    dialog.current!.showModal()
    dialog.current!.querySelector('input')!.focus()
  }, [])
  const held = useHoldings(options, choices, wallet, chain)
  const ofChain = choices.filter((choice) => chain === null || choice.chain === chain)
  const others = ofChain.filter((choice) => !held.some((one) => isSameToken(one, choice)))
  // Tokens that anybody may have sent to the wallet come after known ones.
  const [known, sentIn] = [true, false].map((isListed) => held.filter((one) => one.isListed === isListed))
  const found = matching([...known!, ...others, ...sentIn!], typed)
  const chains = found.length > 0 ? [] : chainsOfAddress(typed.trim(), chain, choices)
  // Unlisted tokens in the wallet are also looked up, once only they are left.
  const alone = found.length === 1 && !found[0]!.isListed ? found[0]! : null
  const looked = useLookup(chains.length === 1 ? { chain: chains[0]!, address: typed.trim() } : alone)
  const hidden = useHidden()
  const shown: readonly PickerRow[] =
    looked === null ? found.slice(0, limit).map(hidden) : [{ ...alone, ...looked }]
  const choose = (token: TokenAt): void => {
    onChoose(token)
    dialog.current!.close()
  }
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && shown.length > 0) {
      event.preventDefault()
      const next = (active + step + shown.length) % shown.length
      activate(next)
      document.getElementById(`choice-${next}`)?.scrollIntoView({ block: 'nearest' })
    }
    const row = shown[active]
    if (event.key === 'Enter' && row !== undefined) {
      event.preventDefault()
      choose(row)
    }
  }
  const begin = (change: () => void): void => {
    change()
    activate(0)
    extend(STEP)
  }
  return (
    <dialog
      ref={dialog}
      class="token-dialog"
      aria-labelledby="picker-title"
      onClose={onClose}
      onPointerDown={({ target, currentTarget }) => target === currentTarget && currentTarget.close()}
    >
      <div class="picker">
        <header class="line">
          <h2 id="picker-title">{title}</h2>
          <Button class="quiet" aria-label="Close" onClick={() => dialog.current!.close()}>
            ✕
          </Button>
        </header>
        <div class="picker-find line">
          <TextField
            role="combobox"
            aria-label="Search tokens"
            aria-expanded={shown.length > 0}
            aria-controls="choices"
            aria-autocomplete="list"
            aria-activedescendant={shown.length > 0 ? `choice-${active}` : undefined}
            value={typed}
            placeholder="Symbol, name or address"
            onInput={(text) => begin(() => type(text))}
            onKeyDown={press}
          />
          <Select
            label="Chain"
            value={chain ?? ''}
            options={[
              ['', 'All chains'],
              ...options.chains.flatMap(({ key, name, swaps }) => (swaps ? [[key, name] as const] : [])),
            ]}
            onChange={(key) => begin(() => narrow(key || null))}
          />
        </div>
        <div
          id="choices"
          role="listbox"
          aria-label="Tokens"
          tabIndex={-1}
          onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
            if (scrollTop + clientHeight > scrollHeight - NEAR_PX && limit < found.length)
              extend(limit + STEP)
          }}
        >
          {shown.map((row, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the combobox's
            <div
              key={`${row.chain} ${row.address}`}
              id={`choice-${i}`}
              class="line"
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(row)}
            >
              <TokenName {...row} />
              <small>{besideOf(row)}</small>
            </div>
          ))}
        </div>
        {shown.length === 0 && (
          <p class="picker-none">
            {chains.length === 0 ? 'No token matches. Paste an address to look it up.' : 'Choose its chain: '}
            {chains.map((key) => (
              <button key={key} type="button" class="quiet" onClick={() => begin(() => narrow(key))}>
                {key}
              </button>
            ))}
          </p>
        )}
      </div>
    </dialog>
  )
}

interface PickerRow extends TokenChoice {
  /** What its look-up says against it, of one that no list has. */
  readonly said?: string
  /** The wallet's balance of it. */
  readonly held?: number
}

function besideOf({ held, isListed, price: unit, liq, said }: PickerRow): string {
  if (!isListed) return said ?? 'Not on any list'
  if (held !== undefined) return `${amount(held)}${unit === null ? '' : ` · ${dollars(held * unit)}`}`
  return unit !== null ? price(unit) : liq !== null ? `${dollars(liq)} in pools` : ''
}

/** The wallet's balances on the chain, by value; unlisted tokens come last. */
function useHoldings(
  { chains }: SwapOptions,
  choices: readonly TokenChoice[],
  wallet: ConnectedWallet | null,
  key: string | null,
): readonly PickerRow[] {
  const chain = chains.find((one) => one.key === key)
  const isOfWallet = chain !== undefined && familyOf(chain) === wallet?.family
  const held = useHeld(isOfWallet ? wallet : null, key ?? '').chain
  if (held === null || chain === undefined) return []
  const native = chain.majors.find(({ kind }) => kind === 'native')!.address
  const rows = [...(held.native === null ? [] : [{ ...held.native, address: native }]), ...held.tokens]
  const worthOf = ({ held: units = 0, price }: PickerRow): number => units * (price ?? 0)
  return rows
    .flatMap(({ address, symbol, name }): PickerRow[] => {
      const at = { chain: chain.key, address }
      const known = choices.find((choice) => isSameToken(choice, at)) ?? { ...unlisted(at), symbol, name }
      const { base, decimals } = heldOf(held, known, address === native)
      if (base === null || base === '0' || decimals === null) return []
      return [{ ...known, held: Number(base) / 10 ** decimals }]
    })
    .sort((a, b) => Number(b.isListed) - Number(a.isListed) || worthOf(b) - worthOf(a))
}

/** Says of tokens that the list hides why it does. */
function useHidden(): (row: PickerRow) => PickerRow {
  const { data } = useAllTokens()
  const gated = (data?.tokens ?? []).filter(({ gate = [] }) => gate.length > 0)
  return (row) => {
    const found = row.isListed ? undefined : gated.find((one) => isSameToken(one, row))
    return found === undefined ? row : { ...row, said: `Danger: ${found.gate![0]!.reason}` }
  }
}

/** A token that no list has, by its address; null without one. */
function useLookup(token: TokenAt | null): PickerRow | null {
  const coin = token === null ? null : unlisted(token)
  const { data, error } = useProfile(coin)
  if (coin === null) return null
  const said =
    data?.risks !== undefined
      ? briefly(data.risks)
      : error === null
        ? 'Looking it up…'
        : 'Not on any list, not checked'
  return { ...named(coin, data), said }
}
