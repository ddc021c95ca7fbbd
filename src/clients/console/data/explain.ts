/** What a transaction does, read by this page's own code. */
import { encodeBase58 } from '../../../chains/solana/base58.ts'
import { entriesOf } from '../../../chains/solana/lookup-table.ts'
import type { ExplainRequest, Explanation } from '../../../explain/types.ts'
import { client } from './service.ts'

/** @param withTables  whether Solana's lookup tables may be requested; otherwise nothing leaves the page */
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
  readonly value: readonly Parameters<typeof entriesOf>[0][]
}

async function readTables(names: readonly string[]): Promise<ReadonlyMap<string, readonly string[] | null>> {
  const options = { commitment: 'confirmed', encoding: 'base64' }
  const { value } = await client.rpc<Accounts>('getMultipleAccounts', [names, options])
  return new Map(names.map((name, i) => [name, entriesOf(value[i] ?? null)?.map(encodeBase58) ?? null]))
}
