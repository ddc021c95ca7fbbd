/** The connected wallet, and its balances of the native coin and of the swapped tokens. */
import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useHealth } from '../../../data/hooks.ts'
import { useKept } from '../../../data/kept.ts'
import { amount, shortAddress } from '../../../format.ts'
import { Button } from '../../../parts/controls.tsx'
import { Copy } from '../../../parts/copy.tsx'
import { Term } from '../../../parts/fact.tsx'
import { Figure } from '../../../parts/figure.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { useWallets, type WalletConnections } from '../../../wallets/connected.ts'
import { type ConnectedWallet, type WalletOffer, wordsOf } from '../../../wallets/wallet.ts'
import { attempts } from '../attempt/attempt.ts'
import { exactly, nativeOf, type SwapChain, type SwapCoin } from '../order.ts'
import { type Held, heldOf, useHeld } from './held.ts'

/** A chain's wallet with its balances and its panel, which a running swap locks, and the props of `Act`. */
export function useChainWallet(chain: SwapChain) {
  const wallets = useWallets(familyOf(chain), useHealth().data)
  const { wallet } = wallets
  const attempt = useKept(attempts)
  const held = useHeld(wallet, chain.key, attempt?.receipt?.asOf ?? null)
  const panel = useRef<HTMLDivElement>(null)
  const native = nativeOf(chain)
  const address = wallet?.address
  // The pressed button has gone.
  useEffect(() => {
    if (address === undefined || document.activeElement !== document.body) return
    const next = document.querySelector<HTMLElement>('.act button:not(:disabled)') ?? panel.current
    next?.focus({ preventScroll: true })
  }, [address])
  const isLocked = attempt?.phase === 'running'
  const panelOf = (tokens: readonly SwapCoin[]) => (
    <div ref={panel} class="wallet-card" tabIndex={-1}>
      <Panel title="Wallet">
        <WalletPanel {...{ wallets, chain, native, tokens, held, isLocked }} />
      </Panel>
    </div>
  )
  /** In the view's head, on all widths: it leads to the panel. */
  const button = (
    <Button
      class="quiet"
      onClick={() => {
        panel.current?.scrollIntoView({ block: 'center' })
        panel.current?.focus({ preventScroll: true })
      }}
    >
      <span class={wallet === null ? '' : 'hidden'}>{'Wallet '}</span>
      {wallet !== null && shortAddress(wallet.address)}
    </Button>
  )
  return { wallet, attempt, isLocked, held, panelOf, button, act: { wallet, chain, panel } }
}

interface PanelProps {
  readonly wallets: WalletConnections
  readonly chain: SwapChain
  readonly native: SwapCoin
  /** In addition to the native coin. */
  readonly tokens: readonly SwapCoin[]
  readonly held: Held
  readonly isLocked: boolean
}

function WalletPanel({ wallets, chain, native, tokens, held, isLocked }: PanelProps) {
  const { wallet, disconnect } = wallets
  if (wallet === null) return <Connect wallets={wallets} chain={chain} />
  return (
    <div class="wallet">
      <p class="wallet-head row">
        <strong>{wallet.name}</strong>
        <code title={wallet.address}>{shortAddress(wallet.address)}</code>
        <Copy text={wallet.address} what="the wallet's address" />
        <Button class="quiet" onClick={disconnect} disabled={isLocked}>
          Disconnect
        </Button>
      </p>
      <dl class="facts" aria-label="Wallet balances">
        {[native, ...tokens].map((coin) => (
          <Balance key={coin.address} coin={coin} held={held} isNative={coin === native} />
        ))}
      </dl>
      <p class="note">
        {wallet.isThrowAway
          ? 'Play money. The key lives in this tab and is lost on reload.'
          : 'The page asks the wallet to sign. It never sees its key.'}
      </p>
    </div>
  )
}

function Connect({ wallets: { offers, connect }, chain }: Pick<PanelProps, 'wallets' | 'chain'>) {
  const [asked, ask] = useState<string | null>(null)
  const [problem, tell] = useState('')
  const open = async (offer: WalletOffer): Promise<void> => {
    ask(offer.id)
    tell('')
    try {
      await connect(offer)
    } catch (error) {
      tell(wordsOf(error))
    }
    ask(null)
  }
  if (familyOf(chain) === null) {
    return (
      <p class="note">
        {`This page connects wallets of EVM chains and Solana. Swaps on ${chain.name} can be quoted here, and built through `}
        <a href="/openapi.json">the API</a>.
      </p>
    )
  }
  return (
    <div class="wallet">
      <div class="offers row">
        {offers.map((offer) => (
          <button
            key={offer.id}
            type="button"
            onClick={() => open(offer)}
            disabled={asked !== null}
            aria-busy={asked === offer.id}
          >
            {asked === offer.id ? 'Connecting…' : offer.name}
          </button>
        ))}
      </div>
      {offers.length === 0 && <p class="note">{`No ${chain.name} wallet found. Install one and reload.`}</p>}
      {problem !== '' && <p role="alert">{problem}</p>}
    </div>
  )
}

/** Null for chains whose wallets this page does not support. */
export const familyOf = ({ key, chainId }: SwapChain) =>
  key === 'solana' ? 'solana' : chainId === null ? null : 'evm'

interface ActProps {
  readonly wallet: ConnectedWallet | null
  readonly chain: SwapChain
  /** The panel of the wallets to connect. */
  readonly panel: RefObject<HTMLElement>
  readonly isReady: boolean
  readonly onPress: () => void
  readonly children: ComponentChildren
}

/** The button to proceed; without a wallet it connects the only one there is, or opens the choice. */
export function Act({ wallet, chain, panel, isReady, onPress, children }: ActProps) {
  const isFirst = wallet === null && familyOf(chain) !== null
  const connect = (): void => {
    const wallets = panel.current!.querySelectorAll<HTMLButtonElement>('.offers button')
    if (wallets.length === 1) wallets[0]!.click()
    else (wallets[0] ?? panel.current!).focus()
  }
  return (
    <p class="act">
      <Button
        class="primary"
        disabled={!isFirst && (wallet === null || !isReady)}
        onClick={isFirst ? connect : onPress}
      >
        {isFirst ? 'Connect wallet' : children}
      </Button>
    </p>
  )
}

type BalanceProps = { readonly coin: SwapCoin; readonly held: Held; readonly isNative: boolean }

function Balance({ coin, held: { chain, at }, isNative }: BalanceProps) {
  const { base, decimals } = heldOf(chain, coin, isNative)
  return (
    <Term title={coin.symbol ?? shortAddress(coin.address)}>
      <Figure
        source="The chain's nodes"
        at={at}
        value={base === null || decimals === null ? null : Number(base) / 10 ** decimals}
        format={amount}
        notes={base === null ? undefined : [`Exactly ${exactly(base, { ...coin, decimals })}.`]}
        unknown={chain === null ? 'The balance is being read.' : 'The nodes do not report it now.'}
      />
    </Term>
  )
}
