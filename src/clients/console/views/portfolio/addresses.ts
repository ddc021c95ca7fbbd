/** Parses pasted addresses into the parameters of a portfolio. */

import type { PortfolioInput } from '../../../client/index.ts'
import words from './words.json' with { type: 'json' }

const EVM = /^0x[0-9a-f]{40}$/i
const SOLANA = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

/** @returns null for an empty text, an error message for anything but addresses */
export function readAddresses(text: string): Pick<PortfolioInput, 'address' | 'sol'> | string | null {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '')
  if (parts.length === 0) return null
  const evm = parts.filter((part) => EVM.test(part))
  const solana = parts.filter((part) => SOLANA.test(part))
  if (evm.length + solana.length < parts.length || evm.length > 1 || solana.length > 1) return words.addresses
  return { ...(evm[0] && { address: evm[0] }), ...(solana[0] && { sol: solana[0] }) }
}
