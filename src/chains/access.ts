/**
 * What the operator lets a gateway serve: the chains of CHAINS, the programs and contracts of PROGRAMS and
 * CONTRACTS, and no address of SANCTIONS_FILE. Without these variables everything is served.
 */
import { GatewayError } from '../runtime/errors.ts'
import { parseAnyAddress } from './address.ts'
import { CHAINS } from './chains.ts'
import type { ChainDefinition } from './definition.ts'
import { findChain, findXprovChain } from './find.ts'
import { encodeBase58 } from './solana/base58.ts'
import type { WireTransaction } from './solana/wire.ts'

interface AccessRules {
  /** Keys of the chains that are served. */
  readonly chains: readonly string[]
  /** Solana programs that may be called, base58; null: all. */
  readonly programs: readonly string[] | null
  /** Contracts of other chains that may be called, canonical; null: all. */
  readonly contracts: readonly string[] | null
}

/** Addresses that are refused, by `addressKey`; null if the operator has no such list. */
export interface RefusedAddresses {
  has(key: string): boolean
}

/** Fields of requests that name one chain. */
const CHAIN_FIELDS = ['chain', 'fromChain', 'toChain', 'scope'] as const
/** Deeper than any request that a schema accepts. */
const MAX_DEPTH = 16

export class Access {
  /** In the order of GET /api/chains. */
  readonly chains: readonly ChainDefinition[]
  /** Whether a request might be refused for its chains or addresses. */
  readonly limitsRequests: boolean
  /** Whether what providers build might be refused. */
  readonly limitsMaterial: boolean
  readonly #keys: ReadonlySet<string>
  readonly #programs: ReadonlySet<string> | null
  readonly #contracts: ReadonlySet<string> | null
  readonly #refused: RefusedAddresses | null

  constructor({ chains, programs, contracts }: AccessRules, refused: RefusedAddresses | null = null) {
    this.#keys = new Set(chains)
    this.chains = CHAINS.filter(({ key }) => this.#keys.has(key))
    this.#programs = programs && new Set(programs)
    this.#contracts = contracts && new Set(contracts)
    this.#refused = refused
    this.limitsRequests = this.chains.length < CHAINS.length || refused !== null
    this.limitsMaterial = programs !== null || contracts !== null || refused !== null
  }

  /** @param chain  a key */
  readonly serves = (chain: string): boolean => this.#keys.has(chain)

  /**
   * Checks the chains and addresses of a request, whatever they are called.
   * @param input  validated
   * @throws GatewayError  unsupported_chain, address_refused
   */
  requireInput(input: unknown): void {
    if (this.chains.length < CHAINS.length) this.#requireChains(input as Readonly<Record<string, unknown>>)
    if (this.#refused !== null) this.#requireStrings(input, '', 0)
  }

  /** @throws GatewayError  unsupported_chain */
  requireChain(key: string, field: string): void {
    if (this.serves(key)) return
    const message = `${findChain(key)?.name ?? key} is not among the chains that this gateway serves; GET /api/chains lists those.`
    throw new GatewayError('unsupported_chain', message, { field })
  }

  /** @param address  in any spelling. @throws GatewayError  address_refused */
  requireAddress(address: string, field: string): void {
    if (!this.refuses(address)) return
    const message = `\`${field}\` names an address that this gateway's operator refuses.`
    throw new GatewayError('address_refused', message, { field })
  }

  /** The first instruction whose program is not allowed. @param wire  parsed without refusal */
  foreignProgram(wire: WireTransaction): { readonly index: number; readonly address: string } | null {
    const programs = this.#programs
    if (programs === null) return null
    for (const [index, { programIndex }] of wire.instructions().entries()) {
      const address = encodeBase58(wire.key(programIndex))
      if (!programs.has(address)) return { index, address }
    }
    return null
  }

  /** A static account that is refused. Those of lookup tables are not in the bytes. @param wire  parsed without refusal */
  refusedAccount(wire: WireTransaction): string | null {
    if (this.#refused === null) return null
    for (let i = 0; i < wire.keyCount; i++) {
      const address = encodeBase58(wire.key(i))
      if (this.refuses(address)) return address
    }
    return null
  }

  /** @param contract  canonical */
  allowsContract(contract: string): boolean {
    return this.#contracts?.has(contract) ?? true
  }

  /** @param address  in any spelling */
  refuses(address: string): boolean {
    const key = this.#refused && addressKey(address)
    return key !== null && this.#refused!.has(key)
  }

  #requireChains(input: Readonly<Record<string, unknown>>): void {
    for (const field of CHAIN_FIELDS) {
      const text = input[field]
      const chain = typeof text === 'string' ? (findChain(text) ?? findXprovChain(text)) : null
      if (chain !== null) this.requireChain(chain.key, field)
    }
    const { chains, tokens, sol } = input
    for (const key of listed(chains)) if (findChain(key) !== null) this.requireChain(key, 'chains')
    for (const token of listed(tokens)) {
      const key = token.slice(0, token.indexOf(':'))
      if (findChain(key) !== null) this.requireChain(key, 'tokens')
    }
    if (sol !== undefined) this.requireChain('solana', 'sol')
  }

  #requireStrings(value: unknown, field: string, depth: number): void {
    if (typeof value === 'string') {
      for (const address of addressesIn(value)) this.requireAddress(address, field)
    } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
      for (const [name, member] of Object.entries(value)) {
        const at = Array.isArray(value) ? `${field}[${name}]` : field === '' ? name : `${field}.${name}`
        this.#requireStrings(member, at, depth + 1)
      }
    }
  }
}

/** What two spellings of one address have in common; null if the text isn't an address of any family. */
export function addressKey(text: string): string | null {
  return EVM.test(text) ? text.toLowerCase() : parseAnyAddress(text)
}

const EVM = /^0x[0-9a-fA-F]{40}$/i
/** Sui's address at the start of a coin type. */
const OF_COIN_TYPE = /^0x([0-9a-fA-F]{1,64})::/
/** The longest spelling of an address, and of a coin type that may contain one. */
const MAX_PIECE = 400

/**
 * The parts of a text that may be addresses: entries of a list, after a chain's key, at the start of a coin
 * type.
 */
function* addressesIn(text: string): Generator<string> {
  for (const entry of text.split(',')) {
    const piece = entry.trim()
    if (piece.length > MAX_PIECE) continue
    const behind = piece.slice(piece.indexOf(':') + 1)
    yield piece
    if (behind !== piece) yield behind
    for (const part of [piece, behind]) {
      const digits = OF_COIN_TYPE.exec(part)?.[1]
      if (digits !== undefined) yield `0x${digits.padStart(64, '0')}`
    }
  }
}

const listed = (text: unknown): readonly string[] => (typeof text === 'string' ? text.split(',') : [])

/** Everything is served. */
export const OPEN_ACCESS = new Access({
  chains: CHAINS.map(({ key }) => key),
  programs: null,
  contracts: null,
})
