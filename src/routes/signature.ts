import { isBase58Of } from '../chains/solana/base58.ts'
import { invalidParameter } from '../runtime/errors.ts'

/** @throws GatewayError  for what is no Solana signature */
export function requireSignature(text: string, field: string): void {
  if (isBase58Of(text, 64)) return
  const message = `\`${field}\` must be a Solana signature: base58 of 64 bytes.`
  throw invalidParameter(field, message)
}
