/**
 * The sample content of the sandbox's operator, with something for each community path. Its people and
 * links are fictitious.
 */
import type { SampleContent } from '../research/content/inventory.ts'

const PLAYER = '0x1111111111111111111111111111111111111111'
const link = (path: string): string => `https://community.example/${path}`

export const SAMPLE: SampleContent = {
  announcements: [
    {
      id: 'welcome',
      at: '2026-11-01T09:00:00Z',
      title: 'Welcome to the sandbox',
      text: 'Everything here is simulated, this announcement included.',
    },
    {
      id: 'faucet',
      at: '2026-11-14T09:00:00Z',
      title: 'The faucet is open',
      text: 'Ask the sandbox node for SOL with requestAirdrop.',
      url: link('faucet'),
    },
  ],
  reels: [
    {
      id: 'first-swap',
      at: '2026-11-02T10:00:00Z',
      tab: 'learn',
      title: 'Your first swap',
      author: 'ada',
      video: link('first-swap.mp4'),
    },
    {
      id: 'read-a-quote',
      at: '2026-11-05T10:00:00Z',
      tab: 'learn',
      title: 'How to read a quote',
      author: 'ada',
      video: link('read-a-quote.mp4'),
    },
    {
      id: 'week-46',
      at: '2026-11-16T18:00:00Z',
      tab: 'news',
      title: 'The week in tokens',
      author: 'grace',
      video: link('week-46.mp4'),
      poster: link('week-46.jpg'),
    },
  ],
  'reels-people': [
    { id: 'ada', name: 'Ada', handle: 'ada-explains', bio: 'Explains swaps.' },
    { id: 'grace', name: 'Grace', handle: 'grace-news', bio: 'Reads the news.', url: link('grace') },
  ],
  'reels-inbox': [
    { id: 'new-tab', at: '2026-11-10T08:00:00Z', title: 'A new tab', text: 'News have a tab of their own.' },
  ],
  'reels-moderation': [
    {
      id: 'case-1',
      at: '2026-11-03T12:00:00Z',
      queue: 'appeals',
      reelId: 'first-swap',
      text: 'Granted: the music is licensed.',
    },
    {
      id: 'case-2',
      at: '2026-11-04T12:00:00Z',
      queue: 'audit',
      reelId: 'first-swap',
      text: 'Back in the feed after an appeal.',
    },
    { id: 'case-3', at: '2026-11-06T12:00:00Z', queue: 'avatars', key: 'fox', text: 'Kept.' },
    {
      id: 'case-4',
      at: '2026-11-07T12:00:00Z',
      queue: 'comments',
      reelId: 'week-46',
      text: 'Two comments were removed as spam.',
    },
    {
      id: 'case-5',
      at: '2026-11-17T12:00:00Z',
      queue: 'open',
      reelId: 'week-46',
      text: 'A report is being looked at.',
    },
    {
      id: 'case-6',
      at: '2026-11-08T12:00:00Z',
      queue: 'safety',
      text: 'Links to unknown sites are held back.',
    },
    {
      id: 'case-7',
      at: '2026-11-09T12:00:00Z',
      queue: 'suspensions',
      text: 'One account is suspended for a week.',
    },
  ],
  social: [
    {
      id: 'hello',
      at: '2026-11-01T09:30:00Z',
      title: 'Hello',
      text: 'This gateway is a sandbox.',
      url: link('hello'),
    },
  ],
  'social-invites': [
    {
      id: 'autumn',
      at: '2026-11-01T09:00:00Z',
      text: 'Try the sandbox: nothing in it is real.',
      url: link('join'),
    },
  ],
  'social-providers': [{ id: 'forum', name: 'The forum', url: link('forum') }],
  game: [
    {
      id: 'season-1',
      at: '2026-11-01T00:00:00Z',
      until: '2026-12-01T00:00:00Z',
      title: 'Season 1',
      text: 'Swap simulated coins.',
    },
  ],
  'game-achievements': [
    { id: 'first-build', title: 'First build', text: 'Built a transaction.', points: 10 },
    { id: 'explorer', title: 'Explorer', text: 'Swapped on five chains.', points: 50, wallet: PLAYER },
  ],
  'game-avatars': [{ id: 'fox', title: 'Fox', image: link('fox.png') }],
  'game-leaderboard': [
    { id: 'main-all-2', board: 'main', window: 'all', name: 'Grace', score: 80 },
    { id: 'main-all-1', board: 'main', window: 'all', name: 'Ada', score: 120, wallet: PLAYER },
    { id: 'main-week-1', board: 'main', window: 'week', name: 'Grace', score: 30 },
  ],
  'game-players': [{ id: 'ada', wallet: PLAYER, name: 'Ada', score: 120 }],
  arcade: [
    { id: 'slot-runner', title: 'Slot runner', text: 'Catch the next slot.', url: link('slot-runner') },
  ],
  referrals: [{ id: 'autumn', title: 'Bring a friend', text: 'Both of you get nothing: it is a sandbox.' }],
  onramp: [
    { id: 'play-money', name: 'Play money', url: link('play-money'), countries: ['AQ'], currencies: ['XTS'] },
  ],
  recovery: [
    {
      id: 'lost-phrase',
      title: 'A lost recovery phrase',
      text: 'Nobody here can restore it: the gateway has no keys.',
    },
  ],
}
