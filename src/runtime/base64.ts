/**
 * Standard base64 from what both Node and browsers have, because wallets run the code that parses and proves
 * transactions. The platform's own decoders accept white space, missing padding and stray bits.
 *
 * Source: RFC 4648 section 4
 */

/** @returns null unless the text is exactly what its bytes encode to */
export function decodeBase64(text: string): Uint8Array | null {
  let binary: string
  try {
    binary = atob(text)
  } catch {
    return null
  }
  if (btoa(binary) !== text) return null
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** @param bytes  few: they become arguments of one call */
export const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
