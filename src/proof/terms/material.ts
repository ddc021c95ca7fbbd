/** Unsigned transaction material, as a provider builds it and before it is proved. */
import type { Static } from 'typebox'
import { parseAddress } from '../../chains/address.ts'
import type { ChainDefinition } from '../../chains/definition.ts'
import type { Approval as Resource } from '../../runtime/resources/build.ts'

/** Permission that a wallet must give before its transaction can take the token (ERC-20 approve). */
export type Approval = Readonly<Static<typeof Resource>>

export type Material =
  | {
      readonly kind: 'evm'
      readonly to: string
      /** Calldata, 0x hex. */
      readonly data: string
      /** Wei, decimal. */
      readonly value: string
      readonly approval: Approval | null
      /** The output that the provider states, if it calculates again for a build, in base units, decimal. */
      readonly expectedOut?: string
      /** The sender and the chain, if the provider names them: they must agree with the order. */
      readonly from?: string
      readonly chainId?: number
    }
  | {
      readonly kind: 'solana'
      /** base64 */
      readonly transaction: string
      /** Of the blockhash that the gateway sets; null before: see ../solana/blockhash.ts. */
      readonly lastValidBlockHeight: number | null
      readonly extra: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'sui' /** base64 */; readonly transaction: string }
  | { readonly kind: 'ton'; readonly message: TonMessage }

export interface TonMessage {
  /** The contract that the wallet sends it to. */
  readonly to: string
  /** nanoTON, decimal. */
  readonly value: string
  /** base64 BOC */
  readonly payload: string
  readonly stateInit: string | null
  /** Unix seconds. */
  readonly validUntil: number
  /** The sender that the provider built it for. */
  readonly from: string
}

/**
 * The same material in the gateway's spelling: addresses with their checksum, amounts without leading zeros.
 * It is proved and handed out in this form. A malformed address or amount stays unchanged, for the proof to
 * refuse.
 */
export function normalizeAddresses(material: Material, chain: ChainDefinition): Material {
  if (material.kind !== 'evm') return material
  const { to, value, approval, from } = material
  const spelled = (address: string) => parseAddress(chain, address.toLowerCase()) ?? address
  return {
    ...material,
    to: spelled(to),
    value: /^\d{1,78}$/.test(value) ? BigInt(value).toString() : value,
    approval: approval && {
      ...approval,
      token: spelled(approval.token),
      spender: spelled(approval.spender),
    },
    ...(from !== undefined && { from: spelled(from) }),
  }
}
