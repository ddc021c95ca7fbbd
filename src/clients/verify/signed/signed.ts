/** The verdict over what a wallet signed of what was built. */
import { encodeBase64 } from '../../../runtime/base64.ts'
import type { Confirmed, CrossChainOrder, SignedVerdict, SwapOrder, VerifySignedOptions } from '../types.ts'
import { objectOf } from '../verdict.ts'
import { verify } from '../verify.ts'
import { Changes, NOT_SIGNED, type Signed } from './changes.ts'

export { Changes }

/** See `verify.signed`. */
export async function verifySigned(
  order: SwapOrder | CrossChainOrder,
  built: unknown,
  signed: unknown,
  options: VerifySignedOptions = {},
): Promise<SignedVerdict> {
  const verdict = await verify(order, built, options)
  if (!verdict.isVerified) {
    const { rule, message } = verdict
    return { isVerified: false, rule, message, id: null, changes: [], notBound: [] }
  }
  const changes = new Changes()
  const { id, isAsBuilt } = await compare(changes, order, built, verdict, signed, options)
  const { list, notBound } = changes
  const found = { id, changes: list, notBound }
  const refused = list.find(({ isAllowed }) => !isAllowed)
  if (refused !== undefined) {
    const message = `What was signed ${refused.words}.`
    return { isVerified: false, rule: `signed_${refused.kind}`, message, ...found }
  }
  // A bare signature or hash proves the built transaction, or nothing.
  if (!isAsBuilt && list.length === 0) {
    const message = `Not proved: ${notBound.join(', and ')}.`
    return { isVerified: false, rule: 'signed', message, ...found }
  }
  return { isVerified: true, ...found, verdict }
}

/** Names each difference between the two. It never throws: what can't be read is a difference. */
export async function compare(...asked: Parameters<typeof compareBy>): Promise<Signed> {
  const [changes] = asked
  try {
    return await compareBy(...asked)
  } catch (error) {
    changes.refuse('form', `can't be read: ${error instanceof Error ? error.message : error}`)
    return NOT_SIGNED
  }
}

async function compareBy(
  changes: Changes,
  { from }: Pick<SwapOrder, 'from'>,
  built: unknown,
  { send, facts: { spends, receives } }: Confirmed,
  signed: unknown,
  { tables, maxPriorityFee }: VerifySignedOptions,
): Promise<Signed> {
  switch (send.family) {
    case 'evm': {
      const { compareEvm } = await import('./compare-evm.ts')
      return compareEvm(signed, send, shownGas(built), changes)
    }
    case 'solana': {
      const body = signed instanceof Uint8Array ? encodeBase64(signed) : signed
      if (typeof body !== 'string') break
      const { compareSolana } = await import('./compare-solana.ts')
      const limits = {
        mints: [spends.token, receives.token],
        ...(tables && { tables }),
        ...(maxPriorityFee !== undefined && { maxPriorityFee }),
      }
      return compareSolana(body, send.transaction, from, limits, changes)
    }
    case 'sui':
    case 'ton':
      if (typeof signed !== 'string') break
      changes.leave('what wallets of this chain sign is not read')
      return { id: signed, isAsBuilt: false }
  }
  changes.leave('it is no text: neither a transaction nor its id')
  return NOT_SIGNED
}

/** What the answer shows for gas, wei. */
function shownGas(built: unknown): bigint | null {
  const { costs } = objectOf(built)
  const shown = Array.isArray(costs) ? costs.find((cost) => cost?.kind === 'network_fee')?.amount : null
  return typeof shown === 'string' && /^\d{1,30}$/.test(shown) ? BigInt(shown) : null
}
