/**
 * A bot's submit loop with @solana/web3.js: it signs, submits and polls until
 * the transaction has landed, and signs again only once the old one can no
 * longer land. It needs no WebSocket. One transaction at a time stays within
 * the default budgets.
 */
import { Connection, SendTransactionError } from '@solana/web3.js' // npm install @solana/web3.js@1
import bs58 from 'bs58' // npm install bs58

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** A `fetch` that waits as long as a 429 says, then retries. */
export async function patientFetch(url, options) {
  for (;;) {
    const response = await fetch(url, options)
    if (response.status !== 429) return response
    await pause(1_000 * Number(response.headers.get('retry-after')))
  }
}

export const connect = (gateway) =>
  new Connection(`${gateway}/api/solrpc`, { commitment: 'confirmed', fetch: patientFetch })

/**
 * Sends a signed transaction. Its signature is in its bytes, so a lost answer loses nothing: it may be on its
 * way, and `hasLanded` finds out.
 * @returns the signature
 * @throws if a node or the gateway refused it, so that it was not sent
 */
export async function send(connection, bytes) {
  try {
    await connection.sendRawTransaction(bytes)
  } catch (error) {
    // An HTTP error begins with its status. A node that has the transaction already refuses it, too.
    const isRefused = error instanceof SendTransactionError || /^4\d\d /.test(error.message)
    if (isRefused && !/already been processed/.test(error.message)) throw error
  }
  return bs58.encode(bytes.subarray(1, 65))
}

/**
 * @param sign  makes the signed bytes for a blockhash; called again after a transaction has expired
 * @returns the signature of the transaction that landed
 */
export async function submit(connection, sign, { attempts = 3, pollMs = 400 } = {}) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash()
    const signature = await send(connection, await sign(blockhash))
    if (await hasLanded(connection, signature, lastValidBlockHeight, pollMs)) return signature
  }
  throw new Error(`None of ${attempts} transactions landed; each has expired.`)
}

/** @returns false once the transaction has expired; only then is it safe to sign another one */
export async function hasLanded(connection, signature, lastValidBlockHeight, pollMs = 400) {
  for (let poll = 1; ; poll++) {
    const lastBlock = poll % 5 === 0 ? lastValidBlockHeight : null
    const { status, expired } = await look(connection, signature, lastBlock)
    if (status?.err) throw new Error(`${signature} landed and failed: ${JSON.stringify(status.err)}`)
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return true
    if (expired && status === null) return false
    await pause(Math.min(poll, 5) * pollMs)
  }
}

/** One look at the status. If it fails, nothing is known: the next look may succeed. */
async function look(connection, signature, lastBlock) {
  try {
    // Read the height before the status, so that a landing between the two is seen. Read it at
    // `finalized`, because one node may have a confirmed block that the next node lacks.
    const expired = lastBlock !== null && (await connection.getBlockHeight('finalized')) > lastBlock
    const { value } = await connection.getSignatureStatuses([signature], {
      searchTransactionHistory: expired,
    })
    return { status: value[0], expired }
  } catch {
    return { status: undefined, expired: false }
  }
}
