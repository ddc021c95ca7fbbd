/**
 * Asks the chain about contracts that a message names: which one is an owner's wallet of a jetton, which code
 * a router runs, whether a pool or a vault exists. Two nodes must agree, because a single node may be run by
 * an attacker.
 *
 * For the jetton that is sold, the wallet itself must confirm its owner and its master. The master alone is
 * not trusted: its author could make it name the owner's wallet of another, more valuable jetton.
 *
 * A contract's identity never changes, so an agreed answer is cached. Its code may: an owner can replace a
 * router's code, after announcing it for days.
 *
 * Source: TEP-74 (get_wallet_address, get_wallet_data) · docs.dedust.io (get_assets, get_wallet_addr) ·
 * ston-fi/dex-core-v2 contracts/router/msgs/admin.fc
 */
import type { Call } from '../../flow/call.ts'
import { type BoundedCache, boundedCache } from '../../runtime/bounded-cache.ts'
import { CLOCK, type Clock } from '../../runtime/clock.ts'
import { named } from '../../runtime/tape.ts'
import type { Stack, TonRpc } from '../../upstream/nodes/ton/rpc.ts'
import { agreedOn } from '../../upstream/nodes/voters.ts'
import { bagOfOne, parseBoc } from './boc.ts'
import { addressBits, CellReader, cellHash, MalformedCell } from './cell.ts'
import { type DedustAsset, readDedustAsset } from './dedust.ts'
import type { TonWitness } from './witness.ts'

/** For one question, at all nodes. */
const DEADLINE_MS = 3_000
const MAX_ANSWERS = 5_000
/** How long a contract's code is assumed unchanged: far less than the notice of an upgrade. */
const CODE_FRESH_MS = 600_000

type Nodes = Pick<TonRpc, 'runEverywhere' | 'codeEverywhere'>

export class TonContracts {
  readonly #rpc: Nodes
  readonly #clock: Clock
  /** By contract, method and arguments. */
  readonly #agreed: BoundedCache<string, string>
  /** By contract. */
  readonly #codes: BoundedCache<string, { readonly hash: string; readonly at: number }>

  constructor(rpc: Nodes, clock: Clock = CLOCK) {
    this.#rpc = rpc
    this.#clock = clock
    this.#agreed = boundedCache({ max: MAX_ANSWERS, clock: named(clock, 'agreed') })
    this.#codes = boundedCache({ max: MAX_ANSWERS, clock: named(clock, 'codes') })
  }

  /** @param call  the call that the questions belong to */
  within(call: Call): TonWitness {
    return {
      walletOf: (master, owner, isSold) => this.#walletOf(call, master, owner, isSold),
      codeOf: (account) => this.#codeOf(call, account),
      assetsOf: async (pool) => {
        const pair = await this.#ask(call, pool, 'get_assets', [], ([one, other]) => {
          const assets = [assetIn(one), assetIn(other)]
          return assets.includes(undefined) ? null : JSON.stringify(assets)
        })
        return pair === null ? null : (JSON.parse(pair) as [DedustAsset, DedustAsset])
      },
      vaultWalletOf: (vault) =>
        this.#ask(call, vault, 'get_wallet_addr', [], ([wallet]) => addressIn(wallet)),
    }
  }

  async #walletOf(call: Call, master: string, owner: string, isSold: boolean): Promise<string | null> {
    const slice = Buffer.from(bagOfOne(addressBits(owner)))
    const wallet = await this.#ask(call, master, 'get_wallet_address', [slice], ([wallet]) =>
      addressIn(wallet),
    )
    if (wallet === null || !isSold) return wallet
    const parties = await this.#ask(call, wallet, 'get_wallet_data', [], ([, itsOwner, itsMaster]) => {
      const named = [addressIn(itsOwner), addressIn(itsMaster)]
      return named.includes(null) ? null : named.join(' ')
    })
    return parties === `${owner} ${master}` ? wallet : null
  }

  async #codeOf(call: Call, account: string): Promise<string | null> {
    const now = this.#clock.now()
    const known = this.#codes.get(account)
    if (known !== undefined && now - known.at < CODE_FRESH_MS) return known.hash
    const codes = await this.#rpc.codeEverywhere(account, call.within(DEADLINE_MS))
    const hash = agreedOn(codes.map(hashIn))
    if (hash !== null) this.#codes.set(account, { hash, at: now })
    return hash
  }

  async #ask(
    call: Call,
    account: string,
    method: string,
    slices: readonly Buffer[],
    read: (stack: Stack) => string | null,
  ): Promise<string | null> {
    const key = [account, method, ...slices.map((slice) => slice.toString('base64'))].join(' ')
    const known = this.#agreed.get(key)
    if (known !== undefined) return known
    const stacks = await this.#rpc.runEverywhere(account, method, slices, call.within(DEADLINE_MS))
    const agreed = agreedOn(stacks.map(read))
    if (agreed !== null) this.#agreed.set(key, agreed)
    return agreed
  }
}

/** @returns the canonical address; null unless the bag holds exactly one address */
const addressIn = (bag: Buffer | null | undefined): string | null =>
  readBag(bag, (reader) => reader.address()) ?? null

/** @returns undefined unless the bag holds exactly one asset */
const assetIn = (bag: Buffer | null | undefined): DedustAsset | undefined => readBag(bag, readDedustAsset)

/** @returns the hash of the cell; null if it isn't code */
function hashIn(bag: Buffer): string | null {
  const root = parseBoc(bag, true)
  const hash = root === null ? undefined : orNone(() => cellHash(root).hash)
  return hash === undefined ? null : Buffer.from(hash).toString('hex')
}

/** @returns undefined unless the bag holds exactly the expected content */
function readBag<T>(bag: Buffer | null | undefined, read: (reader: CellReader) => T): T | undefined {
  const root = bag ? parseBoc(bag) : null
  if (root === null) return undefined
  return orNone(() => {
    const reader = new CellReader(root)
    const value = read(reader)
    reader.end()
    return value
  })
}

function orNone<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof MalformedCell) return undefined
    throw error
  }
}
