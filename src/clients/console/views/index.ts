/** The views. Each is the default of a module in a folder of its own, which is loaded when it is first opened. */
import type { ConsoleView } from './view.ts'

const view = (
  name: string,
  title: string,
  group: ConsoleView['group'],
  load: ConsoleView['load'],
  more: Partial<ConsoleView> = {},
): ConsoleView => ({ name, title, group, isInBar: IN_BAR.includes(name), isForSandbox: false, load, ...more })

const IN_BAR: readonly string[] = ['tokens', 'swap', 'portfolio', 'explain']

/** In the order of the navigation within a group; the page opens with the first. */
export const VIEWS: readonly ConsoleView[] = [
  view('tokens', 'Tokens', 'Look up', () => import('./tokens/tokens.tsx')),
  view('swap', 'Swap', 'Trade', () => import('./swap/swap.tsx')),
  view('activity', 'Activity', 'Trade', () => import('./activity/activity.tsx')),
  view('basket', 'Basket', null, () => import('./basket/basket.tsx'), { within: 'swap' }),
  view('portfolio', 'Portfolio', 'Look up', () => import('./portfolio/portfolio.tsx')),
  view('explain', 'Explain', 'Look up', () => import('./explain/explain.tsx')),
  view('relay', 'Relay', 'Look up', () => import('./relay/relay.tsx')),
  view('limits', 'Limits & health', 'Gateway', () => import('./limits/limits.tsx')),
  view('token', 'Token', null, () => import('./token/token.tsx')),
  view('sandbox', 'Sandbox', 'Gateway', () => import('./sandbox/sandbox.tsx'), { isForSandbox: true }),
]

/** @param name  as in the URL */
export const viewNamed = (name: string): ConsoleView | undefined => VIEWS.find((one) => one.name === name)
