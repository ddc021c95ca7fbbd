/** What a transaction does, read by this page's own code. */
import { encodeBase58 } from '../../../chains/solana/base58.ts'
import { LOOKUP_TABLE_PROGRAM } from '../../../chains/solana/programs.ts'
import type { ExplainRequest, Explanation } from '../../../proof/explain/types.ts'
import { decodeBase64 } from '../../../runtime/base64.ts'
import { client } from './service.ts'

/** @param withTables  whether Solana's lookup tables may be asked for; nothing leaves the page otherwise */
export async function explainHere(
  request: ExplainRequest,
  withTables: boolean,
): Promise<Explanation | string> {
  const { explain } = await import('#verify')
  try {
    return await explain(request, withTables ? { tables: readTables } : {})
  } catch (error) {
    return (error as Error).message
  }
}

interface Accounts {
  readonly value: readonly (null | { readonly owner: string; readonly data: readonly [string, string] })[]
}

/** The layout is that of anza-xyz/solana-sdk address-lookup-table-interface/src/state.rs. */
const HEADER_BYTES = 56
const KEY_BYTES = 32

async function readTables(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[] | null>> {
  const options = { commitment: 'confirmed', encoding: 'base64' }
  const { value } = await client.rpc<Accounts>('getMultipleAccounts', [names, options])
  return new Map(names.map((name, i) => [name, entriesOf(value[i] ?? null)]))
}

function entriesOf(account: Accounts['value'][number]): readonly string[] | null {
  const bytes = account?.owner === LOOKUP_TABLE_PROGRAM ? decodeBase64(account.data[0]) : null
  if (bytes === null) return null
  const count = Math.max(0, Math.floor((bytes.length - HEADER_BYTES) / KEY_BYTES))
  const at = (i: number): number => HEADER_BYTES + i * KEY_BYTES
  return Array.from({ length: count }, (_, i) => encodeBase58(bytes.subarray(at(i), at(i + 1))))
}
