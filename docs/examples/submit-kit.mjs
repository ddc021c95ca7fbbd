/**
 * A bot's submit loop with @solana/kit: it signs, submits and polls until the
 * transaction has landed, and signs again only once the old one can no longer
 * land. It needs no WebSocket. One transaction at a time stays within the
 * default budgets.
 */
import {
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  getBase58Decoder,
  getBase64Encoder,
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
 * Sends a signed transaction. Its signature is in its bytes, so a lost answer loses nothing: it may be on its
 * way, and `hasLanded` finds out.
 * @param wire  base64
 * @returns the signature
 * @throws if a node or the gateway refused it, so that it was not sent
 */
export async function send(rpc, wire) {
  try {
    await rpc.sendTransaction(wire, { encoding: 'base64' }).send()
  } catch (error) {
    // A node's refusal is an error of JSON-RPC. One that has the transaction already refuses it, too.
    const isHttp = isSolanaError(error, SOLANA_ERROR__RPC__TRANSPORT_HTTP_ERROR)
    const isRefused = isHttp ? error.context.statusCode < 500 : isSolanaError(error)
    if (isRefused && !/already been processed/.test(`${error.message} ${error.cause?.message}`)) throw error
  }
  return getBase58Decoder().decode(getBase64Encoder().encode(wire).subarray(1, 65))
}

/**
 * @param sign  makes the signed transaction for a blockhash, in base64 (`getBase64EncodedWireTransaction`);
 *              called again after a transaction has expired
 * @returns the signature of the transaction that landed
 */
export async function submit(rpc, sign, { attempts = 3, pollMs = 400 } = {}) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { value: latest } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send()
    const signature = await send(rpc, await sign(latest))
    if (await hasLanded(rpc, signature, latest.lastValidBlockHeight, pollMs)) return signature
  }
  throw new Error(`None of ${attempts} transactions landed; each has expired.`)
}

/** @returns false once the transaction has expired; only then is it safe to sign another one */
export async function hasLanded(rpc, signature, lastValidBlockHeight, pollMs = 400) {
  for (let poll = 1; ; poll++) {
    const { status, expired } = await look(rpc, signature, poll % 5 === 0 ? lastValidBlockHeight : null)
    if (status?.err) throw new Error(`${signature} landed and failed: ${stringify(status.err)}`)
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return true
    if (expired && status === null) return false
    await pause(Math.min(poll, 5) * pollMs)
  }
}

/** One look at the status. If it fails, nothing is known: the next look may succeed. */
async function look(rpc, signature, lastBlock) {
  try {
    // Read the height before the status, so that a landing between the two is seen. Read it at
    // `finalized`, because one node may have a confirmed block that the next node lacks.
    const expired =
      lastBlock !== null && (await rpc.getBlockHeight({ commitment: 'finalized' }).send()) > lastBlock
    const { value } = await rpc
      .getSignatureStatuses([signature], { searchTransactionHistory: expired })
      .send()
    return { status: value[0], expired }
  } catch {
    return { status: undefined, expired: false }
  }
}

/** kit parses integers as bigint, which JSON.stringify rejects. */
const stringify = (value) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? Number(v) : v))
