/** The order form. Its whole state is in the URL. */
import { useEffect, useState } from 'preact/hooks'
import type { SwapOptions } from '../../../client/index.ts'
import { setParameters, type ViewLocation } from '../../location.ts'
import {
  againstOf,
  nativeOf,
  PRIORITIES,
  priorityOf,
  type SwapChain,
  type SwapSide,
  sideOf,
  tokenOf,
} from './order.ts'
import { type TokenChoice, TokenPicker } from './token-picker.tsx'

/** The debounce after the last keystroke. */
const SETTLE_MS = 350

interface FormProps {
  readonly place: ViewLocation
  readonly options: SwapOptions
  readonly chain: SwapChain
  readonly choices: readonly TokenChoice[]
  /** The slippage that fits the order, by its quote; null before that. */
  readonly suggestedBps: number | null
  /** True while a swap runs. */
  readonly isLocked: boolean
}

export function Form({ place, options, chain, choices, suggestedBps, isLocked }: FormProps) {
  const { parameters } = place
  const native = nativeOf(chain)
  const token = tokenOf(parameters, chain)
  const side = sideOf(parameters)
  const against = againstOf(parameters, chain)
  const priority = priorityOf(parameters, chain)
  const symbolOf = (sought: string, unknown: string): string =>
    [native, ...choices].find(({ address }) => address === sought)?.symbol ?? unknown
  const symbol = symbolOf(token, 'the token')
  const other = symbolOf(against, 'the other token')
  const set = (change: Record<string, string | null>): void => setParameters(place, change)
  return (
    <form class="order" onSubmit={(event) => event.preventDefault()}>
      <fieldset disabled={isLocked}>
        <legend class="hidden">The order</legend>
        <label>
          Chain
          <select
            value={chain.key}
            onChange={({ currentTarget }) => set({ chain: currentTarget.value, token: null, against: null })}
          >
            {options.chains
              .filter(({ swaps }) => swaps)
              .map(({ key, name }) => (
                <option key={key} value={key}>
                  {name}
                </option>
              ))}
          </select>
        </label>
        <fieldset class="sides">
          <legend>Side</legend>
          {(['buy', 'sell'] as const).map((one: SwapSide) => (
            <label key={one}>
              <input
                type="radio"
                name="side"
                value={one}
                checked={side === one}
                onChange={() => set({ side: one })}
              />
              <span>{one === 'buy' ? `Buy with ${other}` : `Sell for ${other}`}</span>
            </label>
          ))}
        </fieldset>
        <TokenPicker
          key={chain.key}
          label="Token"
          choices={choices}
          chosen={token}
          onChoose={(address) => set({ token: address })}
        />
        <TokenPicker
          key={`${chain.key} against`}
          label="Other side"
          choices={[{ ...native, chain: chain.key }, ...choices]}
          chosen={against}
          onChoose={(address) => set({ against: address === native.address ? null : address })}
        />
        <Settled
          label={`Amount of ${side === 'buy' ? other : symbol}`}
          value={parameters.get('amount') ?? ''}
          placeholder="0.25"
          onSettle={(amount) => set({ amount })}
        />
        <Slippage
          options={options}
          suggestedBps={suggestedBps}
          value={parameters.get('slippage')}
          onChange={(slippage) => set({ slippage })}
        />
        {priority !== null && (
          <label>
            Priority fee
            <select value={priority} onChange={({ currentTarget }) => set({ priority: currentTarget.value })}>
              {PRIORITIES.map((level) => (
                <option key={level} value={level}>
                  {level}
                </option>
              ))}
            </select>
            <small>What it pays to be first in a full block; the review says how much.</small>
          </label>
        )}
      </fieldset>
    </form>
  )
}

function Slippage({
  options: { slippageBps },
  suggestedBps,
  value,
  onChange,
}: {
  readonly options: SwapOptions
  readonly suggestedBps: number | null
  readonly value: string | null
  readonly onChange: (percent: string) => void
}) {
  const usual = String(slippageBps.default / 100)
  return (
    <div class="slippage">
      <Settled label="Slippage, %" value={value ?? usual} placeholder={usual} onSettle={onChange} />
      <span class="presets">
        {suggestedBps !== null && (
          <button
            type="button"
            class="quiet"
            aria-pressed={value === String(suggestedBps / 100)}
            onClick={() => onChange(String(suggestedBps / 100))}
          >
            {`${suggestedBps / 100} % suggested`}
          </button>
        )}
        {slippageBps.presets.map((bps) => (
          <button
            key={bps}
            type="button"
            class="quiet"
            aria-pressed={(value ?? usual) === String(bps / 100)}
            aria-label={`Slippage of ${bps / 100} %`}
            onClick={() => onChange(String(bps / 100))}
          >
            {`${bps / 100} %`}
          </button>
        ))}
      </span>
      <small>{slippageBps.why}</small>
    </div>
  )
}

/** A field that reports its value when typing pauses. */
function Settled({
  label,
  value,
  placeholder,
  onSettle,
}: {
  readonly label: string
  readonly value: string
  readonly placeholder: string
  readonly onSettle: (value: string) => void
}) {
  const [typed, type] = useState<string | null>(null)
  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(() => {
      onSettle(typed.trim())
      type(null)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label>
      {label}
      <input
        value={typed ?? value}
        placeholder={placeholder}
        inputMode="decimal"
        autocomplete="off"
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
    </label>
  )
}
