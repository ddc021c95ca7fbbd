/** The basket view: dollars, split over several tokens of a chain, which are bought one after the other. */
import { useEffect, useRef } from 'preact/hooks'
import type { BasketPlan, SwapgateError, SwapOptions } from '../../../client/index.ts'
import { useAnswer } from '../../data/hooks.ts'
import { useKept } from '../../data/kept.ts'
import { amount, dollars } from '../../format.ts'
import { hrefOf, setParameters, type ViewLocation } from '../../location.ts'
import { Button, Select } from '../../parts/controls.tsx'
import { Empty, Panel, ViewHead, Waiting, WaitingView } from '../../parts/panel.tsx'
import { dismiss } from '../swap/attempt/attempt.ts'
import { Attempted, useFocusKept } from '../swap/attempt/attempted.tsx'
import { Leaving } from '../swap/attempt/leaving.ts'
import { AmountBox } from '../swap/form/amount-box.tsx'
import { choiceOf, choicesOf } from '../swap/form/choices.ts'
import { Slippage } from '../swap/form/form.tsx'
import { heldOf } from '../swap/form/held.ts'
import { Act, useChainWallet } from '../swap/form/wallet-panel.tsx'
import { chainOf, nativeOf, type OrderProblem, type SwapChain } from '../swap/order.ts'
import type { ViewProps } from '../view.ts'
import { baskets, begin, callOff, review, skip } from './course.ts'
import { limitOf, MAX_PARTS, planInputOf, presetOf, readBasket, withoutOf } from './order.ts'
import { type Basket, isBusy, nextOf } from './part.ts'
import { nameOf, Parts, Plan, Summary } from './parts.tsx'
import './basket.css'

const everyMs = 60_000
const PLAN_EVERY_MS = 30_000

export default function Baskets({ place }: ViewProps) {
  const basket = useKept(baskets)
  const options = useAnswer('swapOptions', {}, { everyMs })
  if (basket !== null) return <Buying basket={basket} />
  if (options.data === null) return <WaitingView title="Basket" query={options} rows={9} />
  const chain = chainOf(place.parameters, options.data) ?? chainOf(new URLSearchParams(), options.data)!
  return <Planning key={chain.key} place={place} options={options.data} chain={chain} />
}

interface PlanningProps {
  readonly place: ViewLocation
  readonly options: SwapOptions
  readonly chain: SwapChain
}

function Planning({ place, options, chain }: PlanningProps) {
  const { parameters } = place
  const { wallet, held, isLocked, panelOf, act } = useChainWallet(chain)
  const tokens = useAnswer('tokens', {}, { everyMs })
  const top = useAnswer('basketTop', { chain: chain.key, n: 50 }, { everyMs })
  const read = readBasket(parameters, chain, options)
  const order = read !== null && 'usd' in read ? read : null
  const without = withoutOf(parameters)
  const input = order && planInputOf(order, without, top.data)
  const query = useAnswer('basketPlan', input, { everyMs: PLAN_EVERY_MS })
  const plan = query.data
  // The last plan stays, dimmed, until the next one comes.
  const last = useRef<{ readonly plan: BasketPlan; readonly at: number } | null>(null)
  if (plan !== null) last.current = { plan, at: query.at! }
  else if (order === null || query.error !== null) last.current = null
  const choices = choicesOf(options, tokens.data?.tokens ?? [])
  const tokenOf = (address: string) => choiceOf({ chain: chain.key, address }, choices)
  const problem = problemOf(read, query.error)
  const native = nativeOf(chain)
  const { base, decimals } = heldOf(held.chain, native, true)
  const inCoin = (base: string, decimals: number): string =>
    `${amount(Number(base) / 10 ** decimals)} ${native.symbol}`
  const balance = base === null || decimals === null ? null : inCoin(base, decimals)
  const isShort = plan !== null && base !== null && BigInt(base) < BigInt(plan.amountIn)
  const limit = limitOf(parameters)
  const count = plan?.clips.length ?? 0
  const set = (change: Record<string, string | null>): void => setParameters(place, change)
  const toggled = useRef('')
  // The switch that was pressed is in another list now.
  useEffect(() => {
    if (document.activeElement === document.body) document.getElementsByName(toggled.current)[0]?.focus()
  }, [without.length])
  const toggle = (token: string): void => {
    toggled.current = token
    const others = without.filter((one) => one !== token)
    set({ without: (others.length < without.length ? others : [...without, token]).join(',') })
  }
  const start = (): void => {
    begin(plan!, order!, chain, tokenOf)
    void review(0, wallet!)
  }
  return (
    <>
      <ViewHead title="Basket" query={order === null ? top : query} />
      <div class="swap swap-grid">
        <div>
          <section class="panel" aria-label="Order">
            <form class="order" onSubmit={(event) => event.preventDefault()}>
              <AmountBox
                title="You spend"
                of="dollars"
                sign="$"
                amount={parameters.get('usd') ?? ''}
                worth={plan === null ? '' : `≈ ${inCoin(plan.amountIn, plan.native.decimals)}`}
                balance={balance}
                parts={options.amounts.usd.presets.map((usd) => [`$${usd}`, String(usd)])}
                problem={problem?.field === 'amount' ? problem.text : null}
                note={isShort ? `More than the ${balance} in your wallet.` : ''}
                onAmount={(usd) => set({ usd })}
              >
                <Select
                  label="Chain"
                  value={chain.key}
                  options={options.chains.map(({ key, name, swaps }) => [key, name, !swaps])}
                  onChange={(key) => set({ chain: key, without: null })}
                />
              </AmountBox>
              <label class="settings priority">
                Tokens, the deepest first
                <Select
                  value={String(limit)}
                  options={Array.from({ length: MAX_PARTS }, (_, i) => [String(i + 1), String(i + 1)])}
                  onChange={(n) => set({ n })}
                />
              </label>
              <Slippage
                options={options}
                suggestedBps={null}
                presetBps={presetOf(chain)}
                value={parameters.get('slippage')}
                problem={problem?.field === 'slippage' ? problem.text : null}
                onChange={(slippage) => set({ slippage })}
              />
              <Act {...act} isReady={count > 0 && !isLocked} onPress={start}>
                {read === null ? 'Enter an amount' : count === 0 ? 'Review' : `Review ${count} swaps`}
              </Act>
            </form>
            <p class="note">
              {isLocked && 'A swap is under way: finish it in Swap first. '}
              <a href={hrefOf('swap', [], { chain: chain.key })}>One token</a> in a single swap
            </p>
          </section>
          {panelOf([])}
        </div>
        <Panel title="Plan">
          {last.current !== null ? (
            <div aria-busy={plan === null} class="plan">
              <Plan {...last.current} {...{ tokenOf, without }} listedAt={tokens.at} onToggle={toggle} />
            </div>
          ) : order === null ? (
            <Empty>Enter an amount to see what it buys.</Empty>
          ) : query.error === null ? (
            <Waiting query={query} rows={limit} />
          ) : (
            <p class="problem" role={problem === null ? 'alert' : undefined}>
              {wordsOf(query.error)}
            </p>
          )}
        </Panel>
      </div>
    </>
  )
}

const FIELDS: Readonly<Record<string, OrderProblem['field']>> = { usd: 'amount', slippageBps: 'slippage' }

/** The gateway's problems are shown at the fields that they name. */
function problemOf(read: ReturnType<typeof readBasket>, error: SwapgateError | null): OrderProblem | null {
  if (read !== null && 'field' in read) return read
  const field = FIELDS[String(error?.body?.field)]
  return field === undefined ? null : { field, text: wordsOf(error!) }
}

const wordsOf = ({ message }: SwapgateError): string => message.replaceAll('`', '').replace(/: GET .*/, '.')

/** A basket in progress: its parts are reviewed one at a time. */
function Buying({ basket }: { readonly basket: Basket }) {
  const { chain, parts, usd } = basket
  const { wallet, attempt, isLocked, panelOf, act } = useChainWallet(chain)
  const result = useRef<HTMLDivElement>(null)
  const at = nextOf(basket)
  const next = parts[at]
  const canGoOn = !isBusy(basket) && !isLocked
  const isOver = canGoOn && next === undefined
  useFocusKept(result, attempt?.phase ?? String(isOver))
  useEffect(() => callOff, [])
  useEffect(() => {
    const isOwn = parts.some(({ order }) => order === attempt?.order) && attempt!.wallet === wallet
    if (attempt !== null && !isLocked && !isOwn) dismiss()
  }, [wallet])
  const reviewNext = (): void => {
    dismiss()
    if (next !== undefined && wallet !== null) void review(at, wallet)
  }
  const after = next === undefined ? 'See the summary' : `Next: ${nameOf(next)}`
  return (
    <>
      <ViewHead title="Basket" />
      <div class={`swap swap-grid ${attempt === null && !isOver ? '' : 'is-attempted'}`}>
        <div>
          <Panel title={`${dollars(Number(usd))} on ${chain.name}`}>
            <p class="count" role="status">
              {`${parts.filter(({ state }) => state === 'confirmed').length} of ${parts.length} confirmed`}
            </p>
            <Parts basket={basket} wallet={canGoOn ? wallet : null} />
            {attempt === null && canGoOn && next !== undefined && (
              <>
                <Act {...act} isReady onPress={reviewNext}>
                  {`Review ${nameOf(next)}`}
                </Act>
                <p class="actions row">
                  <Button onClick={() => skip(basket, false)}>{`Skip ${nameOf(next)}`}</Button>
                  <Button onClick={() => skip(basket, true)}>Skip the rest</Button>
                </p>
              </>
            )}
          </Panel>
          {panelOf([])}
        </div>
        <div ref={result} class="result">
          <Leaving.Provider value={{ edit: 'Back', again: after, fresh: after, leave: reviewNext }}>
            {attempt !== null && <Attempted attempt={attempt} />}
          </Leaving.Provider>
          {attempt === null && (
            <Panel title={isOver ? 'Summary' : 'Review'}>
              {isOver ? (
                <Summary basket={basket} />
              ) : (
                <Empty>
                  {canGoOn ? 'You review and sign each part before the next.' : 'Asking for offers…'}
                </Empty>
              )}
            </Panel>
          )}
        </div>
      </div>
    </>
  )
}
