/**
 * Contracts of the EVM chains that the gateway itself uses: the wrapped native
 * coin, Multicall3, and routers with the functions of Uniswap V2's
 * IUniswapV2Router02 (WETH named as it is there). Only routers that their own
 * project lists stand here. The same address may be another contract on
 * another chain, so everything is keyed by chain.
 *
 * Source: the projects' own lists of deployments: docs.uniswap.org,
 * developer.pancakeswap.finance, mds1/multicall3 deployments.json
 */

/** Deployed at one address on every chain of the table. */
export const MULTICALL3 = '0xcA11bde05977b3631167028862bE2a173976CA11'

export interface V2Router {
  readonly name: string
  readonly address: string
}

export interface EvmContracts {
  readonly wrappedNative: string
  /** In order of preference; empty where none is known. */
  readonly v2Routers: readonly V2Router[]
}

const uniswap = (address: string): V2Router => ({ name: 'Uniswap V2', address })
const pancake = (address: string): V2Router => ({ name: 'PancakeSwap V2', address })
const row = (wrappedNative: string, ...v2Routers: V2Router[]): EvmContracts => ({ wrappedNative, v2Routers })

/** By chain key. */
export const EVM_CONTRACTS: ReadonlyMap<string, EvmContracts> = new Map([
  [
    'ethereum',
    row('0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2', uniswap('0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D')),
  ],
  [
    'bsc',
    row(
      '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
      pancake('0x10ED43C718714eb63d5aA57B78B54704E256024E'),
      uniswap('0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'),
    ),
  ],
  [
    'base',
    row(
      '0x4200000000000000000000000000000000000006',
      uniswap('0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'),
      pancake('0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb'),
    ),
  ],
  [
    'arbitrum',
    row(
      '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
      uniswap('0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24'),
      pancake('0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb'),
    ),
  ],
  [
    'optimism',
    row('0x4200000000000000000000000000000000000006', uniswap('0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2')),
  ],
  [
    'polygon',
    row('0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270', uniswap('0xedf6066a2b290C185783862C7F4776A2C8077AD1')),
  ],
  [
    'avalanche',
    row('0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7', uniswap('0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24')),
  ],
  [
    'linea',
    row('0xe5D7C2a44FfDDf6b295A15c148167daaAf5Cf34f', pancake('0x8cFe327CEc66d1C090Dd72bd0FF11d690C33a2Eb')),
  ],
  ['mantle', row('0x78c1b0C915c4FAA5FffA6CAbf0219DA63d7f4cb8')],
  ['sonic', row('0x039e2fB66102314Ce7b64Ce5Ce3E5183bc94aD38')],
  [
    'unichain',
    row('0x4200000000000000000000000000000000000006', uniswap('0x284F11109359a7e1306C3e447ef14D38400063FF')),
  ],
  ['berachain', row('0x6969696969696969696969696969696969696969')],
  ['hyperevm', row('0x5555555555555555555555555555555555555555')],
  [
    'monad',
    row('0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A', pancake('0xB1Bc24c34e88f7D43D5923034E3a14B24DaACfF9')),
  ],
  ['plasma', row('0x6100E367285b01F48D07953803A2d8dCA5D19873')],
  ['scroll', row('0x5300000000000000000000000000000000000004')],
  ['gnosis', row('0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d')],
])
