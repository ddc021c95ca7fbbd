/** Holds material to the contracts, programs and addresses that the operator allows. */
import type { Access } from '../chains/access.ts'
import { WireTransaction } from '../chains/solana/wire.ts'
import { GatewayError } from '../runtime/errors.ts'
import { addressIn, parseSuiTransaction } from './sui/ptb.ts'
import type { Material } from './terms/material.ts'

/**
 * @param material  proved
 * @throws GatewayError  contract_not_allowed
 */
export function requireAllowed(material: Material, access: Access, provider: string): void {
  if (!access.limitsMaterial) return
  const foreign = foreignIn(material, access)
  if (foreign === null) return
  const message = `What ${provider} built calls ${foreign}, or pays to it, which this gateway's operator does not allow. Ask for another token or amount, so that another contract is used.`
  throw new GatewayError('contract_not_allowed', message, { provider, address: foreign })
}

/** The first contract, program or account that is not allowed; null if all are. */
function foreignIn(material: Material, access: Access): string | null {
  const isForeign = (contract: string): boolean =>
    !access.allowsContract(contract) || access.refuses(contract)
  switch (material.kind) {
    case 'evm': {
      const { to, approval } = material
      return [to, ...(approval === null ? [] : [approval.spender])].find(isForeign) ?? null
    }
    case 'solana': {
      const wire = new WireTransaction()
      wire.parse(Buffer.from(material.transaction, 'base64'))
      return access.foreignProgram(wire)?.address ?? access.refusedAccount(wire)
    }
    case 'sui': {
      const parsed = parseSuiTransaction(Buffer.from(material.transaction, 'base64'))
      if (parsed === null || parsed === 'system') return 'what cannot be read'
      const { commands, inputs } = parsed
      const called = commands.flatMap((command) => (command.kind === 'call' ? [command.package] : []))
      const named = inputs.flatMap((input) => (input.kind === 'pure' ? (addressIn(input.bytes) ?? []) : []))
      return called.find(isForeign) ?? named.find((address) => access.refuses(address)) ?? null
    }
    case 'ton':
      return isForeign(material.message.to) ? material.message.to : null
  }
}
