#!/usr/bin/env node
/**
 * `swapgate-truth FILE --rpc CHAIN=URL`: reads the swaps of GET /api/bake-off/export again from a node, as the gateway
 * did, and prints those that differ.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { CancellationScope } from '../../flow/cancellation.ts'
import type { KeptSwap, Landing } from '../../http/counts/deliveries.ts'
import { TruthRow } from '../../http/counts/truth.ts'
import { CLOCK } from '../../runtime/clock.ts'
import { nullIfUnanswered } from '../../runtime/errors.ts'
import { printable } from '../../runtime/shown.ts'
import { checkOf } from '../../runtime/validate.ts'
import { EvmRpc } from '../../upstream/nodes/evm/rpc.ts'
import { SolanaRpc } from '../../upstream/nodes/solana/rpc.ts'
import { parseTransactionId } from './request.ts'
import { TransactionReader } from './transactions.ts'
import help from './truth-help.json' with { type: 'json' }

const isRow = checkOf(TruthRow)
/** What a node says of a row. */
const READ = ['at', 'got', 'gasUsed', 'block', 'slot'] as const

/** @returns reads one row after the other from a node; null for one that the node doesn't have all of */
function readerAt(chainKey: string, url: string) {
  let swap: KeptSwap | null = null
  let found: Landing | null = null
  const evm = new EvmRpc({ chainKey, urls: [url] })
  const reader = new TransactionReader({
    evm: () => evm,
    solana: new SolanaRpc({ readUrls: [url], sendUrls: [url] }),
    inquiries: { landed: async () => {}, submitted: async () => ({ isPending: false, receipt: null }) },
    tokens: { find: () => null },
    deliveries: { search: async () => swap, landed: (_swap, landing) => void (found = landing) },
    clock: CLOCK,
  })
  return async (row: TruthRow): Promise<Landing | null> => {
    const { chain, hash, signature } = row
    swap = { row, isMajor: true, costs: [], edits: null, client: 0, builtAt: 0, digest: '' }
    found = null
    const id = hash === null ? { signature: signature ?? '' } : { hash }
    await reader
      .receipt(parseTransactionId({ chain, ...id }), new CancellationScope())
      .catch(nullIfUnanswered)
    return found
  }
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { rpc: { type: 'string', multiple: true, default: [] } },
    allowPositionals: true,
  })
  if (positionals.length === 0) {
    process.stdout.write(help.text.join('\n'))
    return 2
  }
  const readers = new Map(
    values.rpc
      .map((one) => one.split(/=(.*)/) as [string, string])
      .map(([chain, url]) => [chain, readerAt(chain, url)]),
  )
  const counts = { same: 0, differ: 0, unread: 0 }
  const lines = positionals.flatMap((path) => readFileSync(path, 'utf8').split('\n'))
  for (const line of new Set(lines.filter((one) => one !== ''))) {
    const row: unknown = JSON.parse(line)
    if (!isRow(row)) throw new TypeError(`not a row of the export: ${line}`)
    const found = (await readers.get(row.chain)?.(row)) ?? null
    const wrong = found === null ? [] : READ.filter((name) => found[name] !== row[name])
    counts[found === null ? 'unread' : wrong.length > 0 ? 'differ' : 'same']++
    for (const name of wrong)
      console.log(`${row.chain} ${row.hash ?? row.signature}: ${name} is ${found![name]}, not ${row[name]}`)
  }
  console.log(`${counts.same} as the node says, ${counts.differ} differ, ${counts.unread} not read`)
  return counts.differ > 0 ? 1 : counts.unread > 0 ? 2 : 0
}

const failed = (error: unknown): number => {
  console.error(printable(String(error), 256))
  return 1
}
process.exit(await main().catch(failed))
