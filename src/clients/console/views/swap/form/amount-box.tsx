/** The two boxes of an order: what is paid, and what is received. */
import type { ComponentChildren } from 'preact'
import { dollars } from '../../../format.ts'
import { Button } from '../../../parts/controls.tsx'
import { TokenName } from '../../../parts/token-name.tsx'
import { shareOf } from '../offers/costs.ts'
import { brief } from '../order.ts'
import type { TokenChoice } from './choices.ts'
import { Settled } from './settled.tsx'

interface BoxProps {
  readonly title: string
  readonly coin: TokenChoice
  readonly onPick: () => void
}

interface PayProps extends BoxProps {
  readonly amount: string
  /** Of the wallet, in base units; null if it is not known. */
  readonly balance: bigint | null
  readonly decimals: number | null
  /** Base units that are reserved for fees if everything is spent; 0 for tokens. */
  readonly reserve: bigint
  readonly problem: string | null
  readonly onAmount: (amount: string) => void
}

export function PayBox({ title, coin, onPick, amount, problem, onAmount, ...wallet }: PayProps) {
  const { balance, decimals, reserve } = wallet
  const wordsOf = (base: bigint): string => brief(String(base), { ...coin, decimals })
  const usd = coin.price === null || amount === '' ? null : Number(amount) * coin.price
  const spendable = balance === null || balance <= reserve ? 0n : balance - reserve
  const isShort = balance !== null && decimals !== null && Number(amount) > Number(balance) / 10 ** decimals
  const isMax = decimals !== null && reserve > 0n && amount === shareOf(spendable, 100, decimals)
  const part = (percent: number) =>
    [
      percent === 100 ? 'Max' : `${percent}%`,
      shareOf(percent === 100 ? spendable : balance!, percent, decimals!),
    ] as const
  return (
    <AmountBox
      title={title}
      of={coin.symbol ?? 'the token'}
      amount={amount}
      worth={usd === null || !Number.isFinite(usd) ? '' : dollars(usd)}
      balance={balance === null || decimals === null ? null : shown(balance, decimals)}
      parts={decimals !== null && spendable > 0n ? [25, 50, 100].map(part) : []}
      problem={problem}
      note={
        isShort
          ? `Not enough ${coin.symbol ?? ''}. You have ${wordsOf(balance)}.`
          : isMax
            ? `${wordsOf(reserve)} stays for the network fee.`
            : ''
      }
      onAmount={onAmount}
    >
      <TokenButton what="pay" coin={coin} onPick={onPick} />
    </AmountBox>
  )
}

interface AmountProps {
  readonly title: string
  /** What the amount is of. */
  readonly of: string
  /** Before the amount. */
  readonly sign?: string
  readonly amount: string
  readonly worth: string
  readonly balance: string | null
  /** Amounts to choose, each with its name. */
  readonly parts: readonly (readonly [name: string, amount: string])[]
  readonly problem: string | null
  /** Shown if there is no problem. */
  readonly note: string
  readonly onAmount: (amount: string) => void
  /** Behind the amount. */
  readonly children: ComponentChildren
}

export function AmountBox({ title, amount, worth, balance, parts, problem, ...more }: AmountProps) {
  return (
    <div class={`amount-box ${problem === null ? '' : 'is-wrong'}`}>
      <p class="box-head line">
        <label for="pay">
          {title}
          <span class="hidden">{`: amount of ${more.of}`}</span>
        </label>
        {balance !== null && <span>{`Balance ${balance}`}</span>}
      </p>
      <div class="box-line line">
        {more.sign !== undefined && <span class="sign">{more.sign}</span>}
        <Settled
          id="pay"
          class="amount"
          value={amount}
          placeholder="0"
          aria-invalid={problem !== null}
          aria-describedby="pay-note"
          onSettle={more.onAmount}
        />
        {more.children}
      </div>
      <p class="box-foot line">
        <span>{worth}</span>
        <span class="shares line">
          {parts.map(([name, part]) => (
            <button key={name} type="button" class="quiet" onClick={() => more.onAmount(part)}>
              {name}
            </button>
          ))}
        </span>
      </p>
      <p id="pay-note" class="box-note" role={problem === null ? undefined : 'alert'}>
        {problem ?? more.note}
      </p>
    </div>
  )
}

const shown = (base: bigint, decimals: number): string =>
  (Number(base) / 10 ** decimals).toLocaleString('en-US', { maximumSignificantDigits: 6 })

/** @param children  the amount, or why there is none yet */
export const GetBox = ({
  title,
  coin,
  onPick,
  worth,
  children,
}: BoxProps & { readonly worth: string; readonly children: ComponentChildren }) => (
  <div class="amount-box">
    <p class="box-head line">{title}</p>
    <div class="box-line line">
      <output class="amount" aria-label={title} aria-live="off">
        {children}
      </output>
      <TokenButton what="receive" coin={coin} onPick={onPick} />
    </div>
    <p class="box-foot line">{worth}</p>
  </div>
)

function TokenButton({
  what,
  coin,
  onPick,
}: Pick<BoxProps, 'coin' | 'onPick'> & { readonly what: 'pay' | 'receive' }) {
  const name = coin.symbol ?? `${coin.address.slice(0, 6)}…`
  return (
    <Button class="token-button line" aria-haspopup="dialog" onClick={onPick}>
      <TokenName {...coin} symbol={name} name={null} />
      <span class="hidden">{`: choose the token to ${what}`}</span>
    </Button>
  )
}
