/** What a Solana node says of a transaction that it executes without sending it. */
import { isSwapgateError } from '../../client/index.ts'
import words from '../parts/words.json' with { type: 'json' }
import { client } from './service.ts'

interface Simulated {
  readonly value: { readonly err: unknown; readonly logs?: readonly string[] | null }
}

const OPTIONS = {
  encoding: 'base64',
  commitment: 'confirmed',
  sigVerify: false,
  replaceRecentBlockhash: true,
}

/** @param transaction  base64 @returns why it fails now, in words; null if it does not, or no node answers */
export async function failureOf(transaction: string): Promise<string | null> {
  try {
    const { value } = await client.rpc<Simulated>('simulateTransaction', [transaction, OPTIONS])
    return value.err === null ? null : reasonOf(value)
  } catch (error) {
    if (isSwapgateError(error)) return null
    throw error
  }
}

/** The words of what is known; else the last line of the logs that says something, else the node's error itself. */
export function reasonOf({ err, logs }: Simulated['value']): string {
  const code = typeof err === 'string' ? err : JSON.stringify(err)
  const lines = [code, ...(logs ?? [])]
  const known = Object.entries(words.failures).find(([pattern]) =>
    lines.some((line) => new RegExp(pattern, 'i').test(line)),
  )
  const said = logs?.findLast((line) => /^Program log: .*(?:error|fail)/i.test(line) || /failed: /.test(line))
  return known?.[1] ?? said?.replace(/^Program (?:log: |\w+ )/, '') ?? code
}
