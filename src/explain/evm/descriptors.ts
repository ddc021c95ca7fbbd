/**
 * Texts from ERC-7730 descriptors for calls and messages that are unknown here: from the library's
 * descriptors, and from those that are passed in. A descriptor is for display, and never evidence: what it
 * describes stays unknown.
 *
 * Source: ethereum/ERCs ERCS/erc-7730.md, version 2 · ethereum/clear-signing-erc7730-registry
 */
import { CLEARSIG_REPO, type ClearSigResult, Decoder, eip712 } from 'micro-eth-signer/abi.js'
import { addToList } from '../../runtime/lists.ts'

export type DescriptorFiles = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A descriptor's texts: its intent, and a value for each label. */
export type Words = Readonly<Record<string, string>>

interface DescribedCall {
  readonly from: string | null
  readonly to: string
  readonly value: bigint
  readonly bytes: Uint8Array
}

const MOST_FIELDS = 32
const MOST_CHARACTERS = 256

/** Contracts whose descriptors are kept ready. */
const MOST_READY = 128

export class Descriptors {
  readonly #files: DescriptorFiles
  readonly #byAddress = new Map<string, string[]>()
  readonly #ready = new Map<string, Decoder>()

  /** @param brought  by their paths, by which they include each other */
  constructor(brought: DescriptorFiles = {}) {
    this.#files = { ...(CLEARSIG_REPO as DescriptorFiles), ...brought }
    for (const [name, file] of Object.entries(this.#files)) {
      const addresses = JSON.stringify(file).match(/0x[0-9a-fA-F]{40}\b/g) ?? []
      for (const address of new Set(addresses.map((one) => one.toLowerCase())))
        addToList(this.#byAddress, address, name)
    }
  }

  /** @returns null if no descriptor is about the call */
  async ofCall(chainId: number, { from, to, value, bytes }: DescribedCall): Promise<Words | null> {
    return worded(async () => {
      const entry = this.#decoderOf(to)?.clearSigEntry(to, bytes, BigInt(chainId))
      return entry?.({ to, data: bytes, value, chainId: BigInt(chainId), ...(from !== null && { from }) })
    })
  }

  /** @param typedData  as it was brought */
  async ofMessage(typedData: object, contract: string): Promise<Words | null> {
    return worded(async () => {
      const clearSig = this.#about(contract)
      return clearSig === null ? undefined : eip712(typedData as never, { clearSig })
    })
  }

  #decoderOf(address: string): Decoder | null {
    const files = this.#about(address)
    if (files === null) return null
    let decoder = this.#ready.get(address)
    if (decoder === undefined) {
      decoder = new Decoder().addClearSig(files)
      if (this.#ready.size >= MOST_READY) this.#ready.clear()
      this.#ready.set(address, decoder)
    }
    return decoder
  }

  /** The files that name the contract, with those that they include: reading all takes a second. */
  #about(address: string): Record<string, never> | null {
    const names = this.#byAddress.get(address.toLowerCase())
    if (names === undefined) return null
    const found: Record<string, unknown> = {}
    const waiting = [...names]
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (found[name] !== undefined || this.#files[name] === undefined) continue
      found[name] = this.#files[name]
      const { includes } = this.#files[name]!
      if (typeof includes === 'string') waiting.push(new URL(includes, `file:///${name}`).pathname.slice(1))
    }
    return found as Record<string, never>
  }
}

async function worded(render: () => Promise<ClearSigResult | undefined>): Promise<Words | null> {
  try {
    const result = await render()
    if (result === undefined) return null
    const fields = Object.entries(result.fields).slice(0, MOST_FIELDS)
    const texts = [
      ['intent', result.interpolatedIntent ?? result.intent],
      ...fields.map(([label, { value }]) => [label, value]),
    ]
    return Object.fromEntries(texts.map(([label, text]) => [shown(label!), shown(text!)]))
  } catch {
    // The descriptor does not fit what it describes: then it says nothing.
    return null
  }
}

const shown = (text: string): string =>
  String(text)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·')
    .slice(0, MOST_CHARACTERS)
