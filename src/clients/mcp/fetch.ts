import type { Fetch } from '../client/options.ts'

/** More than any answer has. */
const MAX_CHARACTERS = 16_777_216

/**
 * Reads no more than an answer can have, and follows no redirect: a gateway must not make this machine call
 * another host.
 */
export const boundedFetch: Fetch = async (url, init) => {
  const { status, headers, body } = await globalThis.fetch(url, { ...init, redirect: 'error' })
  const text = async (): Promise<string> => {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      if (text.length > MAX_CHARACTERS) throw new Error('The answer is too long.')
    }
    return text
  }
  return { status, headers, body, text }
}
