/** JSON-RPC to the sandbox's own nodes: the faucet, and the transactions of throw-away wallets. */
import { WalletError } from './wallet.ts'
import words from './words.json' with { type: 'json' }

/** The node did not answer: it may have done what was requested. */
export class NoAnswer extends WalletError {}

/** @throws WalletError  with the node's error message; NoAnswer if the node does not answer */
export async function nodeRpc<Result>(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<Result> {
  let reply: { result?: Result; error?: { message: string } }
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    reply = await (await fetch(url, { method: 'POST', headers, body })).json()
  } catch {
    throw new NoAnswer(words.noNode.replace('{url}', () => url))
  }
  if (reply.error !== undefined) throw new WalletError(`The sandbox's node refused: ${reply.error.message}`)
  return reply.result as Result
}
