/**
 * The chains, in the order of GET /api/chains. An EVM chain is a row of definitions/evm.json; a chain of another
 * family has a file there and is listed here. The only other table by chain is that of the well-known tokens
 * (research/universe/well-known.tsv), which may leave it out.
 */
import { type ChainDefinition, evmChain } from './definition.ts'
import evmRows from './definitions/evm.json' with { type: 'json' }
import { solana } from './definitions/solana.ts'
import { sui } from './definitions/sui.ts'
import { ton } from './definitions/ton.ts'

export const CHAINS: readonly ChainDefinition[] = [...evmRows.map(evmChain), solana, sui, ton]
