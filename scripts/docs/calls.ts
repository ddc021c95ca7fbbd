/** The table of docs/limits.md that says what a request costs upstream, as test/long/routes/upstream-calls.test.ts counts it. */
import { readFileSync } from 'node:fs'
import { PROVIDERS } from '../../src/config/providers.ts'
import { table } from './table.ts'

type Calls = Readonly<Record<string, number>>

interface Recorded {
  readonly rows: readonly { readonly path: string; readonly request: string; readonly calls: Calls }[]
  readonly build: Calls
}

const NODES: Readonly<Record<string, string>> = {
  evm: 'EVM nodes',
  solana: 'Solana nodes',
  sui: 'Sui nodes',
  ton: 'TON nodes',
  logos: 'the host of the picture',
}

export function upstreamCalls(): string {
  const { rows, build } = JSON.parse(readFileSync(new URL('calls.json', import.meta.url), 'utf8')) as Recorded
  const lists = rows.map(({ calls }) => calls.lists ?? 0)
  return table(
    ['request', 'calls', 'to'],
    [
      ...rows
        .filter(({ path }) => path !== '')
        .map(({ path, request, calls: { lists, ...calls } }) => {
          const what = request === 'any' ? '' : `, ${request}`
          return [`\`${path}\`${what}`, sum(calls), whom(calls)]
        }),
      ...rows
        .filter(({ path }) => path === '')
        .map(({ request, calls }) => [request, sum(calls), whom(calls)]),
      ['no request: the first build of the token list', sum(build), whom(build)],
      [
        "no request: the lists of known tokens, from the first wallet on, every 30 minutes (Jupiter's: 6 hours)",
        String(Math.max(...lists)),
        'LI.FI, one for each EVM chain; for a Solana wallet Jupiter 1',
      ],
    ],
  )
}

const sum = (calls: Calls): string => String(Object.values(calls).reduce((total, count) => total + count, 0))

const whom = (calls: Calls): string =>
  Object.entries(calls)
    .map(([name, count]) => `${NODES[name] ?? PROVIDERS[name as keyof typeof PROVIDERS].name} ${count}`)
    .join(', ')
