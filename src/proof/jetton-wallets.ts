/**
 * Which contract is somebody's wallet of a jetton, as the chain tells it: two
 * nodes must answer the same, since one of them may be anybody's. A wallet's
 * address never changes, so what was agreed on is kept.
 *
 * A wallet that sells has to say itself that it is of this jetton and this
 * owner. Its master alone may not be believed: whoever made the master might
 * have it name the owner's wallet of another jetton, of more worth.
 *
 * Source: TEP-74 (get_wallet_address, get_wallet_data)
 */
import { LRUCache } from 'lru-cache'
import { friendlyTonAddress, rawTonAddress } from '../chains/ton-address.ts'
import type { CancellationScope } from '../runtime/cancellation.ts'
import type { Stack, TonRpc } from '../upstream/nodes/ton-rpc.ts'
import { bagOfOne, parseBoc } from './boc.ts'
import { addressBits, CellReader, MalformedCell } from './cell.ts'

/** For one question, at all nodes. */
const DEADLINE_MS = 3_000
const AGREEING_NODES = 2
const MAX_ANSWERS = 5_000

export class JettonWallets {
  readonly #rpc: Pick<TonRpc, 'runEverywhere'>
  /** By contract, method and arguments. */
  readonly #agreed = new LRUCache<string, string>({ max: MAX_ANSWERS })

  constructor(rpc: Pick<TonRpc, 'runEverywhere'>) {
    this.#rpc = rpc
  }

  /** @returns canonical; null where the nodes do not agree, or the wallet says otherwise */
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
    const said = await this.#ask(scope, wallet, 'get_wallet_data', [], ([, itsOwner, itsMaster]) => {
      const parties = [addressIn(itsOwner), addressIn(itsMaster)]
      return parties.includes(null) ? null : parties.join(' ')
    })
    return said === `${owner} ${master}` ? wallet : null
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

/** @returns canonical; null where there is no bag with an address and nothing else */
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
