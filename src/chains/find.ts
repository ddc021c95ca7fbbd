/**
 * Finds chains by key, by the cross-chain provider's id, and by the providers' names.
 *
 * Source: §4.5, §4.7 (a chain key, or the cross-chain provider's numeric id)
 */
import { GatewayError } from '../runtime/errors.ts'
import { nearest } from '../runtime/nearest.ts'
import { CHAINS } from './chains.ts'
import type { ChainDefinition, EvmChain, ListedAs } from './definition.ts'

/** A chain that the cross-chain provider serves. */
export type XprovChain = ChainDefinition & { readonly xprovChainId: number }

export const EVM_CHAINS: readonly EvmChain[] = CHAINS.filter((chain) => chain.family === 'evm')

/** @param key  a chain key, exactly as GET /api/chains lists it */
export function findChain(key: string): ChainDefinition | null {
  return BY_KEY.get(key) ?? null
}

/**
 * @param field  the name of the field in the request, for the error
 * @throws 400  unsupported_chain
 */
export function parseChain(key: string, field: string): ChainDefinition {
  const chain = findChain(key)
  if (chain !== null) return chain
  const message = `\`${field}\` must be a chain key that GET /api/chains lists.${hintFor(key, BY_KEY)}`
  throw new GatewayError('unsupported_chain', message, { field })
}

/** @returns null also for a chain of another family */
export function findEvmChain(key: string): EvmChain | null {
  const chain = findChain(key)
  return chain?.family === 'evm' ? chain : null
}

/**
 * @param text  a chain key, or a numeric id in decimal without leading zeros: it is compared as text, because
 *              ids may exceed 2^53 - 1
 */
export function findXprovChain(text: string): XprovChain | null {
  return XPROV.get(text) ?? null
}

/**
 * @param field  the name of the field in the request, for the error
 * @throws 400  unsupported_chain
 */
export function parseXprovChain(text: string, field: string): XprovChain {
  const chain = findXprovChain(text)
  if (chain !== null) return chain
  const message = `\`${field}\` must be the \`key\` or the \`xprovChainId\` of a chain that GET /api/chains lists with both.${hintFor(text, XPROV)}`
  throw new GatewayError('unsupported_chain', message, { field })
}

function hintFor(text: string, chains: ReadonlyMap<string, ChainDefinition>): string {
  const meant = nearest(text, chains.keys())
  return meant === null ? '' : ` Did you mean \`${meant}\`?`
}

/** The provider's names for the chains that it serves, by chain key, in the order of the list. */
export function namesAt(provider: keyof ListedAs): ReadonlyMap<string, string> {
  return new Map(
    CHAINS.flatMap(({ key, listedAs: { [provider]: name } }) => (name === undefined ? [] : [[key, name]])),
  )
}

/** @param name  the chain's name in the provider's URLs */
export function findListed(provider: keyof ListedAs, name: string): ChainDefinition | null {
  return CHAINS.find(({ listedAs }) => listedAs[provider] === name) ?? null
}

const BY_KEY: ReadonlyMap<string, ChainDefinition> = new Map(CHAINS.map((chain) => [chain.key, chain]))

const XPROV: ReadonlyMap<string, XprovChain> = new Map(
  CHAINS.filter((chain): chain is XprovChain => chain.xprovChainId !== null).flatMap((chain) => [
    [chain.key, chain],
    [String(chain.xprovChainId), chain],
  ]),
)
