/**
 * How many decimals a token has, asked once: of the chain itself for EVM and
 * Solana, of the family's route provider for Sui and TON, whose nodes do not
 * all serve plain HTTP. Decimals do not change, so an answer is kept until
 * others push it out; that there is no such token is kept for a short while,
 * because it may be created in the next block.
 *
 * Source: §4.5 (amounts in token units) · ERC-20 `decimals()` ·
 * solana-program/token interface/src/state.rs, token-2022 extensions
 */

import { LRUCache } from 'lru-cache'
import { Type } from 'typebox'
import type { ChainDefinition, Family } from '../chains/definition.ts'
import { CLOCK, type Clock } from '../clock.ts'
import { GatewayError } from '../errors.ts'
import type { EvmRpc } from '../nodes/evm-rpc.ts'
import type { SolanaRpc } from '../nodes/solana-rpc.ts'
import type { DecimalsSource, Token } from '../providers/provider.ts'
import { compile, type Validator } from '../validate.ts'

const MAX_TOKENS = 5_000
const UNKNOWN_FOR_MS = 30_000
/** No token of worth has more, and 10^36 leaves room for an amount in a uint256. */
const MAX_DECIMALS = 36

export interface DecimalsOptions {
  /** The nodes of an EVM chain. */
  readonly evm: (chain: ChainDefinition) => Pick<EvmRpc, 'call'>
  readonly solana: Pick<SolanaRpc, 'read'>
  readonly sources: Readonly<Record<'sui' | 'ton', DecimalsSource>>
  readonly clock?: Clock
}

type Lookup = (chain: ChainDefinition, address: string, deadlineMs: number) => Promise<number | null>

export class Decimals {
  readonly #lookups: Readonly<Record<Family, Lookup>>
  /** Lookups under way, and their outcomes. */
  readonly #tokens: LRUCache<string, Promise<Token>>

  constructor({ evm, solana, sources, clock = CLOCK }: DecimalsOptions) {
    const ask = (source: DecimalsSource): Lookup => {
      return (_chain, address, deadlineMs) => source(address, { deadlineMs, priority: 'quote', cancel: null })
    }
    this.#lookups = {
      evm: (chain, address, deadlineMs) => decimalsOfErc20(evm(chain), address, deadlineMs),
      solana: (_chain, address, deadlineMs) => decimalsOfMint(solana, address, deadlineMs),
      sui: ask(sources.sui),
      ton: ask(sources.ton),
    }
    // A resolution of 0 reads the clock each time instead of keeping a timer.
    this.#tokens = new LRUCache({ max: MAX_TOKENS, ttlResolution: 0, perf: clock })
  }

  /**
   * The token with its decimals. Those who ask for the same one at the same
   * time share one lookup, so none of them can cancel it, and its deadline is
   * that of the first.
   * @param token  as parseToken answers it
   * @throws GatewayError  unknown_token, or upstream_* when it could not be asked
   */
  addTo(
    chain: ChainDefinition,
    { address, isNative }: Pick<Token, 'address' | 'isNative'>,
    deadlineMs: number,
  ): Promise<Token> {
    if (isNative) return Promise.resolve({ address, isNative, decimals: chain.decimals })
    const key = `${chain.key} ${address}`
    const known = this.#tokens.get(key)
    if (known !== undefined) return known
    const found = this.#look(chain, address, deadlineMs)
    this.#tokens.set(key, found)
    found.catch((error: unknown) => {
      if (error instanceof GatewayError && error.code === 'unknown_token') {
        this.#tokens.set(key, found, { ttl: UNKNOWN_FOR_MS })
      } else {
        this.#tokens.delete(key)
      }
    })
    return found
  }

  async #look(chain: ChainDefinition, address: string, deadlineMs: number): Promise<Token> {
    const decimals = await this.#lookups[chain.family](chain, address, deadlineMs)
    if (decimals === null || !Number.isInteger(decimals) || decimals < 0 || decimals > MAX_DECIMALS) {
      throw new GatewayError('unknown_token', `There is no token at this address on ${chain.name}.`)
    }
    return { address, isNative: false, decimals }
  }
}

/** Selector of `decimals()`. */
const DECIMALS = '0x313ce567'

/** @returns null where there is no contract, or none that tells */
async function decimalsOfErc20(
  rpc: Pick<EvmRpc, 'call'>,
  address: string,
  deadlineMs: number,
): Promise<number | null> {
  const word = await rpc.call(address, DECIMALS, deadlineMs)
  return word === null || word.length !== 2 + 64 ? null : Number(word)
}

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
/** A mint: authority 36, supply 8, decimals 1, is_initialized 1, freeze authority 36. */
const MINT_BYTES = 82
const DECIMALS_AT = 44
const IS_INITIALIZED_AT = 45
/** Token-2022 pads an extended mint to a token account's length; then comes the account's type. */
const TYPE_AT = 165
const MINT_TYPE = 1

const AccountInfo = Type.Object({
  value: Type.Union([
    Type.Object({ owner: Type.String(), data: Type.Tuple([Type.String(), Type.Literal('base64')]) }),
    Type.Null(),
  ]),
})
let accountInfo: Validator<typeof AccountInfo> | null = null

/** @returns null where there is no account, or one that is not a mint */
async function decimalsOfMint(
  rpc: Pick<SolanaRpc, 'read'>,
  address: string,
  deadlineMs: number,
): Promise<number | null> {
  const config = {
    encoding: 'base64',
    commitment: 'confirmed',
    dataSlice: { offset: 0, length: TYPE_AT + 1 },
  }
  const reply = await rpc.read('getAccountInfo', JSON.stringify([address, config]), deadlineMs)
  const info: unknown = reply.result === null ? null : JSON.parse(reply.result.toString())
  accountInfo ??= compile(AccountInfo)
  if (!accountInfo.Check(info)) {
    const message = 'The Solana node did not answer what the account holds. Try again later.'
    throw new GatewayError('upstream_unusable', message)
  }
  if (info.value === null) return null
  const bytes = Buffer.from(info.value.data[0], 'base64')
  return isMint(info.value.owner, bytes) ? bytes[DECIMALS_AT]! : null
}

/** @param bytes  up to and including the account's type */
function isMint(owner: string, bytes: Buffer): boolean {
  if (owner !== TOKEN_PROGRAM && owner !== TOKEN_2022_PROGRAM) return false
  const isExtended = owner === TOKEN_2022_PROGRAM && bytes[TYPE_AT] === MINT_TYPE
  return (bytes.length === MINT_BYTES || isExtended) && bytes[IS_INITIALIZED_AT] === 1
}
