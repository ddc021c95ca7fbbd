/** The connected wallet, and its balances of the native coin and of what is swapped. */
import { useEffect, useState } from 'preact/hooks'
import type { Balances } from '../../../client/index.ts'
import { useQuery } from '../../data/hooks.ts'
import { client, spare } from '../../data/service.ts'
import { amount, shortAddress } from '../../format.ts'
import { Copy } from '../../parts/copy.tsx'
import { Figure } from '../../parts/figure.tsx'
import type { WalletConnections } from '../../wallets/connected.ts'
import { type ConnectedWallet, type WalletOffer, wordsOf } from '../../wallets/wallet.ts'
import { exactly, type SwapChain, type SwapCoin } from './order.ts'

const EVERY_MS = 20_000

interface PanelProps {
  readonly wallets: WalletConnections
  readonly chain: SwapChain
  readonly native: SwapCoin
  /** Beside the native coin. */
  readonly tokens: readonly SwapCoin[]
  readonly isLocked: boolean
  /** Changes when the balances have changed. */
  readonly changed: unknown
}

export function WalletPanel({ wallets, chain, native, tokens, isLocked, changed }: PanelProps) {
  const { wallet, disconnect } = wallets
  if (wallet === null) return <Connect wallets={wallets} chain={chain} />
  return (
    <div class="wallet">
      <p class="wallet-head">
        <strong>{wallet.name}</strong>
        <code title={wallet.address}>{shortAddress(wallet.address)}</code>
        <Copy text={wallet.address} what="the wallet's address" />
        <button type="button" class="quiet" onClick={disconnect} disabled={isLocked}>
          Disconnect
        </button>
      </p>
      <Held wallet={wallet} chain={chain} coins={[native, ...tokens]} changed={changed} />
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
      <div class="offers">
        {offers.map((offer) => (
          <button
            key={offer.id}
            type="button"
            onClick={() => open(offer)}
            disabled={asked !== null}
            aria-busy={asked === offer.id}
          >
            {asked === offer.id ? 'Connecting …' : offer.name}
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

function Held({
  wallet,
  chain,
  coins,
  changed,
}: {
  readonly wallet: ConnectedWallet
  readonly chain: SwapChain
  readonly coins: readonly SwapCoin[]
  readonly changed: unknown
}) {
  const input =
    wallet.family === 'solana' ? { sol: wallet.address } : { address: wallet.address, chains: chain.key }
  const query = useQuery(
    `balances ${JSON.stringify(input)}`,
    (callOptions) => client.balances(input, callOptions),
    {
      everyMs: EVERY_MS,
      budgetPauseMs: spare('portfolio'),
    },
  )
  useEffect(() => {
    if (changed !== null) query.refresh()
  }, [changed])
  const held = query.data?.chains.find((one) => one.chain === chain.key) ?? null
  return (
    <dl class="facts" aria-label="Wallet balances">
      {coins.map((coin, i) => (
        <Row key={coin.address} coin={coin} held={held} isNative={i === 0} at={query.at} />
      ))}
    </dl>
  )
}

function Row({
  coin,
  held,
  isNative,
  at,
}: {
  readonly coin: SwapCoin
  readonly held: Balances['chains'][number] | null
  readonly isNative: boolean
  readonly at: number | null
}) {
  const found = isNative
    ? held?.native
    : held?.tokens.find(({ address }) => address.toLowerCase() === coin.address.toLowerCase())
  const isNone = held !== null && !isNative && found === undefined && held.status === 'complete'
  const base = isNone ? '0' : (found?.amount ?? null)
  const decimals = found?.decimals ?? coin.decimals ?? (isNone ? 0 : null)
  return (
    <>
      <dt>{coin.symbol ?? shortAddress(coin.address)}</dt>
      <dd>
        <Figure
          source="GET /api/balances"
          at={at}
          value={base === null || decimals === null ? null : Number(base) / 10 ** decimals}
          format={amount}
          notes={base === null ? undefined : [`Exactly ${exactly(base, { ...coin, decimals })}.`]}
          unknown={held === null ? 'The balance is being read.' : 'The nodes do not report it now.'}
        />
      </dd>
    </>
  )
}
