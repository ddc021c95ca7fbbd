/**
 * Asks the chain which contract is an owner's wallet of a jetton. Two nodes must
 * agree, because a single node may be run by an attacker. A wallet's address
 * never changes, so an agreed answer is cached.
 *
 * For the jetton that is sold, the wallet itself must confirm its owner and its
 * master. The master alone is not trusted: its author could make it name the
 * owner's wallet of another, more valuable jetton.
 *
 * Source: TEP-74 (get_wallet_address, get_wallet_data)
 */
import { LRUCache } from 'lru-cache'
import { friendlyTonAddress, rawTonAddress } from '../chains/ton-address.ts'
import type { CancellationScope } from '../runtime/cancellation.ts'
import { growing } from '../runtime/growing.ts'
import type { Stack, TonRpc } from '../upstream/nodes/ton-rpc.ts'
import { bagOfOne, parseBoc } from './boc.ts'
import { addressBits, CellReader, MalformedCell } from './cell.ts'

/** For one get method, at all nodes. */
const DEADLINE_MS = 3_000
const AGREEING_NODES = 2
const MAX_ANSWERS = 5_000

export class JettonWallets {
  readonly #rpc: Pick<TonRpc, 'runEverywhere'>
  /** By contract, method and arguments. */
  readonly #agreed = new LRUCache<string, string>(growing(MAX_ANSWERS))

  constructor(rpc: Pick<TonRpc, 'runEverywhere'>) {
    this.#rpc = rpc
  }

  /**
   * @param isSold  also ask the wallet for its owner and master
   * @returns the canonical address; null if the nodes disagree or the wallet names another owner or master
   */
  async find(
    master: string,
    owner: string,
    isSold: boolean,
    scope: CancellationScope | null = null,
  ): Promise<string | null> {
    const slice = bagOfOne(addressBits(rawTonAddress(owner)))
    const wallet = await this.#ask(scope, master, 'get_wallet_address', [slice], ([wallet]) =>
      addressIn(wallet),
    )
    if (wallet === null || !isSold) return wallet
    const parties = await this.#ask(scope, wallet, 'get_wallet_data', [], ([, itsOwner, itsMaster]) => {
      const named = [addressIn(itsOwner), addressIn(itsMaster)]
      return named.includes(null) ? null : named.join(' ')
    })
    return parties === `${owner} ${master}` ? wallet : null
  }

  async #ask(
    scope: CancellationScope | null,
    account: string,
    method: string,
    slices: readonly Buffer[],
    read: (stack: Stack) => string | null,
  ): Promise<string | null> {
    const key = [account, method, ...slices.map((slice) => slice.toString('base64'))].join(' ')
    const known = this.#agreed.get(key)
    if (known !== undefined) return known
    const stacks = await this.#rpc.runEverywhere(account, method, slices, DEADLINE_MS, scope)
    const answers = stacks.map(read).filter((answer) => answer !== null)
    const isAgreed = (answer: string) => answers.filter((other) => other === answer).length >= AGREEING_NODES
    const agreed = answers.find(isAgreed) ?? null
    if (agreed !== null) this.#agreed.set(key, agreed)
    return agreed
  }
}

/** @returns the canonical address; null unless the bag holds exactly one address */
function addressIn(bag: Buffer | null | undefined): string | null {
  const root = bag ? parseBoc(bag) : null
  if (root === null) return null
  try {
    const reader = new CellReader(root)
    const address = reader.address()
    reader.end()
    return address === null ? null : friendlyTonAddress(address)
  } catch (error) {
    if (error instanceof MalformedCell) return null
    throw error
  }
}
