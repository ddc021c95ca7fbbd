/** The views. Each has a folder beside this file, which is loaded when it is first opened. */
import type { View } from './view.ts'

const listed = (name: string, title: string, load: View['load']): View => ({
  name,
  title,
  isListed: true,
  isForSandbox: false,
  load,
})

/** In the order of the navigation; the first is where the page opens. */
export const VIEWS: readonly View[] = [
  listed('tokens', 'Tokens', async () => (await import('./tokens/tokens.tsx')).Tokens),
  listed('swap', 'Swap', async () => (await import('./swap/swap.tsx')).Swap),
  listed('portfolio', 'Portfolio', async () => (await import('./portfolio/portfolio.tsx')).Portfolio),
  listed('relay', 'Relay', async () => (await import('./relay/relay.tsx')).Relay),
  listed('limits', 'Limits & health', async () => (await import('./limits/limits.tsx')).Limits),
  {
    name: 'token',
    title: 'Token',
    isListed: false,
    isForSandbox: false,
    load: async () => (await import('./token/token.tsx')).Token,
  },
  {
    ...listed('faults', 'Faults', async () => (await import('./faults/faults.tsx')).Faults),
    isForSandbox: true,
  },
]
