/**
 * A bot's submit loop with @solana/web3.js: it signs, submits and polls until
 * the transaction has landed, and signs again only once the old one can no
 * longer land. It needs no WebSocket. One transaction at a time stays within
 * the default budgets.
 */
import { Connection } from '@solana/web3.js' // npm install @solana/web3.js@1

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
 * @param sign  makes the signed bytes for a blockhash; called again after a transaction has expired
 * @returns the signature of the transaction that landed
 */
export async function submit(connection, sign, { attempts = 3, pollMs = 400 } = {}) {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash()
    const signature = await connection.sendRawTransaction(await sign(blockhash))
    if (await hasLanded(connection, signature, lastValidBlockHeight, pollMs)) return signature
  }
  throw new Error(`None of ${attempts} transactions landed; each has expired.`)
}

/** @returns false once the transaction has expired; only then is it safe to sign another one */
export async function hasLanded(connection, signature, lastValidBlockHeight, pollMs = 400) {
  for (let poll = 1; ; poll++) {
    // Read the height before the status, so that a landing between the two is seen. Read it at
    // `finalized`, because one node may have a confirmed block that the next node lacks.
    const height = poll % 5 === 0 ? await connection.getBlockHeight('finalized') : 0
    const expired = height > lastValidBlockHeight
    const { value } = await connection.getSignatureStatuses([signature], {
      searchTransactionHistory: expired,
    })
    const status = value[0]
    if (status?.err) throw new Error(`${signature} landed and failed: ${JSON.stringify(status.err)}`)
    if (status?.confirmationStatus === 'confirmed' || status?.confirmationStatus === 'finalized') return true
    if (expired && status === null) return false
    await pause(Math.min(poll, 5) * pollMs)
  }
}
