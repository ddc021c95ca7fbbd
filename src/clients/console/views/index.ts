/** The views. Each has a folder beside this file; its code is loaded when the view is first opened. */
import type { ConsoleView } from './view.ts'

const listed = (name: string, title: string, load: ConsoleView['load']): ConsoleView => ({
  name,
  title,
  isListed: true,
  isForSandbox: false,
  load,
})

/** In the order of the navigation; the page opens with the first. */
export const VIEWS: readonly ConsoleView[] = [
  listed('tokens', 'Tokens', async () => (await import('./tokens/tokens.tsx')).Tokens),
  listed('swap', 'Swap', async () => (await import('./swap/swap.tsx')).Swap),
  listed('portfolio', 'Portfolio', async () => (await import('./portfolio/portfolio.tsx')).Portfolio),
  listed('relay', 'Relay', async () => (await import('./relay/relay.tsx')).Relay),
  listed('explain', 'Explain', async () => (await import('./explain/explain.tsx')).Explain),
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
