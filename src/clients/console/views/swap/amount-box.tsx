/** The two boxes of an order: what is paid, and what is received for it. */
import type { ComponentChildren } from 'preact'
import { dollars } from '../../format.ts'
import { TokenName } from '../../parts/token-name.tsx'
import type { TokenChoice } from './choices.ts'
import { shareOf } from './costs.ts'
import { exactly } from './order.ts'
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
  /** Base units that stay for fees when all is spent; 0 for tokens. */
  readonly reserve: bigint
  readonly problem: string | null
  readonly onAmount: (amount: string) => void
}

export function PayBox({ title, coin, onPick, amount, problem, onAmount, ...wallet }: PayProps) {
  const { balance, decimals, reserve } = wallet
  const wordsOf = (base: bigint): string => exactly(String(base), { ...coin, decimals })
  const usd = coin.price === null || amount === '' ? null : Number(amount) * coin.price
  const spendable = balance === null || balance <= reserve ? 0n : balance - reserve
  const isShort = balance !== null && decimals !== null && Number(amount) > Number(balance) / 10 ** decimals
  const isMax = decimals !== null && reserve > 0n && amount === shareOf(spendable, 100, decimals)
  return (
    <div class={`amount-box ${problem === null ? '' : 'is-wrong'}`}>
      <p class="box-head">
        <label for="pay">
          {title}
          <span class="hidden">{`: amount of ${coin.symbol ?? 'the token'}`}</span>
        </label>
        {balance !== null && decimals !== null && <span>{`Balance ${shown(balance, decimals)}`}</span>}
      </p>
      <div class="box-line">
        <Settled
          id="pay"
          class="amount"
          value={amount}
          placeholder="0"
          aria-invalid={problem !== null}
          aria-describedby="pay-note"
          onSettle={onAmount}
        />
        <TokenButton what="pay" coin={coin} onPick={onPick} />
      </div>
      <p class="box-foot">
        <span>{usd === null || !Number.isFinite(usd) ? '' : dollars(usd)}</span>
        {decimals !== null && spendable > 0n && (
          <span class="shares">
            {[25, 50, 100].map((percent) => (
              <button
                key={percent}
                type="button"
                class="quiet"
                onClick={() => onAmount(shareOf(percent === 100 ? spendable : balance!, percent, decimals))}
              >
                {percent === 100 ? 'Max' : `${percent}%`}
              </button>
            ))}
          </span>
        )}
      </p>
      <p id="pay-note" class="box-note" role={problem === null ? undefined : 'alert'}>
        {problem ??
          (isShort
            ? `More than the ${wordsOf(balance)} in your wallet.`
            : isMax
              ? `${wordsOf(reserve)} stays for the network fee.`
              : '')}
      </p>
    </div>
  )
}

const shown = (base: bigint, decimals: number): string =>
  (Number(base) / 10 ** decimals).toLocaleString('en-US', { maximumSignificantDigits: 6 })

/** @param children  the amount, or why there is none yet */
export function GetBox({
  title,
  coin,
  onPick,
  worth,
  children,
}: BoxProps & { readonly worth: string; readonly children: ComponentChildren }) {
  return (
    <div class="amount-box">
      <p class="box-head">{title}</p>
      <div class="box-line">
        <output class="amount" aria-label={title} aria-live="off">
          {children}
        </output>
        <TokenButton what="receive" coin={coin} onPick={onPick} />
      </div>
      <p class="box-foot">{worth}</p>
    </div>
  )
}

function TokenButton({
  what,
  coin,
  onPick,
}: Pick<BoxProps, 'coin' | 'onPick'> & { readonly what: 'pay' | 'receive' }) {
  const name = coin.symbol ?? `${coin.address.slice(0, 6)}…`
  return (
    <button type="button" class="token-button" aria-haspopup="dialog" onClick={onPick}>
      <TokenName {...coin} symbol={name} name={null} />
      <span class="hidden">{`: choose the token to ${what}`}</span>
    </button>
  )
}
