import { createClient, getChains, getQuote, getRoutes, getTools } from '@lifi/sdk'
import { tell, USDC_BASE } from './swap.mjs'

const client = createClient({ integrator: 'swapgate-test', apiUrl: process.env.LIFI })
const address = '0x52908400098527886E0F7030069857D2E4169EE7'
const common = { fromAddress: address, fromAmount: '50000000' }
const quote = await getQuote(client, {
  ...common,
  fromChain: 8453,
  toChain: 42161,
  fromToken: USDC_BASE,
  toToken: '0x0000000000000000000000000000000000000000',
})
const { routes } = await getRoutes(client, {
  ...common,
  fromChainId: 8453,
  toChainId: 42161,
  fromTokenAddress: USDC_BASE,
  toTokenAddress: '0x0000000000000000000000000000000000000000',
})
const chains = await getChains(client)
const { bridges, exchanges } = await getTools(client)
tell({
  quoted: quote.action.fromChainId,
  routed: routes[0].steps[0].action.toChainId,
  hasBase: chains.some(({ id }) => id === 8453),
  tools: bridges.length + exchanges.length > 0,
})
process.exit()
