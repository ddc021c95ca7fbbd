/**
 * The transactions of one EVM chain of the sandbox: those that were sent, and four
 * examples that exist from the start. The ledger executes a transaction in the next
 * block after it was sent.
 *
 *   0x11..  an approval, final          0x33..  a reverted swap
 *   0x22..  a swap of 250 USDC, final   0x44..  pending forever
 *
 * Source: ethereum/execution-apis (objects of blocks, transactions and receipts) ·
 * ethereum-optimism/op-geth core/types/receipt.go (l1Fee and the fields next to it)
 */
import { createHash } from 'node:crypto'
import type { EvmChain } from '../../chains/definition.ts'
import { quantity } from '../../chains/json/quantity.ts'
import type { LedgerCall, LedgerLog, LedgerOutcome } from './ledger.ts'
import { BLOCK_MS, blockAt, type Terms } from './state.ts'

/** A signed transaction; addresses and hex in lower case. */
export interface SignedTransaction {
  readonly hash: string
  readonly type: string
  readonly from: string
  readonly to: string
  readonly nonce: bigint
  readonly value: bigint
  readonly data: string
  readonly gasLimit: bigint
  readonly signature: { readonly r: bigint; readonly s: bigint; readonly yParity: number }
}

interface HistoryEntry extends SignedTransaction {
  /** Null for a transaction that stays pending forever. */
  readonly block: bigint | null
  /** Null until its block has come. */
  outcome: ExecutionOutcome | null
  readonly run: () => LedgerOutcome
}

interface ExecutionOutcome {
  readonly isReverted: boolean
  /** Without those of the native coin. */
  readonly logs: readonly LedgerLog[]
  readonly gasUsed: bigint
  /** Wei by wallet, the fee included. */
  readonly native: ReadonlyMap<string, bigint>
}

const CALL_GAS = 200_000n
const TRANSFER_GAS = 21_000n
/** The fee for a rollup's data on its parent chain. */
const L1_FEE_WEI = 4_000_000_000n
/** Blocks until a block is final. */
const TO_FINAL = 32n
/** The age of the example transactions, in blocks. */
const SEED_AGE = 300n
/** The address whose logs represent transfers of the native coin. */
const SENTINEL = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const APPROVAL = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
const SEED_WALLET = '0x52908400098527886e0f7030069857d2e4169ee7'
const SEED_ROUTER = '0x6131b5fae19ea4f9d964eac0408e4408b66337b5'
const NO_BLOOM = `0x${'0'.repeat(512)}`
const NO_HASH = `0x${'0'.repeat(64)}`
const NOBODY = `0x${'0'.repeat(40)}`

export class EvmHistory {
  readonly #chain: EvmChain
  readonly #terms: Pick<Terms, 'native' | 'gasPrice'>
  /** In the order of their blocks, and of their sending. */
  readonly #entries: HistoryEntry[] = []
  readonly #byHash = new Map<string, HistoryEntry>()
  #isSeeded = false
  /** Runs calls on the state that the transactions so far have left; null before the first one was sent. */
  ledger: { run(call: LedgerCall, now: number): LedgerOutcome } | null = null

  /** @param terms  what gas costs, and what wallets have at first */
  constructor(chain: EvmChain, terms: Pick<Terms, 'native' | 'gasPrice'>) {
    this.#chain = chain
    this.#terms = terms
  }

  /** Wei, half of it the base fee. */
  get gasPrice(): bigint {
    return this.#terms.gasPrice(this.#chain.key)
  }

  /** @param nonce  the sender's next nonce, which the caller has checked */
  add(sent: SignedTransaction, now: number): void {
    const { from, to, data, value } = sent
    const run = (): LedgerOutcome =>
      data === '0x'
        ? { returnData: '0x', logs: [transfer(SENTINEL, from, to, value)] }
        : this.ledger!.run({ from, to, data, value }, now)
    this.#push({ ...sent, block: blockAt(now) + 1n, outcome: null, run })
  }

  transaction(hash: string, now: number): object | null {
    const entry = this.#find(hash, now)
    if (entry === null) return null
    const { from, to, nonce, value, data, type, gasLimit, signature, block } = entry
    const chainId = BigInt(this.#chain.chainId)
    const yParity = BigInt(signature.yParity)
    const isMined = entry.outcome !== null && block! <= blockAt(now)
    return {
      blockHash: isMined ? blockHash(this.#chain, block!) : null,
      blockNumber: isMined ? quantity(block!) : null,
      transactionIndex: isMined ? quantity(this.#indexOf(entry)) : null,
      hash,
      from,
      to,
      nonce: quantity(nonce),
      value: quantity(value),
      input: data,
      type,
      gas: quantity(gasLimit),
      gasPrice: quantity(this.gasPrice),
      ...(type === '0x2' && {
        maxFeePerGas: quantity(this.gasPrice),
        maxPriorityFeePerGas: quantity(this.gasPrice / 2n),
      }),
      chainId: quantity(chainId),
      ...(type === '0x0'
        ? { v: quantity(chainId * 2n + 35n + yParity) }
        : { accessList: [], v: quantity(yParity), yParity: quantity(yParity) }),
      r: quantity(signature.r),
      s: quantity(signature.s),
    }
  }

  receipt(hash: string, now: number): object | null {
    const entry = this.#find(hash, now)
    if (entry === null || entry.outcome === null || entry.block! > blockAt(now)) return null
    const { from, to, type, block, outcome } = entry
    const transactionIndex = quantity(this.#indexOf(entry))
    const place = {
      blockHash: blockHash(this.#chain, block!),
      blockNumber: quantity(block!),
      transactionHash: hash,
      transactionIndex,
    }
    return {
      ...place,
      from,
      to,
      type,
      status: outcome.isReverted ? '0x0' : '0x1',
      contractAddress: null,
      cumulativeGasUsed: quantity(outcome.gasUsed * (BigInt(transactionIndex) + 1n)),
      gasUsed: quantity(outcome.gasUsed),
      effectiveGasPrice: quantity(this.gasPrice),
      logs: outcome.logs.map((log, i) => ({
        ...log,
        ...place,
        logIndex: quantity(BigInt(i)),
        removed: false,
      })),
      logsBloom: NO_BLOOM,
      ...(this.#chain.hasL1Fee && {
        l1Fee: quantity(L1_FEE_WEI),
        l1GasPrice: '0x3b9aca00',
        l1GasUsed: '0x640',
        l1BaseFeeScalar: '0x8dd',
        l1BlobBaseFee: '0x1',
        l1BlobBaseFeeScalar: '0x101c12',
      }),
    }
  }

  /**
   * @param tag     a number, or a word of JSON-RPC
   * @param isFull  with the transactions, in place of their hashes
   * @returns null for a block that does not exist yet
   */
  block(tag: unknown, isFull: boolean, now: number): object | null {
    const number = blockOf(tag, now)
    if (number > blockAt(now)) return null
    this.#settle(now)
    return {
      number: quantity(number),
      hash: blockHash(this.#chain, number),
      parentHash: blockHash(this.#chain, number - 1n),
      timestamp: quantity((number * BigInt(BLOCK_MS)) / 1_000n),
      transactions: this.#entries
        .filter(({ block }) => block === number)
        .map(({ hash }) => (isFull ? this.transaction(hash, now) : hash)),
      baseFeePerGas: quantity(this.gasPrice / 2n),
      gasLimit: '0x1c9c380',
      gasUsed: '0x0',
      miner: NOBODY,
      nonce: '0x0000000000000000',
      difficulty: '0x0',
      extraData: '0x',
      logsBloom: NO_BLOOM,
      mixHash: NO_HASH,
      receiptsRoot: NO_HASH,
      sha3Uncles: NO_HASH,
      size: '0x220',
      stateRoot: NO_HASH,
      transactionsRoot: NO_HASH,
      uncles: [],
    }
  }

  /** @throws RangeError  if the count isn't 1 to 1,024 */
  fees(count: bigint, tag: unknown, percentiles: readonly unknown[], now: number): object {
    if (count < 1n || count > 1_024n) throw new RangeError('blockCount is 1 to 1024')
    const each = <T>(length: number, value: T): T[] => Array.from({ length }, () => value)
    const blocks = Number(count)
    const reward = percentiles.map(() => quantity(this.gasPrice / 2n))
    return {
      oldestBlock: quantity(blockOf(tag, now) - count + 1n),
      baseFeePerGas: each(blocks + 1, quantity(this.gasPrice / 2n)),
      gasUsedRatio: each(blocks, 0.5),
      ...(percentiles.length > 0 && { reward: each(blocks, reward) }),
    }
  }

  /** Wei. */
  balance(wallet: string, tag: unknown, now: number): bigint {
    const block = blockOf(tag, now)
    this.#settle(now)
    return this.#entries.reduce(
      (sum, { outcome, ...entry }) => {
        const change = outcome?.native.get(wallet) ?? 0n
        // The wallets' initial balances already include the example transactions.
        const isSeed = SEEDS.has(entry.hash)
        if (isSeed) return entry.block! > block ? sum - change : sum
        return entry.block! <= block ? sum + change : sum
      },
      this.#terms.native(this.#chain.key, wallet),
    )
  }

  /** The wallet's next nonce; with `pending`, after everything it has sent. */
  nonce(wallet: string, tag: unknown, now: number): bigint {
    const until = tag === 'pending' ? null : blockOf(tag, now)
    this.#settle(now)
    const sent = this.#entries.filter(
      ({ from, block }) => from === wallet && (until === null || (block !== null && block <= until)),
    )
    return BigInt(sent.length)
  }

  /** What a token answers by the ledger; null if nothing was ever sent. @param call  0x hex, lower case */
  read(token: string, call: string, now: number): string | null {
    this.#settle(now)
    return this.ledger?.run({ from: NOBODY, to: token, data: call, value: 0n }, now)?.returnData ?? null
  }

  #find(hash: string, now: number): HistoryEntry | null {
    this.#settle(now)
    return this.#byHash.get(hash) ?? null
  }

  #indexOf({ hash, block }: HistoryEntry): bigint {
    const inBlock = this.#entries.filter((entry) => entry.block === block)
    return BigInt(inBlock.findIndex((entry) => entry.hash === hash))
  }

  #push(entry: HistoryEntry): void {
    this.#entries.push(entry)
    this.#byHash.set(entry.hash, entry)
  }

  /** Runs the transactions whose block has come. */
  #settle(now: number): void {
    if (!this.#isSeeded) this.#seed(blockAt(now) - SEED_AGE)
    const latest = blockAt(now)
    for (const entry of this.#entries) {
      if (entry.outcome !== null || entry.block === null || entry.block > latest) continue
      entry.outcome = this.#outcomeOf(entry)
    }
  }

  #outcomeOf({ from, data, run }: HistoryEntry): ExecutionOutcome {
    const ran = run()
    const gasUsed = data === '0x' ? TRANSFER_GAS : CALL_GAS
    const native = new Map([[from, -gasUsed * this.gasPrice - (this.#chain.hasL1Fee ? L1_FEE_WEI : 0n)]])
    const add = (wallet: string, wei: bigint) => native.set(wallet, (native.get(wallet) ?? 0n) + wei)
    for (const { address, topics, data } of ran?.logs ?? []) {
      if (address !== SENTINEL) continue
      add(`0x${topics[1]!.slice(-40)}`, -BigInt(data))
      add(`0x${topics[2]!.slice(-40)}`, BigInt(data))
    }
    const logs = (ran?.logs ?? []).filter(({ address }) => address !== SENTINEL)
    return { isReverted: ran === null, logs, gasUsed, native }
  }

  #seed(first: bigint): void {
    this.#isSeeded = true
    const usd = this.#chain.stablecoins[0]?.address.toLowerCase() ?? this.#chain.wrappedNative.toLowerCase()
    const common = {
      type: '0x2',
      from: SEED_WALLET,
      value: 0n,
      gasLimit: 500_000n,
      signature: NO_SIGNATURE,
      outcome: null,
    }
    const swap = { ...common, to: SEED_ROUTER, data: '0xe21fd0e9' }
    const [approved, paid, got] = [1_000_000_000n, 250_000_000n, 84_394_646_257_547_318n]
    const approval = {
      address: usd,
      topics: [APPROVAL, word(SEED_WALLET), word(SEED_ROUTER)],
      data: hex(approved),
    }
    const swapped = [
      transfer(usd, SEED_WALLET, SEED_ROUTER, paid),
      transfer(SENTINEL, SEED_ROUTER, SEED_WALLET, got),
    ]
    const data = `0x095ea7b3${word(SEED_ROUTER).slice(2)}${hex(approved).slice(2)}`
    const ran = (logs: readonly LedgerLog[]) => () => ({ returnData: '0x', logs })
    const [one, two, three, four] = [...SEEDS]
    this.#push({ ...common, hash: one!, to: usd, data, nonce: 0n, block: first, run: ran([approval]) })
    this.#push({ ...swap, hash: two!, nonce: 1n, block: first + 2n, run: ran(swapped) })
    this.#push({ ...swap, hash: three!, nonce: 2n, block: first + 4n, run: () => null })
    this.#push({ ...swap, hash: four!, nonce: 3n, block: null, run: () => null })
  }
}

/** Of the examples, which nobody signed. */
const NO_SIGNATURE = { r: 1n, s: 1n, yParity: 0 }
/** The hashes of the example transactions. */
const SEEDS: ReadonlySet<string> = new Set(['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(64)}`))

function blockOf(tag: unknown, now: number): bigint {
  const latest = blockAt(now)
  if (tag === 'finalized' || tag === 'safe') return latest - TO_FINAL
  if (tag === 'earliest') return 0n
  return typeof tag === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(tag) ? BigInt(tag) : latest
}

const blockHash = ({ key }: EvmChain, number: bigint): string =>
  `0x${createHash('sha256').update(`${key} block ${number}`).digest('hex')}`

const transfer = (address: string, from: string, to: string, amount: bigint): LedgerLog => ({
  address,
  topics: [TRANSFER, word(from), word(to)],
  data: hex(amount),
})

const hex = (value: bigint): string => `0x${value.toString(16).padStart(64, '0')}`
const word = (address: string): string => hex(BigInt(address))
