/**
 * Submission services as described by their public documents, read in November 2026 but not tested: the path
 * of their `sendTransaction`, and the least tip and price that they accept. Their keys are in the URL's
 * query; Jupiter's is in a header: https://x-api-key:KEY@tx.jup.ag. A URL of another host has no row, and
 * gets every transaction that a node has accepted.
 *
 * Source: docs.jito.wtf/lowlatencytxnsend · helius.dev/docs/sending-transactions/sender ·
 * use.temporal.xyz/nozomi · astralane.gitbook.io/docs/low-latency · dev.jup.ag/docs, transaction/submit
 */
import { encodeBase58 } from '../../../chains/solana/base58.ts'
import { computeBudgetOf } from '../../../chains/solana/compute-budget.ts'
import { SYSTEM_PROGRAM } from '../../../chains/solana/programs.ts'
import { MAX_V1_TRANSACTION_BYTES } from '../../../chains/solana/sizes.ts'
import { WireTransaction } from '../../../chains/solana/wire.ts'
import type { Quota } from '../../admission/governor.ts'

const TRANSFER = 2
const TRANSFER_BYTES = 12

export interface LandingService {
  readonly name: string
  /** Its host, which regions put a name before. */
  readonly host: RegExp
  /** The path of sendTransaction, for a URL without a path. */
  readonly path: string
  /** A query parameter that selects the row. */
  readonly query?: string
  /** Lamports, by the cheapest of its plans. */
  readonly leastTip: bigint
  /** Micro-lamports per compute unit, as the transaction's own instruction sets it; 0 if none is required. */
  readonly leastPrice: bigint
  /** How often it takes a transaction from one address, if the URL has no key; null if that is often. */
  readonly quota: Quota | null
  /** The parameter of the query that has a key. */
  readonly key?: string
  /** Base58. An address that merely begins like one of them can be anybody's. */
  readonly tipAccounts: readonly string[]
}

const HELIUS = {
  host: /^([a-z]+-)?sender\.helius-rpc\.com$/,
  path: '/fast',
  // It requires the instruction, whatever the price.
  leastPrice: 1n,
  quota: null,
  tipAccounts: [
    '4ACfpUFoaSD9bfPdeu6DBt89gB6ENTeHBXCAi87NhDEE',
    'D2L6yPZ2FmmmTKPgzaMKdhu6EWZcTpLy1Vhx8uvZe7NZ',
    '9bnz4RShgq1hAnLnZbP8kbgBg1kEmcJBYQq3gQbmnSta',
    '5VY91ws6B2hMmBFRsXkoAAdsPHBJwRfBht4DXox3xkwn',
    '2nyhqdwKcJZR2vcqCyrYsaPVdAnFoJjiksCXJ7hfEYgD',
    '2q5pghRs6arqVjRvT5gfgWfWcHWmw1ZuCzphgd5KfWGJ',
    'wyvPkWjVZz1M8fHQnMMCDTQDbkManefNNhweYk5WkcF',
    '3KCKozbAaF75qEU33jtzozcJ29yJuaLJTy2jFdzUY8bT',
    '4vieeGHPYPG2MmyPRcYjdiDmmhN3ww7hsFNap8pVN3Ey',
    '4TQLFNWK8AovT1gFvda5jfw2oJeRMKEmw7aH6MGBJ3or',
  ],
} as const

/** The first row that fits is a URL's. */
export const LANDING_SERVICES: readonly LandingService[] = [
  {
    name: 'Jito',
    host: /^([a-z]+\.)?mainnet\.block-engine\.jito\.wtf$/,
    path: '/api/v1/transactions',
    leastTip: 1_000n,
    leastPrice: 0n,
    quota: { calls: 1, windowMs: 1_000 },
    key: 'uuid',
    tipAccounts: [
      '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5',
      'HFqU5x63VTqvQss8hp11i4wVV8bD44PvwucfZ2bU7gRe',
      'Cw8CFyM9FkoMi7K7Crf6HNQqf4uEMzpKw6QNghXLvLkY',
      'ADaUMid9yfUytqMBgopwjb2DTLSokTSzL1zt6iGPaS49',
      'DfXygSm4jCyNCybVYYK6DwvWqjKee8pbDmJGcLWNDXjh',
      'ADuUkR4vqLUMWXxW9gh6D6L8pMSawimctcNZ5pGwDcEt',
      'DttWaMuVvTiduZRnguLF7jNxTgiMBZ1hyAumKUiL2KRL',
      '3AVi9Tg9Uo68tJfuvoKvqKNWKkC5wPdSSdeBnizKZ6jT',
    ],
  },
  { name: 'Helius Sender, swqos_only', ...HELIUS, query: 'swqos_only', leastTip: 5_000n },
  { name: 'Helius Sender', ...HELIUS, leastTip: 1_000_000n },
  {
    name: 'Nozomi',
    host: /^([a-z0-9]+\.)?nozomi\.temporal\.xyz$/,
    path: '/',
    leastTip: 1_000_000n,
    leastPrice: 1_000_000n,
    quota: null,
    tipAccounts: [
      'TEMPaMeCRFAS9EKF53Jd6KpHxgL47uWLcpFArU1Fanq',
      'noz3jAjPiHuBPqiSPkkugaJDkJscPuRhYnSpbi8UvC4',
      'noz3str9KXfpKknefHji8L1mPgimezaiUyCHYMDv1GE',
      'noz6uoYCDijhu1V7cutCpwxNiSovEwLdRHPwmgCGDNo',
      'noz9EPNcT7WH6Sou3sr3GGjHQYVkN3DNirpbvDkv9YJ',
      'nozc5yT15LazbLTFVZzoNZCwjh3yUtW86LoUyqsBu4L',
      'nozFrhfnNGoyqwVuwPAW4aaGqempx4PU6g6D9CJMv7Z',
      'nozievPk7HyK1Rqy1MPJwVQ7qQg2QoJGyP71oeDwbsu',
      'noznbgwYnBLDHu8wcQVCEw6kDrXkPdKkydGJGNXGvL7',
      'nozNVWs5N8mgzuD3qigrCG2UoKxZttxzZ85pvAQVrbP',
      'nozpEGbwx4BcGp6pvEdAh1JoC2CQGZdU6HbNP1v2p6P',
      'nozrhjhkCr3zXT3BiT4WCodYCUFeQvcdUkM7MqhKqge',
      'nozrwQtWhEdrA6W8dkbt9gnUaMs52PdAv5byipnadq3',
      'nozUacTVWub3cL4mJmGCYjKZTnE9RbdY5AP46iQgbPJ',
      'nozWCyTPppJjRuw2fpzDhhWbW355fzosWSzrrMYB1Qk',
      'nozWNju6dY353eMkMqURqwQEoM3SFgEKC6psLCSfUne',
      'nozxNBgWohjR75vdspfxR5H9ceC7XXH99xpxhVGt3Bb',
    ],
  },
  {
    name: 'Astralane',
    host: /^[a-z0-9-]+\.gateway\.astralane\.io$/,
    path: '/iris',
    leastTip: 10_000n,
    leastPrice: 0n,
    quota: null,
    tipAccounts: [
      'astrazznxsGUhWShqgNtAdfrzP2G83DzcWVJDxwV9bF',
      'astra4uejePWneqNaJKuFFA8oonqCE1sqF6b45kDMZm',
      'astra9xWY93QyfG6yM8zwsKsRodscjQ2uU2HKNL5prk',
      'astraRVUuTHjpwEVvNBeQEgwYx9w9CFyfxjYoobCZhL',
      'astraEJ2fEj8Xmy6KLG7B3VfbKfsHXhHrNdCQx7iGJK',
      'astraubkDw81n4LuutzSQ8uzHCv4BhPVhfvTcYv8SKC',
      'astraZW5GLFefxNPAatceHhYjfA1ciq9gvfEg2S47xk',
      'astrawVNP4xDBKT7rAdxrLYiTSTdqtUr63fSMduivXK',
      'AstrA1ejL4UeXC2SBP4cpeEmtcFPZVLxx3XGKXyCW6to',
      'AsTra79FET4aCKWspPqeSFvjJNyp96SvAnrmyAxqg5b7',
      'AstrABAu8CBTyuPXpV4eSCJ5fePEPnxN8NqBaPKQ9fHR',
      'AsTRADtvb6tTmrsqULQ9Wji9PigDMjhfEMza6zkynEvV',
      'AsTRAEoyMofR3vUPpf9k68Gsfb6ymTZttEtsAbv8Bk4d',
      'AStrAJv2RN2hKCHxwUMtqmSxgdcNZbihCwc1mCSnG83W',
      'Astran35aiQUF57XZsmkWMtNCtXGLzs8upfiqXxth2bz',
      'AStRAnpi6kFrKypragExgeRoJ1QnKH7pbSjLAKQVWUum',
      'ASTRaoF93eYt73TYvwtsv6fMWHWbGmMUZfVZPo3CRU9C',
    ],
  },
  {
    name: 'Jupiter',
    host: /^tx\.jup\.ag$/,
    path: '/',
    leastTip: 1_000_000n,
    leastPrice: 0n,
    quota: null,
    tipAccounts: [
      'GGztQqQ6pCPaJQnNpXBgELr5cs3WwDakRbh1iEMzjgSJ',
      '2MFoS3MPtvyQ4Wh4M9pdfPjz6UhVoNbFbGJAskCPCj3h',
      'BQ72nSv9f3PRyRKCBnHLVrerrv37CYTHm5h3s9VSGQDV',
      '6U91aKa8pmMxkJwBCfPTmUEfZi6dHe7DcFq2ALvB2tbB',
      '4xDsmeTWPNjgSVSS1VTfzFq3iHZhp77ffPkAmkZkdu71',
      'CapuXNQoDviLvU1PxFiizLgPNQCxrsag1uMeyk6zLVps',
      '9nnLbotNTcUhvbrsA6Mdkx45Sm82G35zo28AqUvjExn8',
      '6LXutJvKUw8Q5ue2gCgKHQdAN4suWW8awzFVC6XCguFx',
      'HFqp6ErWHY6Uzhj8rFyjYuDya2mXUpYEk8VW75K9PSiY',
      'DSN3j1ykL3obAVNv7ZX49VsFCPe4LqzxHnmtLiPwY6xg',
      '69yhtoJR4JYPPABZcSNkzuqbaFbwHsCkja1sP1Q2aVT5',
      'HU23r7UoZbqTUuh3vA7emAGztFtqwTeVips789vqxxBw',
      '3LoAYHuSd7Gh8d7RTFnhvYtiTiefdZ5ByamU42vkzd76',
      '3CgvbiM3op4vjrrjH2zcrQUwsqh5veNVRjFCB9N6sRoD',
      'GP8StUXNYSZjPikyRsvkTbvRV1GBxMErb59cpeCJnDf1',
      '7iWnBRRhBCiNXXPhqiGzvvBkKrvFSWqqmxRyu9VyYBxE',
    ],
  },
]

/** Where tips go: base58. */
export const TIP_ACCOUNTS: ReadonlySet<string> = new Set(
  LANDING_SERVICES.flatMap(({ tipAccounts }) => tipAccounts),
)

/**
 * A service's URL, with its path if it has none, and its row, without the quota if the URL has a key; null
 * for a service without a row.
 */
export function landingServiceOf(
  text: string,
  rows: readonly LandingService[] = LANDING_SERVICES,
): { readonly url: string; readonly row: LandingService | null } {
  const url = new URL(text)
  const row =
    rows.find(
      ({ host, query }) =>
        host.test(url.hostname) && (query === undefined || url.searchParams.get(query) === 'true'),
    ) ?? null
  if (row !== null && url.pathname === '/') url.pathname = row.path
  const isKeyed = row?.key !== undefined && url.searchParams.has(row.key)
  return { url: url.href, row: isKeyed ? { ...row, quota: null } : row }
}

/** What services look for in a transaction. */
export interface Offering {
  readonly tips: readonly { readonly to: string; readonly lamports: bigint }[]
  /** Micro-lamports per compute unit. */
  readonly price: bigint
}

/**
 * Reads what a transaction offers. Payments by programs, and to accounts of a lookup table, are not visible
 * in its bytes and do not count; nor does the priority fee of version 1, which isn't a price per unit.
 * @param base64  a transaction that was parsed before
 */
export function offeringOf(base64: string): Offering {
  const wire = new WireTransaction()
  const isRead = wire.parse(Buffer.from(base64, 'base64'), MAX_V1_TRANSACTION_BYTES) === null
  if (!isRead) return { tips: [], price: 0n }
  return { tips: transfersIn(wire), price: computeBudgetOf(wire)?.price ?? 0n }
}

/**
 * What a service requires and a transaction lacks: its tip, which is one transfer of enough lamports, or its
 * price.
 */
export function lackOf(offering: Offering, service: LandingService): 'untipped' | 'unpriced' | null {
  if (tipAt(offering, service) < service.leastTip) return 'untipped'
  return offering.price < service.leastPrice ? 'unpriced' : null
}

/** The largest transfer to an account of a service, lamports; 0 without one. */
export function tipAt({ tips }: Pick<Offering, 'tips'>, { tipAccounts }: LandingService): bigint {
  return tips.reduce((most, { to, lamports }) => {
    return lamports > most && tipAccounts.includes(to) ? lamports : most
  }, 0n)
}

/** Lamports in transfers to accounts of any service. */
export function tipsIn(wire: WireTransaction): bigint {
  return transfersIn(wire).reduce((sum, { lamports, to }) => {
    return TIP_ACCOUNTS.has(to) ? sum + lamports : sum
  }, 0n)
}

/** Transfers of the System program to accounts that the bytes name. */
function transfersIn(wire: WireTransaction): Offering['tips'] {
  return wire.instructions().flatMap(({ programIndex, accounts, data }) => {
    const to = accounts[1]
    if (to === undefined || to >= wire.keyCount || data.length !== TRANSFER_BYTES) return []
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
    const lamports = view.getBigUint64(4, true)
    if (view.getUint32(0, true) !== TRANSFER || lamports === 0n) return []
    if (encodeBase58(wire.key(programIndex)) !== SYSTEM_PROGRAM) return []
    return [{ lamports, to: encodeBase58(wire.key(to)) }]
  })
}
