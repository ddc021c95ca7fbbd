/**
 * Browser wallets of EVM chains.
 *
 * Source: EIP-1193 (provider), EIP-6963 (discovery), EIP-3326 (switching chains)
 */
import type { Chain } from '../../client/index.ts'
import { isUnsure, type Provider } from '../../swap/provider.ts'
import { providerWallet } from '../../swap/wallets.ts'
import type { EvmTransaction, Hex } from '../../verify/types.ts'
import { nodeRpc } from './node-rpc.ts'
import { type EvmWallet, failureIn, UnsureError, WalletError, type WalletOffer, wordsOf } from './wallet.ts'
import words from './words.json' with { type: 'json' }

interface Eip1193Provider extends Provider {
  on?(event: string, listener: (value: unknown) => void): void
}

interface Announcement {
  readonly info: { readonly uuid: string; readonly name: string; readonly rdns: string }
  readonly provider: Eip1193Provider
}

/** Reports each wallet that announces itself. */
export function watchProviders(sandboxUrl: string | null, found: (offer: WalletOffer) => void): void {
  addEventListener('eip6963:announceProvider', (event) =>
    found(offerOf((event as CustomEvent<Announcement>).detail, sandboxUrl)),
  )
  dispatchEvent(new Event('eip6963:requestProvider'))
}

/** @param sandboxUrl  the URL of the sandbox's nodes; null if the service is live */
function offerOf({ info, provider }: Announcement, sandboxUrl: string | null): WalletOffer {
  return {
    id: `eip6963 ${info.uuid}`,
    name: info.name,
    family: 'evm',
    async connect(onGone) {
      const [address] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
      if (address === undefined) throw new WalletError('The wallet shows no account to this page.')
      provider.on?.('accountsChanged', (accounts) => {
        if ((accounts as string[])[0]?.toLowerCase() !== address.toLowerCase()) onGone()
      })
      return walletOf(info.name, address, provider, sandboxUrl)
    },
  }
}

function walletOf(
  name: string,
  address: string,
  provider: Eip1193Provider,
  sandboxUrl: string | null,
): EvmWallet {
  const wallet = providerWallet(provider, address)
  const useChain = async (chain: Chain, chainId: Hex): Promise<void> => {
    await wallet.useChain(chainId)
    if (sandboxUrl !== null) await requireSandbox(provider, chain, `${sandboxUrl}/${chain.key}`)
  }
  return {
    family: 'evm',
    name,
    address,
    isThrowAway: false,
    async decimals(_, token, chainId) {
      try {
        return (await isOn(provider, chainId)) ? await wallet.decimals(token) : null
      } catch {
        return null
      }
    },
    failureOf: async (_, transaction) =>
      (await isOn(provider, transaction.chainId)) ? failureOf(provider, transaction) : null,
    async send(chain, transaction) {
      await useChain(chain, transaction.chainId)
      const failure = await failureOf(provider, transaction)
      if (failure !== null) throw new WalletError(`It would fail now: ${failure}. Nothing was sent.`)
      return { hash: await orUnsure(wallet.send(transaction)), isAnswerLost: false }
    },
    batch: {
      async sendCalls(chain, calls) {
        await useChain(chain, calls.chainId)
        return (await wallet.takesCalls(calls.chainId)) ? orUnsure(wallet.sendCalls(calls)) : null
      },
      callsStatus: (id) => wallet.callsStatus(id).catch((error) => Promise.reject(unsure(error))),
    },
    transaction: wallet.transaction,
  }
}

const unsure = (error: unknown): UnsureError => new UnsureError(`${wordsOf(error)} ${words.unsure}`)

const orUnsure = <T>(sent: Promise<T>): Promise<T> =>
  sent.catch((error) => Promise.reject(isUnsure(error) ? unsure(error) : error))

const isOn = async (provider: Eip1193Provider, chainId: string | number): Promise<boolean> =>
  BigInt((await provider.request({ method: 'eth_chainId' })) as string) === BigInt(chainId)

/** An approval has to be in a block before what needs it can be run. */
const failureOf = (provider: Eip1193Provider, transaction: EvmTransaction): Promise<string | null> =>
  provider.request({ method: 'eth_estimateGas', params: [transaction] }).then(() => null, failureIn)

/**
 * Requires the wallet to use the sandbox's nodes, by comparing its latest block. The
 * sandbox's chains have the ids of the real ones, and a swap at sandbox prices on a
 * real chain would spend real money.
 */
async function requireSandbox(provider: Eip1193Provider, chain: Chain, url: string): Promise<void> {
  const method = 'eth_getBlockByNumber'
  const theirs = (await provider.request({ method, params: ['latest', false] })) as Block | null
  const ours = await nodeRpc<Block | null>(url, method, [theirs?.number ?? 'latest', false])
  if (theirs !== null && theirs.hash === ours?.hash) return
  throw new WalletError(words.realChain.replace('{chain}', () => chain.name).replace('{url}', () => url))
}

interface Block {
  readonly number: string
  readonly hash: string
}
