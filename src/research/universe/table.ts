/**
 * The tokens of one list on one chain, packed: there are tens of thousands of
 * them for the life of the process, and few are ever looked up. All texts are in
 * one buffer with numeric offsets, so a token takes some ninety bytes, with a logo
 * twice as many, and the garbage collector sees five objects.
 *
 *   text    address \t symbol \t name \t logo | address \t ...
 *   starts  [0, 48, 97, ...]                where each begins, and the end
 *   slots   [3, 0, 0, 1, ...]               1 + place, at the hash of its address or behind it
 */
import type { KnownToken } from '../../providers/tokens/token-source.ts'

const TAB = 0x09
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

export class TokenTable {
  static readonly EMPTY = new TokenTable('', [])

  readonly chain: string
  readonly #text: Buffer
  readonly #starts: Uint32Array
  readonly #decimals: Uint8Array
  readonly #vouched: Uint8Array
  readonly #slots: Uint32Array

  /** @param tokens  tokens of this chain, the likeliest to be held first; of two with one address, the first counts */
  constructor(chain: string, tokens: readonly KnownToken[]) {
    const byAddress = new Map<string, KnownToken>()
    for (const token of tokens) if (!byAddress.has(token.address)) byAddress.set(token.address, token)
    const rows = [...byAddress.values()]
    const texts = rows.map(({ address, symbol, name, logo = '' }) =>
      Buffer.from(`${address}\t${symbol}\t${name}\t${logo}`),
    )
    this.chain = chain
    this.#text = Buffer.concat(texts)
    this.#starts = new Uint32Array(rows.length + 1)
    for (const [i, { length }] of texts.entries()) this.#starts[i + 1] = this.#starts[i]! + length
    this.#decimals = Uint8Array.from(rows, ({ decimals }) => decimals)
    this.#vouched = Uint8Array.from(rows, ({ isVouched }) => Number(isVouched))
    this.#slots = slotsOf(rows)
  }

  get size(): number {
    return this.#decimals.length
  }

  /** The approximate memory of the table. */
  get bytes(): number {
    return this.#text.length + this.#starts.byteLength + 2 * this.size + this.#slots.byteLength
  }

  /** @param place  below `size` */
  at(place: number): KnownToken {
    const [start, end] = [this.#starts[place]!, this.#starts[place + 1]!]
    const [address, symbol, name, logo] = this.#text.toString('utf8', start, end).split('\t')
    return {
      chain: this.chain,
      address: address!,
      symbol: symbol!,
      name: name!,
      decimals: this.#decimals[place]!,
      isVouched: this.#vouched[place] === 1,
      ...(logo !== '' && { logo: logo! }),
    }
  }

  /** @param address  canonical */
  find(address: string): KnownToken | null {
    if (this.size === 0) return null
    const mask = this.#slots.length - 1
    for (let slot = hashOf(address) & mask; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const place = this.#slots[slot]! - 1
      if (this.#isAt(place, address)) return this.at(place)
    }
    return null
  }

  #isAt(place: number, address: string): boolean {
    const start = this.#starts[place]!
    if (this.#text[start + address.length] !== TAB) return false
    for (let i = 0; i < address.length; i++) {
      if (this.#text[start + i] !== address.charCodeAt(i)) return false
    }
    return true
  }
}

/** At least half of the slots are empty, so a look-up ends soon. */
function slotsOf(rows: readonly KnownToken[]): Uint32Array {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * rows.length + 1)))
  const mask = slots.length - 1
  for (const [place, { address }] of rows.entries()) {
    let slot = hashOf(address) & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = place + 1
  }
  return slots
}

/**
 * FNV-1a. The author of a list could choose addresses that collide; a table is short enough for that not to
 * matter.
 */
function hashOf(address: string): number {
  let hash = FNV_OFFSET
  for (let i = 0; i < address.length; i++) hash = Math.imul(hash ^ address.charCodeAt(i), FNV_PRIME)
  return hash >>> 0
}
