/** Wallets of the usual libraries, by the members that are used of them: nothing is imported. */
import type { EvmCalls, EvmTransaction, Hex } from '../verify/types.ts'
import { SwapError } from './errors.ts'
import {
  type BatchStatus,
  decimalsCall,
  decimalsIn,
  isNoBatch,
  type Provider,
  takesBatch,
} from './provider.ts'
import texts from './texts.json' with { type: 'json' }

export interface SolanaWallet {
  readonly family: 'solana'
  readonly address: string
  /** @returns the transaction with the wallet's signature; nothing is sent */
  sign(transaction: Uint8Array): Promise<Uint8Array>
}

export interface EvmWallet {
  readonly family: 'evm'
  readonly address: string
  /** @throws SwapError  if the wallet is on another chain afterwards */
  useChain(chainId: Hex): Promise<void>
  /** Signs and sends. @returns the hash */
  send(transaction: EvmTransaction): Promise<string>
  /** In place of `send`, for keys that sign without sending. */
  readonly signer?: {
    /** @returns the serialized transaction */
    sign(transaction: EvmTransaction): Promise<Hex>
    broadcast(signed: Hex): Promise<unknown>
  }
  /** Whether the wallet takes several calls as one on a chain, or offers its user to upgrade the account for that. */
  takesCalls(chainId: Hex): Promise<boolean>
  /** Signs and sends calls as one. @returns the batch's id; null if the wallet takes none after all: nothing was sent */
  sendCalls(calls: EvmCalls): Promise<string | null>
  callsStatus(id: string): Promise<BatchStatus>
  /** The decimals of a token, by the wallet's node; null if the contract does not say. */
  decimals(token: string): Promise<number | null>
  /** A transaction as the wallet's node has it; null if it does not know it. */
  transaction(hash: string): Promise<unknown>
}

export type Wallet = SolanaWallet | EvmWallet

/** What `wallet_getCallsStatus` answers, of EIP-5792. */
interface CallsStatus {
  readonly status: number
  readonly receipts?: readonly { readonly transactionHash: Hex }[] | null
}

/** A wallet by its EIP-1193 provider. */
export function providerWallet(provider: Provider, address: string): EvmWallet {
  const ask = (method: string, ...params: readonly unknown[]) => provider.request({ method, params })
  const isOn = async (chainId: Hex) => BigInt((await ask('eth_chainId')) as string) === BigInt(chainId)
  return {
    family: 'evm',
    address,
    async useChain(chainId) {
      if (await isOn(chainId)) return
      await ask('wallet_switchEthereumChain', { chainId })
      // A wallet may say that it switched, and be elsewhere; MetaMask's mobile app is only there a moment later.
      for (let look = 0; !(await isOn(chainId)); look++) {
        if (look === SWITCH_LOOKS) throw new SwapError('wallet', texts.elsewhere)
        await new Promise((resolve) => setTimeout(resolve, SWITCH_MS))
      }
    },
    send: async (transaction) => (await ask('eth_sendTransaction', transaction)) as string,
    takesCalls: (chainId) => takesBatch(provider, address, chainId),
    async sendCalls(calls) {
      try {
        const sent = await ask('wallet_sendCalls', calls)
        return typeof sent === 'string' ? sent : (sent as { id: string }).id
      } catch (error) {
        if (isNoBatch(error)) return null
        throw error
      }
    },
    async callsStatus(id) {
      const { status, receipts } = (await ask('wallet_getCallsStatus', id)) as CallsStatus
      const hashes = (receipts ?? []).map(({ transactionHash }) => transactionHash)
      // 4xx: it is in no block, and the wallet gave it up. Older wallets say words.
      const failed = status >= 600 ? 'part' : status >= 500 ? 'all' : undefined
      return { isPending: status < 200 || (hashes.length === 0 && status < 400), hashes, failed }
    },
    decimals: async (token) => decimalsIn(await ask('eth_call', decimalsCall(token), 'latest')),
    transaction: (hash) => ask('eth_getTransactionByHash', hash),
  }
}

const SWITCH_LOOKS = 20
const SWITCH_MS = 50

/** What is used of viem's wallet client, which wagmi has, too. */
export interface ViemWalletClient {
  readonly account?: { readonly address: string; readonly type: string } | undefined
  request(call: never, options?: never): Promise<unknown>
  prepareTransactionRequest(request: never): Promise<unknown>
  signTransaction(request: never): Promise<Hex>
}

/**
 * A wallet by viem's wallet client, or wagmi's `getWalletClient(config)`. A local account signs before anything is sent.
 * @throws TypeError  if the client has no account
 */
export function viemWallet(client: ViemWalletClient): EvmWallet {
  const { account } = client
  if (account === undefined) throw new TypeError('The wallet client needs an `account`.')
  // Nothing is sent twice: viem sends again after some failures.
  const once = { retryCount: 0 } as never
  const provider: Provider = { request: (call) => client.request(call as never, once) }
  const wallet = providerWallet(provider, account.address)
  if (account.type !== 'local') return wallet
  return {
    ...wallet,
    takesCalls: async () => false,
    signer: {
      async sign({ to, data, value, chainId }) {
        const call = { account, to, data, value: BigInt(value), chainId: Number(chainId), chain: null }
        return client.signTransaction((await client.prepareTransactionRequest(call as never)) as never)
      },
      broadcast: (signed) => provider.request({ method: 'eth_sendRawTransaction', params: [signed] }),
    },
  }
}

const SIGNATURE_BYTES = 64

/** @returns `legacy`, or the number of a Solana transaction's version */
function versionOf(transaction: Uint8Array): 'legacy' | number {
  const [first = 0] = transaction
  const prefix = first >= 0x80 ? first : (transaction[1 + SIGNATURE_BYTES * first] ?? 0)
  return prefix >= 0x80 ? prefix & 0x7f : 'legacy'
}

/**
 * @param versions  those that the wallet signs; undefined if it does not say, null for legacy alone
 * @throws SwapError  if the transaction's isn't among them: the wallet is not asked
 */
export function requireVersion(
  transaction: Uint8Array,
  versions: Iterable<unknown> | null | undefined,
): void {
  const version = versionOf(transaction)
  if (versions === undefined || [...(versions ?? ['legacy'])].includes(version)) return
  throw new SwapError('wallet', texts.version.replace('{}', String(version)))
}

/** What is used of a signer of @solana/kit. */
export interface KitSigner {
  readonly address: string
  signTransactions?(transactions: never): Promise<readonly object[]>
  modifyAndSignTransactions?(transactions: never): Promise<readonly object[]>
}

interface KitTransaction {
  readonly messageBytes: Uint8Array
  readonly signatures: Readonly<Record<string, Uint8Array | null>>
}

/** A wallet by a signer of @solana/kit: a key pair's, or a modifying one of a browser's wallet. */
export function kitWallet(signer: KitSigner): SolanaWallet {
  const { address } = signer
  return {
    family: 'solana',
    address,
    async sign(transaction) {
      if (!signer.signTransactions && !signer.modifyAndSignTransactions)
        throw new SwapError('wallet', texts.unsigning)
      const messageBytes = transaction.slice(1 + SIGNATURE_BYTES)
      const unsigned = [{ messageBytes, signatures: { [address]: null } }] as never
      const [modified] = ((await signer.modifyAndSignTransactions?.(unsigned)) ?? []) as KitTransaction[]
      const [own] = modified === undefined ? ((await signer.signTransactions!(unsigned)) as object[]) : []
      const signatures = modified?.signatures ?? (own as KitTransaction['signatures'])
      return Uint8Array.of(1, ...signatures[address]!, ...(modified?.messageBytes ?? messageBytes))
    },
  }
}

/** `VersionedTransaction` of @solana/web3.js 1. */
export interface TransactionClass<Transaction> {
  deserialize(bytes: Uint8Array): Transaction
}

interface Web3Transaction {
  serialize(): Uint8Array
  sign(signers: never): void
}

interface PublicKey {
  toBase58(): string
}

interface Versions {
  readonly supportedTransactionVersions?: ReadonlySet<unknown> | null | undefined
}

/** A wallet by what `useWallet()` of @solana/wallet-adapter-react returns, or by an adapter. */
export function adapterWallet<Transaction extends Web3Transaction>(
  adapter: Versions & {
    readonly publicKey: PublicKey | null
    /** `useWallet()` has the versions here alone. */
    readonly wallet?: { readonly adapter: Versions } | null | undefined
    readonly signTransaction?: ((transaction: Transaction) => Promise<Web3Transaction>) | undefined
  },
  VersionedTransaction: TransactionClass<Transaction>,
): SolanaWallet {
  if (adapter.publicKey === null) throw new TypeError('The wallet is not connected.')
  return {
    family: 'solana',
    address: adapter.publicKey.toBase58(),
    async sign(transaction) {
      const {
        supportedTransactionVersions: versions = adapter.wallet?.adapter.supportedTransactionVersions,
      } = adapter
      requireVersion(transaction, versions)
      if (adapter.signTransaction === undefined) throw new SwapError('wallet', texts.unsigning)
      return (await adapter.signTransaction(VersionedTransaction.deserialize(transaction))).serialize()
    },
  }
}

/** A wallet by a key pair of @solana/web3.js 1. */
export function web3Wallet<Transaction extends Web3Transaction>(
  keypair: { readonly publicKey: PublicKey },
  VersionedTransaction: TransactionClass<Transaction>,
): SolanaWallet {
  const { publicKey } = keypair
  const signTransaction = async (transaction: Transaction) => {
    transaction.sign([keypair] as never)
    return transaction
  }
  return adapterWallet({ publicKey, signTransaction }, VersionedTransaction)
}
