/**
 * The sandbox's STON.fi: its assets, from the market.
 *
 * Source: ston-fi/api (the texts of its errors are not published)
 */
import type { ProviderReply, ProviderServer } from '../provider-server.ts'
import type { World } from '../world.ts'

const ASSETS = '/v1/assets/'

export const stonfi = ({ market }: Pick<World, 'market'>): ProviderServer => ({
  name: 'stonfi',
  rateLimited: () => text(429, 'Too Many Requests'),
  handle({ method, path }) {
    if (!path.startsWith(ASSETS)) return text(404, 'Not Found')
    if (method !== 'GET') return text(405, 'Method Not Allowed')
    const token = market.find('ton', path.slice(ASSETS.length))
    if (token === null) return text(404, 'Asset not found')
    const { address, symbol, name: display_name, decimals } = token
    return {
      status: 200,
      body: { asset: { contract_address: address, symbol, display_name, decimals, kind: 'Jetton' } },
    }
  },
})

const text = (status: number, body: string): ProviderReply => ({ status, body })
