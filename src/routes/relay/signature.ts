import { isBase58Of } from '../../chains/solana/base58.ts'
import { invalidParameter } from '../../runtime/errors.ts'

/** @throws GatewayError  400 unless the text is a Solana signature */
export function requireSignature(text: string, field: string): void {
  if (isBase58Of(text, 64)) return
  const message = `\`${field}\` must be a Solana signature: base58 of 64 bytes.`
  throw invalidParameter(field, message)
}
