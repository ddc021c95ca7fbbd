import { Buffer } from 'node:buffer'
import type { Fetch } from '../client/options.ts'

/** More than any answer has. */
const MAX_BYTES = 16_777_216

/** Reads no more than an answer can have, and follows nobody: a gateway may not make this machine ask another. */
export const boundedFetch: Fetch = async (url, init) => {
  const response = await globalThis.fetch(url, { ...init, redirect: 'error' })
  const { status, headers, body } = response
  const text = async (): Promise<string> => {
    const chunks: Uint8Array[] = []
    let bytes = 0
    for await (const chunk of body ?? []) {
      bytes += chunk.length
      if (bytes > MAX_BYTES) throw new Error(`The answer has more than ${MAX_BYTES} bytes.`)
      chunks.push(chunk)
    }
    return new TextDecoder().decode(Buffer.concat(chunks))
  }
  return { status, headers, body, text }
}
