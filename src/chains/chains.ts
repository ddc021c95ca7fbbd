/**
 * The chains, in the order of GET /api/chains. An EVM chain is a row of definitions/evm.json; a chain of another
 * family is one of definitions/others.json. The only other table by chain is that of the well-known tokens
 * (research/universe/well-known.tsv), which may leave it out.
 *
 * - Sui's nodes speak GraphQL: the public JSON-RPC is off since July 2026, and gRPC is not plain HTTP. They are the
 *   Foundation's, and Triton's, which MystenLabs/sui#27979 found to answer without a key. Its `coinMetadata` are each in
 *   the lists of several protocols there: Scallop, Cetus, Bucket. Its `xprovChainId` is above 2^53 - 1, and even: a double
 *   holds it exactly, and it prints unrounded.
 * - TON's coin is Gram since June 2026; before, it had the name of the chain.
 */
import { type ChainDefinition, evmChain, type OtherChain } from './definition.ts'
import evmRows from './definitions/evm.json' with { type: 'json' }
import otherRows from './definitions/others.json' with { type: 'json' }

export const [SOLANA, SUI, TON] = otherRows as unknown as readonly [OtherChain, OtherChain, OtherChain]

export const CHAINS: readonly ChainDefinition[] = [...evmRows.map(evmChain), SOLANA, SUI, TON]
