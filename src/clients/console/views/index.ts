/** The views. Each has a folder next to this file; its code is loaded when the view is first opened. */
import type { ConsoleView } from './view.ts'

const view = (
  name: string,
  title: string,
  group: ConsoleView['group'],
  load: ConsoleView['load'],
  more: Partial<ConsoleView> = {},
): ConsoleView => ({ name, title, group, isInBar: false, isForSandbox: false, load, ...more })

const isInBar = true

/** In the order of the navigation within a group; the page opens with the first. */
export const VIEWS: readonly ConsoleView[] = [
  view('tokens', 'Tokens', 'Look up', async () => (await import('./tokens/tokens.tsx')).Tokens, { isInBar }),
  view('swap', 'Swap', 'Trade', async () => (await import('./swap/swap.tsx')).Swap, { isInBar }),
  view('activity', 'Activity', 'Trade', async () => (await import('./activity/activity.tsx')).Activity),
  view('basket', 'Basket', null, async () => (await import('./basket/basket.tsx')).Baskets, {
    within: 'swap',
  }),
  view(
    'portfolio',
    'Portfolio',
    'Look up',
    async () => (await import('./portfolio/portfolio.tsx')).Portfolio,
    { isInBar },
  ),
  view('explain', 'Explain', 'Look up', async () => (await import('./explain/explain.tsx')).Explain, {
    isInBar,
  }),
  view('relay', 'Relay', 'Look up', async () => (await import('./relay/relay.tsx')).Relay),
  view('limits', 'Limits & health', 'Gateway', async () => (await import('./limits/limits.tsx')).Limits),
  view('token', 'Token', null, async () => (await import('./token/token.tsx')).Token),
  view('sandbox', 'Sandbox', 'Gateway', async () => (await import('./sandbox/sandbox.tsx')).Sandbox, {
    isForSandbox: true,
  }),
]

/** Names that views had before: links with them still lead there. */
const FORMER: Readonly<Record<string, string>> = { faults: 'sandbox' }

/** @param name  as in the URL */
export const viewNamed = (name: string): ConsoleView | undefined =>
  VIEWS.find((one) => one.name === (Object.hasOwn(FORMER, name) ? FORMER[name] : name))
