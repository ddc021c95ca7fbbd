/**
 * The chains, in the order of GET /api/chains. To add one, write its file in definitions/ and list it here.
 * The only other table by chain is that of the well-known tokens (research/universe/known/index.ts), which
 * may leave it out.
 */
import type { ChainDefinition } from './definition.ts'
import { arbitrum } from './definitions/arbitrum.ts'
import { avalanche } from './definitions/avalanche.ts'
import { base } from './definitions/base.ts'
import { berachain } from './definitions/berachain.ts'
import { bsc } from './definitions/bsc.ts'
import { ethereum } from './definitions/ethereum.ts'
import { gnosis } from './definitions/gnosis.ts'
import { hyperevm } from './definitions/hyperevm.ts'
import { linea } from './definitions/linea.ts'
import { mantle } from './definitions/mantle.ts'
import { monad } from './definitions/monad.ts'
import { optimism } from './definitions/optimism.ts'
import { plasma } from './definitions/plasma.ts'
import { polygon } from './definitions/polygon.ts'
import { scroll } from './definitions/scroll.ts'
import { solana } from './definitions/solana.ts'
import { sonic } from './definitions/sonic.ts'
import { sui } from './definitions/sui.ts'
import { ton } from './definitions/ton.ts'
import { unichain } from './definitions/unichain.ts'

export const CHAINS: readonly ChainDefinition[] = [
  ethereum,
  bsc,
  base,
  arbitrum,
  optimism,
  polygon,
  avalanche,
  linea,
  mantle,
  sonic,
  unichain,
  berachain,
  hyperevm,
  monad,
  plasma,
  scroll,
  gnosis,
  solana,
  sui,
  ton,
]
