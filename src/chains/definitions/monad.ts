import { pancakeV2 } from '../contracts.ts'
import { evmChain } from '../definition.ts'
import { usdc } from '../stablecoins.ts'

export const monad = evmChain({
  key: 'monad',
  name: 'Monad',
  chainId: 143,
  native: 'MON',
  rpc: ['https://rpc.monad.xyz', 'https://rpc1.monad.xyz'],
  explorer: 'https://monadscan.com',
  wrappedNative: '0x3bd359C1119dA7Da1D913D1C4D2B7c461115433A',
  v2Routers: [pancakeV2('0xB1Bc24c34e88f7D43D5923034E3a14B24DaACfF9')],
  stablecoins: [usdc('0x754704Bc059F8C67012fEd69BC8A327a5aafb603')],
  xprovContract: '0x026F252016A7C47CDEf1F05a3Fc9E20C92a49C37',
  listedAs: { velora: undefined },
})
