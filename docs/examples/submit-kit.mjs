/**
 * A bot's submit loop with @solana/kit: it signs, submits and polls until the
 * transaction has landed, and signs again only when it can land no more.
 * It needs no WebSocket, and with one transaction at a time it keeps within
 * the default budgets.
 */
import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  isSolanaError,
  SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR,
} from '@solana/kit'

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** An RPC that waits as long as a 429 says, and asks again. */
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
 *              it is called again where a transaction has expired
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

/** @returns false once the transaction has expired: not before may another one be signed in its place */
async function hasLanded(rpc, signature, lastValidBlockHeight, pollMs) {
  for (let poll = 1; ; poll++) {
    // The height is read before the status, so that a landing between the two is seen. It is read at
    // `finalized`, because a block that is only confirmed may be seen by one node and not by the next.
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

/** Kit reads integers as bigint, which JSON.stringify refuses. */
const stringify = (value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? Number(v) : v))
