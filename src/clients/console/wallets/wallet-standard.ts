/**
 * Browser wallets of Solana. Wallet and page announce themselves by events, so either
 * may load first.
 *
 * Source: wallet-standard/wallet-standard packages/core/base, features ·
 * anza-xyz/wallet-standard packages/core/features (solana:signTransaction)
 */
import { requireVersion } from '../../swap/wallets.ts'
import { WalletError, type WalletOffer } from './wallet.ts'

interface StandardAccount {
  readonly address: string
  readonly chains: readonly string[]
}

interface StandardWallet {
  readonly name: string
  readonly chains: readonly string[]
  readonly accounts: readonly StandardAccount[]
  readonly features: {
    readonly 'standard:connect'?: { connect(): Promise<{ accounts: readonly StandardAccount[] }> }
    readonly 'standard:events'?: {
      on(event: 'change', listener: (change: { accounts?: readonly StandardAccount[] }) => void): () => void
    }
    readonly 'solana:signTransaction'?: {
      readonly supportedTransactionVersions?: readonly ('legacy' | number)[]
      signTransaction(input: {
        account: StandardAccount
        transaction: Uint8Array
        chain: string
      }): Promise<readonly { signedTransaction: Uint8Array }[]>
    }
  }
}

const CHAIN = 'solana:mainnet'

/** Reports each registered wallet that signs for Solana. */
export function watchStandardWallets(found: (offer: WalletOffer) => void): void {
  const api = Object.freeze({
    register(...wallets: readonly StandardWallet[]) {
      for (const wallet of wallets)
        if ('solana:signTransaction' in wallet.features && 'standard:connect' in wallet.features)
          found(offerOf(wallet))
      return () => {}
    },
  })
  const registered = (event: Event): void => (event as CustomEvent<(own: typeof api) => void>).detail(api)
  addEventListener('wallet-standard:register-wallet', registered)
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: api }))
}

function offerOf({ name, features }: StandardWallet): WalletOffer {
  return {
    id: `standard ${name}`,
    name,
    family: 'solana',
    async connect(onGone) {
      const { accounts } = await features['standard:connect']!.connect()
      const account = accounts.find(({ chains }) => chains.some((chain) => chain.startsWith('solana:')))
      if (account === undefined) throw new WalletError('The wallet shows no Solana account to this page.')
      features['standard:events']?.on('change', ({ accounts }) => {
        if (accounts !== undefined && accounts[0]?.address !== account.address) onGone()
      })
      const chain = account.chains.includes(CHAIN) ? CHAIN : account.chains[0]!
      return {
        family: 'solana',
        name,
        address: account.address,
        isThrowAway: false,
        async sign(transaction) {
          const feature = features['solana:signTransaction']!
          requireVersion(transaction, feature.supportedTransactionVersions)
          const [signed] = await feature.signTransaction({ account, transaction, chain })
          return signed!.signedTransaction
        },
      }
    },
  }
}
