/**
 * The order form: what is paid, what is received, and the button to proceed. Its whole state is in the URL.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { SwapOptions } from '../../../../client/index.ts'
import { setParameters, type ViewLocation } from '../../../location.ts'
import { Button, Select } from '../../../parts/controls.tsx'
import type { ConnectedWallet } from '../../../wallets/wallet.ts'
import { gradeOfSlippage, reserveOf } from '../offers/costs.ts'
import { nativeOf, type OrderProblem, PRIORITIES, presetBps, priorityOf, type SwapChain } from '../order.ts'
import { GetBox, PayBox } from './amount-box.tsx'
import type { TokenChoice } from './choices.ts'
import { type Held, heldOf } from './held.ts'
import { type Box, canCross, flipped, isSameToken, type Pair, parametersOf, picked } from './pair.ts'
import { Settled } from './settled.tsx'
import { TokenPicker } from './token-picker.tsx'

interface FormProps {
  readonly place: ViewLocation
  readonly options: SwapOptions
  readonly chain: SwapChain
  readonly pair: Pair
  readonly choices: readonly TokenChoice[]
  /** The two of the pair. */
  readonly coins: Readonly<Record<Box, TokenChoice>>
  readonly wallet: ConnectedWallet | null
  readonly held: Held
  readonly problem: OrderProblem | null
  /** The slippage that fits the order, by its quote; null before that. */
  readonly suggestedBps: number | null
  /** Dollars of the network fee, by its quote. */
  readonly networkUsd: number | null
  /** What is received; an exact decimal if the order is to be flipped. */
  readonly receives: {
    readonly shown: ComponentChildren
    readonly worth: string
    readonly exact: string | null
  }
  /** True while a swap runs. */
  readonly isLocked: boolean
  /** The recipient's field, if one is needed. */
  readonly recipient: ComponentChildren
  /** Content after the fields. */
  readonly children: ComponentChildren
}

export function Form({ place, options, chain, pair, choices, held, problem, ...more }: FormProps) {
  const { parameters } = place
  const [open, pick] = useState<Box | null>(null)
  const { pay, get } = more.coins
  const isNative = isSameToken(pay, { chain: chain.key, address: nativeOf(chain).address })
  const { base, decimals } = heldOf(held.chain, pay, isNative)
  const balance = base === null ? null : BigInt(base)
  const reserve =
    isNative && balance !== null && decimals !== null
      ? reserveOf(chain, { decimals, price: pay.price }, balance, more.networkUsd)
      : 0n
  const priority = priorityOf(parameters, chain)
  const amount = parameters.get('amount') ?? ''
  const set = (change: Record<string, string | null>): void => setParameters(place, change)
  /** Enter in the amount proceeds, if that amount is what the offers are for. */
  const submit = (event: Event & { readonly currentTarget: HTMLFormElement }): void => {
    event.preventDefault()
    const typed = event.currentTarget.querySelector<HTMLInputElement>('#pay')!.value
    if (typed === amount) event.currentTarget.querySelector<HTMLElement>('.act button')?.click()
  }
  return (
    <form class="order" onSubmit={submit}>
      <fieldset disabled={more.isLocked}>
        <legend class="hidden">The order</legend>
        <PayBox
          title="You pay"
          coin={pay}
          amount={amount}
          balance={balance}
          decimals={decimals}
          reserve={reserve}
          problem={problem?.field === 'amount' ? problem.text : null}
          onAmount={(value) => set({ amount: value })}
          onPick={() => pick('pay')}
        />
        <Button
          class="flip"
          aria-label="Flip: pay what is received"
          disabled={pair.pay.chain !== pair.get.chain && !canCross(pair.get.chain, pair.pay.chain, options)}
          onClick={() =>
            set({ ...parametersOf(flipped(pair), options), amount: more.receives.exact, slippage: null })
          }
        >
          <span aria-hidden="true">⇅</span>
        </Button>
        <GetBox title="You receive" coin={get} worth={more.receives.worth} onPick={() => pick('get')}>
          {more.receives.shown}
        </GetBox>
        {more.recipient}
        <Slippage
          options={options}
          suggestedBps={more.suggestedBps}
          presetBps={presetBps(pair.pay.address, pair.get.address, chain)}
          value={parameters.get('slippage')}
          problem={problem?.field === 'slippage' ? problem.text : null}
          onChange={(slippage) => set({ slippage })}
        />
        {priority !== null && (
          <label class="settings priority">
            Priority fee
            <Select
              value={priority}
              options={PRIORITIES.map((level) => [level, level])}
              onChange={(level) => set({ priority: level })}
            />
            <small>Pay more to land sooner. You'll see the exact fee in the review.</small>
          </label>
        )}
      </fieldset>
      {more.children}
      {open !== null && (
        <TokenPicker
          title={open === 'pay' ? 'Pay with' : 'Receive'}
          options={options}
          choices={choices}
          chosen={pair[open]}
          wallet={more.wallet}
          onChoose={(token) =>
            set({ ...parametersOf(picked(pair, open, token, options), options), slippage: null })
          }
          onClose={() => pick(null)}
        />
      )}
    </form>
  )
}

interface SlippageProps {
  readonly options: SwapOptions
  readonly suggestedBps: number | null
  /** The default if the URL has none. */
  readonly presetBps: number
  readonly value: string | null
  readonly problem: string | null
  readonly onChange: (percent: string | null) => void
}

export function Slippage({
  options: { slippageBps },
  suggestedBps,
  presetBps: preset,
  value,
  problem,
  onChange,
}: SlippageProps) {
  const usual = String(preset / 100)
  const shown = value ?? usual
  const grade = gradeOfSlippage(Number(shown) * 100)
  const choice = (bps: number, text: string) => (
    <button
      key={text}
      type="button"
      class="quiet"
      aria-pressed={shown === String(bps / 100)}
      aria-label={text === `${bps / 100}%` ? `Slippage of ${text}` : undefined}
      onClick={() => onChange(String(bps / 100))}
    >
      {text}
    </button>
  )
  const presets = [...new Set([preset, ...slippageBps.presets])].sort((a, b) => a - b)
  return (
    <div class="settings slippage">
      <details open={problem !== null || undefined}>
        <summary>
          {'Max slippage '}
          <strong class={grade === '' ? '' : 'chip power'}>{`${shown}%`}</strong>
        </summary>
        <label for="slippage">Slippage, %</label>
        <Settled
          id="slippage"
          value={shown}
          placeholder={usual}
          aria-invalid={problem !== null}
          aria-describedby="slippage-note"
          onSettle={(text) => onChange(text === '' ? null : text)}
        />
        <span class="presets row">{presets.map((bps) => choice(bps, `${bps / 100}%`))}</span>
        <small id="slippage-note">{slippageBps.why}</small>
      </details>
      {suggestedBps !== null && choice(suggestedBps, `${suggestedBps / 100}% suggested`)}
      {problem !== null && <p role="alert">{problem}</p>}
      {problem === null && grade !== '' && (
        <p class="box-note">At 3% and more, others may trade ahead of you and keep the difference.</p>
      )}
    </div>
  )
}
