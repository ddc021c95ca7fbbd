import { evmChain } from '../definition.ts'
import { usdt0 } from '../stablecoins.ts'

export const plasma = evmChain({
  key: 'plasma',
  name: 'Plasma',
  chainId: 9_745,
  native: 'XPL',
  rpc: ['https://rpc.plasma.to', 'https://plasma.drpc.org'],
  explorer: 'https://plasmascan.to',
  wrappedNative: '0x6100E367285b01F48D07953803A2d8dCA5D19873',
  stablecoins: [usdt0('0xB8CE59FC3717ada4C02eaDF9682A9e934F625ebb')],
  xprovContract: '0x026F252016A7C47CDEf1F05a3Fc9E20C92a49C37',
})
