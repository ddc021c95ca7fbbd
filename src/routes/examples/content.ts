/**
 * What an operator might publish, an item of each collection, and what the
 * community's paths answer then.
 *
 * Source: §4.10
 */

import type { Example } from '../../http/route.ts'
import { ALL, type ContentPath, type SampleContent } from '../../research/content/inventory.ts'

const AT = '2026-11-21T12:00:00Z'
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const link = (path: string): string => `https://swap.example/${path}`
const QUEUES = ['appeals', 'audit', 'avatars', 'comments', 'open', 'safety', 'suspensions'] as const

export const PUBLISHED = {
  announcements: [{ id: 'v2', at: AT, title: 'Quotes are faster', text: 'All providers are asked at once.' }],
  reels: [
    { id: 'first-swap', at: AT, tab: 'learn', title: 'Your first swap', video: link('first-swap.mp4') },
  ],
  'reels-people': [{ id: 'ada', name: 'Ada', handle: 'ada-explains', bio: 'Explains swaps.' }],
  'reels-inbox': [{ id: 'new-tab', at: AT, title: 'A new tab', text: 'News have a tab of their own.' }],
  'reels-moderation': QUEUES.map((queue) => ({ id: `case-${queue}`, at: AT, queue, text: 'Decided.' })),
  social: [{ id: 'hello', at: AT, title: 'Hello', text: 'We are here.', url: link('hello') }],
  'social-invites': [{ id: 'join', at: AT, text: 'Swap with us.' }],
  'social-providers': [{ id: 'site', name: 'Our site', url: link('') }],
  game: [{ id: 'season-1', at: AT, title: 'Season 1', text: 'The first one.' }],
  'game-achievements': [{ id: 'first', title: 'First swap', text: 'Swapped once.', points: 10 }],
  'game-avatars': [{ id: 'fox', title: 'Fox', image: link('fox.png') }],
  'game-leaderboard': [{ id: 'ada', board: 'main', window: 'all', name: 'Ada', score: 1_200 }],
  'game-players': [{ id: 'ada', wallet: WALLET, name: 'Ada', score: 1_200 }],
  arcade: [{ id: 'blocks', title: 'Blocks', text: 'Falling blocks.', url: link('blocks') }],
  referrals: [{ id: 'friends', title: 'Friends', text: 'Bring a friend.' }],
  onramp: [{ id: 'bank', name: 'By bank', url: link('bank'), currencies: ['EUR'] }],
  recovery: [{ id: 'lost-phone', title: 'A lost phone', text: 'Use your words.' }],
} as const satisfies SampleContent

/** A request to a path, and the 200 that an operator's gateway gives to it. */
export function contentExample({ answer, parameters }: ContentPath): Example {
  if (answer.kind === 'fixed') return { request: {}, reply: answer.body }
  const items = PUBLISHED[answer.of] as readonly { readonly id: string; readonly queue?: string }[]
  if (answer.kind === 'operation') return { request: { operation: ALL }, reply: { items } }
  if (answer.kind === 'first') {
    return { request: parameters.includes('wallet') ? { wallet: WALLET } : {}, reply: items[0] }
  }
  const { queue } = answer
  const found = queue === undefined ? items : items.filter((item) => item.queue === queue)
  const isPaged = parameters.includes('cursor') || parameters.includes('before')
  return { request: {}, reply: { items: found, ...(isPaged ? { next: null } : {}) } }
}

export const CONTENT_ERRORS = {
  404: {
    error: 'The operator of this host publishes no item with this name or address.',
    scope: 'not_found',
    code: 'item_not_found',
  },
} as const
