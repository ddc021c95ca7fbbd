/** The tables of docs/verification.md: the rules, the bounds of fees, and what hostile providers tried. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatAmount } from '../../src/chains/amount.ts'
import { EVM_CHAINS } from '../../src/chains/find.ts'
import {
  accountRent,
  bridgeLamports,
  evmFeesOf,
  FEE_SHARE_BPS,
  LEAST_SUI_GAS_BUDGET,
  LEAST_TON_GAS,
  LIFI_FEE_BPS,
  MAX_CROSS_CHAIN_TIP_LAMPORTS,
  MAX_JUPITER_FEE_BPS,
  MAX_MAYAN_PROTOCOL_BPS,
  MAX_OPENED_ACCOUNTS,
  MAX_PRIORITY_LAMPORTS,
  MAX_SUI_GAS_BUDGET,
  MAX_SUI_GAS_PRICE,
  MAX_SUI_MESSAGE_FEE,
  MAX_SUI_ROUTER_FEE_PPM,
  MAX_TON_GAS,
  MAX_VELORA_FEE_BPS,
  REFUND_FEE_BPS,
  routeRent,
  SOLANA_CEILING,
  WRAP_LOSS_BPS,
} from '../../src/proof/terms/fees.ts'
import { run as evmSwaps } from '../../test/fixtures/hostile/evm-swaps.ts'
import { run as jupiter } from '../../test/fixtures/hostile/jupiter.ts'
import { type Tally, tryAll } from '../../test/fixtures/hostile/mutation.ts'
import { run as bridges } from '../../test/fixtures/hostile/solana-bridges.ts'
import { honest, mutationsOf, prove } from '../../test/fixtures/hostile/sui.ts'
import { run as mayanOnSui } from '../../test/fixtures/hostile/sui-mctp.ts'
import { run as ton } from '../../test/fixtures/hostile/ton.ts'
import { HARMLESS, tallyLifi } from '../../test/fixtures/lifi-hostile.ts'
import liveRun from '../../test/fixtures/live/run.json' with { type: 'json' }
import type { LiveRun } from '../../test/fixtures/live/table.ts'
import { FAMILIES as SAMPLED } from '../../test/fixtures/real-samples.ts'
import { BETWEEN, BUY, SELL } from '../../test/fixtures/sui.ts'
import { ROOT } from './pages.ts'
import { table } from './table.ts'

/** By the paths in src/proof of the files that hold the rules; one that several share is in each row. */
const FAMILIES: readonly (readonly [family: string, files: RegExp])[] = [
  ['swaps on EVM chains', /^evm\//],
  ['cross-chain swaps and swaps by LI.FI on EVM chains', /^cross-chain\/(lifi\/|evm\.)/],
  ['swaps on Solana', /^solana\//],
  ['cross-chain swaps from Solana', /^cross-chain\/(bridges\/|solana\.|lifi\/terms\.)/],
  ['Sui', /^(sui\/|cross-chain\/lifi\/terms\.)/],
  ['TON', /^ton\//],
  ["a cross-chain swap's statement", /^cross-chain\/(cross-chain|statement)\./],
  ['simulation', /^simulation\//],
]

const RULE = /\brefuse(?:Material)?\('([a-z_]+)'\)/g

/** Every rule that the code can refuse by. */
export function rules(): string {
  const found = new Map<string, Set<string>>(FAMILIES.map(([family]) => [family, new Set()]))
  const source = join(ROOT, 'src/proof')
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.ts')) continue
    const names = [...readFileSync(join(source, file), 'utf8').matchAll(RULE)].map(([, rule]) => rule!)
    if (names.length === 0) continue
    const rows = FAMILIES.filter(([, files]) => files.test(file))
    if (rows.length === 0)
      throw new Error(`scripts/docs/verification.ts: say whose rules are in proof/${file}.`)
    for (const [family] of rows) for (const one of names) found.get(family)!.add(one)
  }
  const rows = [...found].filter(([, names]) => names.size > 0)
  return table(
    ['material', 'rules'],
    rows.map(([family, names]) => [family, [...names].map((name) => `\`${name}\``).join(' ')]),
  )
}

const lamports = (amount: bigint): string => `${formatAmount(amount, 9)} SOL`
const bps = (amount: bigint | number): string => `${Number(amount) / 100} %`

export function fees(): string {
  return table(
    ['fee', 'at most'],
    [
      ["a fee in the chain's coin, of an order whose worth is known", bps(FEE_SHARE_BPS)],
      ['Solana: priority fee, as the compute unit limit times the price', lamports(MAX_PRIORITY_LAMPORTS)],
      ["Solana: token accounts opened in addition to the swap's own", String(MAX_OPENED_ACCOUNTS)],
      ['Solana: rent of the token account of a `receiver`', lamports(accountRent(SOLANA_CEILING))],
      [
        "Jupiter, DFlow: rent of accounts that a route's markets keep for the wallet",
        `of two accounts of 174 bytes, of one for a small order: at the chain's rent, at most ${lamports(routeRent(null, SOLANA_CEILING))}`,
      ],
      ["Velora's own fee, of the output, or of what buys an exact output", bps(MAX_VELORA_FEE_BPS)],
      ["a fee of Jupiter's in files of earlier trades, of the swap", bps(MAX_JUPITER_FEE_BPS)],
      ['fees of Jupiter, of KyberSwap, and of their partners or integrators', bps(0)],
      [
        'a cross-chain swap from Solana: plain transfers to bridges and to LI.FI',
        lamports(MAX_CROSS_CHAIN_TIP_LAMPORTS),
      ],
      [
        'a cross-chain swap from Solana: what the bridge takes in addition to the input',
        `0.015 SOL and rent, at most ${lamports(bridgeLamports(SOLANA_CEILING))}`,
      ],
      [
        'Sui: gas used, and the gas budget',
        `${formatAmount(MAX_SUI_GAS_BUDGET, 9)} SUI, of a small order ${formatAmount(LEAST_SUI_GAS_BUDGET, 9)} SUI`,
      ],
      ['Sui: gas price', `${MAX_SUI_GAS_PRICE.toLocaleString('en')} MIST`],
      ["Sui: what the route's router keeps, of the input", `${Number(MAX_SUI_ROUTER_FEE_PPM) / 10_000} %`],
      [
        "a cross-chain swap from Sui: Wormhole's message, in addition to the input",
        `${formatAmount(MAX_SUI_MESSAGE_FEE, 9)} SUI`,
      ],
      ["a cross-chain swap from Sui: what Mayan keeps of an order's output", bps(MAX_MAYAN_PROTOCOL_BPS)],
      [
        'TON: gas in addition to the input; unused gas comes back',
        `${formatAmount(MAX_TON_GAS, 9)} GRAM, of a small order ${formatAmount(LEAST_TON_GAS, 9)} GRAM`,
      ],
      ["LI.FI's fee, of what is swapped or sent", bps(LIFI_FEE_BPS)],
      ['what a relayer keeps if an order is refunded or cancelled, of the amount sent', bps(REFUND_FEE_BPS)],
      ['what wrapping a native coin for a bridge may lose, of the amount sent', bps(WRAP_LOSS_BPS)],
    ],
  )
}

export function evmFees(): string {
  const rows = EVM_CHAINS.flatMap(({ key, native }) => {
    const { messaging, gasPrice, gasLimit, gas } = evmFeesOf(key)
    if (gasLimit === 0n) return []
    const coins = (amount: bigint) => `${formatAmount(amount, 18)} ${native}`
    return [
      [
        `\`${key}\``,
        coins(messaging),
        `${formatAmount(gasPrice, 9)} gwei`,
        gasLimit.toLocaleString('en'),
        coins(gas),
      ],
    ]
  })
  return table(['chain', "a bridge's message", 'gas price', 'gas limit', 'gas, both together'], rows)
}

/** What the attacks that the last `CLASSES_RECORD=1 npm run test:long` drew came to, by class. */
export function classes(): string {
  const rows = JSON.parse(readFileSync(new URL('classes.json', import.meta.url), 'utf8')) as [
    string,
    ...number[],
  ][]
  return table(
    ['class', ...OUTCOMES],
    rows.map(([name, ...counts]) => [name, ...counts.map((count) => count.toLocaleString('en'))]),
  )
}

const OUTCOMES = ['tried', 'refused', 'passed, harmless', 'passed, harmful'] as const

/** What each family's table of changes came to. */
export async function hostile(): Promise<{ readonly counts: string; readonly harmless: string }> {
  const sui = [
    await tryAll('Sui: SUI for USDC', honest(BUY), mutationsOf(BUY), prove(BUY)),
    await tryAll('Sui: USDC for SUI', honest(SELL), mutationsOf(SELL), prove(SELL)),
    await tryAll('Sui: a coin for another', honest(BETWEEN), mutationsOf(BETWEEN), prove(BETWEEN)),
    ...(await mayanOnSui()),
  ]
  const tallies: readonly Tally[] = [
    ...(await evmSwaps()),
    ...(await jupiter()),
    ...(await bridges()),
    ...sui,
    ...(await ton()),
  ]
  const lifi = tallyLifi()
  const rows = [
    ...tallies.map(({ family, tried, refused, letOut, thefts }) => ({
      family: named(family),
      tried,
      refused,
      letOut: letOut.length,
      robbed: thefts.length,
    })),
    { ...lifi, family: 'LI.FI on EVM chains', robbed: lifi.robbed.length },
  ]
  const number = (count: number) => count.toLocaleString('en')
  const counts = table(
    ['material', ...OUTCOMES],
    rows.map((row) => [row.family, ...[row.tried, row.refused, row.letOut, row.robbed].map(number)]),
  )
  const reasons: string[][] = []
  const seen = new Set<string>()
  for (const { family, letOut } of tallies) {
    const material = family.replace(/:.*$/, '').replace('ton', 'TON')
    for (const { what, harmless } of letOut) {
      if (seen.has(`${material} ${harmless}`)) continue
      seen.add(`${material} ${harmless}`)
      reasons.push([material, bare(what), harmless!])
    }
  }
  const whys = new Set(Object.values(HARMLESS))
  for (const why of whys) {
    const fields = Object.keys(HARMLESS).filter((field) => HARMLESS[field] === why)
    reasons.push(['LI.FI on EVM chains', fields.map((field) => `\`${field}\``).join(' '), why])
  }
  return { counts, harmless: table(['material', 'what may change', 'why it is harmless'], reasons) }
}

/** What becomes of transactions and messages of the world, by family. */
export function realSamples(): string {
  const rows = Object.values(SAMPLED).map(({ name, samples }) => {
    const refused = samples.filter((outcome) => outcome !== null)
    const whys = [...new Set(refused)].map(
      (reason) => `${refused.filter((one) => one === reason).length}: ${reason.why}`,
    )
    return [name, String(samples.length), String(samples.length - refused.length), whys.join('; ')]
  })
  return table(['family', 'samples', 'pass', 'refused, and why'], rows)
}

/** What became of recorded answers, by provider: test/conformance/live judges them. */
export function liveSamples(): string {
  const rows = (liveRun as unknown as LiveRun).rows.map(
    ({ provider, recorded, samples, accepted, refused }) => [
      provider,
      recorded,
      String(samples),
      String(accepted),
      Object.entries(refused)
        .map(([why, count]) => `${count}: ${why}`)
        .join('; '),
    ],
  )
  return table(['provider', 'recorded', 'samples', 'accepted', 'refused, and why'], rows)
}

const named = (family: string): string => family.replace(/^ton: /, 'TON: ')
/** One name for a numbered series: the name without its number. */
const bare = (what: string): string =>
  what.replace(/^bit \d+ of/, 'bits of').replace(/ \d+ of the route$/, ' of the route')
