/**
 * A bot's submit loop with @solana/kit: it signs, submits and polls until the
 * transaction has landed, and signs again only once the old one can no longer
 * land. It needs no WebSocket. One transaction at a time stays within the
 * default budgets.
 */
import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  isSolanaError,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
} from '@solana/kit'

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** An RPC that waits as long as a 429 says, then retries. */
export function connect(gateway) {
  const transport = createDefaultRpcTransport({ url: `${gateway}/api/solrpc` })
  return createSolanaRpcFromTransport(async (request) => {
    for (;;) {
      try {
        return await transport(request)
      } catch (error) {
        const isHttp = isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)
        if (!isHttp || error.context.statusCode !== 429) throw error
        await pause(1_000 * Number(error.context.headers.get('retry-after')))
      }
    }
  })
}

/**
 * @param sign  makes the signed transaction for a blockhash, in base64 (`getBase64EncodedWireTransaction`);
 *              called again after a transaction has expired
 * @returns the signature of the transaction that landed
 */
export async function submit(rpc, sign, { attempts = 3, pollMs = 400 } = {}) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
    const signature = await rpc.sendTransaction(await sign(latest), { encoding: 'base64' }).send()
    if (await hasLanded(rpc, signature, latest.lastValidBlockHeight, pollMs)) return signature
  }
  throw new Error(`None of ${attempts} transactions landed; each has expired.`)
}

/** @returns false once the transaction has expired; only then is it safe to sign another one */
async function hasLanded(rpc, signature, lastValidBlockHeight, pollMs) {
  for (let poll = 1; ; poll++) {
    // Read the height before the status, so that a landing between the two is seen. Read it at
    // `finalized`, because one node may have a confirmed block that the next node lacks.
    const height = poll % 5 === 0 ? await rpc.getBlockHeight({ commitment: 'finalized' }).send() : 0n
    const expired = height > lastValidBlockHeight
    const { value } = await rpc
      .getSignatureStatuses([signature], { searchTransactionHistory: expired })
      .send()
    const status = value[0]
    if (status?.err) throw new Error(`${signature} landed and failed: ${stringify(status.err)}`)
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return true
    if (expired && status === null) return false
    await pause(Math.min(poll, 5) * pollMs)
  }
}

/** kit parses integers as bigint, which JSON.stringify rejects. */
const stringify = (value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? Number(v) : v))
