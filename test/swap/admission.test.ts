import t from 'tap'
import { KNOWN_MAYAN } from '../../src/proof/sui/mctp.ts'
import { GatewayError } from '../../src/runtime/errors.ts'
import { Market } from '../../src/sandbox/market/market.ts'
import { admit } from '../../src/swap/admission.ts'
import type { Fair } from '../../src/swap/fair.ts'
import { OPTIONS } from '../fixtures/provider.ts'
import { uninformed } from '../fixtures/uninformed.ts'
import { crossChain, WALLETS } from '../fixtures/xprov.ts'

const market = new Market()
const { evm, solana, sui } = WALLETS
const FROM_SOLANA = crossChain(market, ['solana', 'USDC', solana], ['base', null, evm], 5_000_000n)
const FROM_SUI = crossChain(market, ['sui', null, sui], ['base', null, evm], 10n ** 10n)
const TO_SUI = crossChain(market, ['base', null, evm], ['sui', null, sui], 10n ** 16n)

const suiObjects = { mayan: async () => KNOWN_MAYAN, metadataOf: async () => null }
const rules = { ...uninformed(), minimum: 'simulated', priceMs: 1_000, suiObjects } as const
const fair = (out: bigint | null, floor: bigint | null): (() => Promise<Fair>) => {
  return async () => ({ out, floor, sources: ['one', 'two'] })
}
const refusal = async (asked: Promise<unknown>): Promise<GatewayError> => {
  try {
    await asked
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error('It was admitted.')
}

t.test('a wallet needs what it sells, and what the network takes on top', async (t) => {
  const held = (tokens: bigint, lamports: bigint) => async (_chain: unknown, token: { isNative: boolean }) =>
    token.isNative ? lamports : tokens
  const enough = 2_935_160n
  const before = { ...rules, solana: { perByte: 6_960n, perSignature: 5_000n } }
  await admit(FROM_SOLANA, { ...before, heldOf: held(5_000_000n, enough) }, OPTIONS)
  const now = { ...rules, solana: { perByte: 696n, perSignature: 5_000n } }
  await admit(FROM_SOLANA, { ...now, heldOf: held(5_000_000n, 298_016n) }, OPTIONS)
  await refusal(admit(FROM_SOLANA, { ...now, heldOf: held(5_000_000n, 298_015n) }, OPTIONS))
  await admit(FROM_SOLANA, { ...rules, heldOf: held(5_000_000n, 0n) }, OPTIONS)
  const cases = [
    [4_999_999n, enough, '5000000', '4999999', /holds 4\.999999 of EPjF.*, and needs 5\. Without/],
    [5_000_000n, enough - 1n, '2935160', '2935159', /holds 0\.002935159 SOL, and needs 0\.00293516 SOL with/],
    [0n, 0n, '5000000', '0', /holds 0 of EPjF/],
  ] as const
  for (const [tokens, lamports, required, available, says] of cases) {
    const { code, fields, message } = await refusal(
      admit(FROM_SOLANA, { ...before, heldOf: held(tokens, lamports) }, OPTIONS),
    )
    t.equal(code, 'insufficient_balance')
    t.same(fields, { field: 'from', required, available })
    t.match(message, says)
  }
})

t.test('if no node reports it, and the execution is not required, the order continues', async (t) => {
  const down = async () => {
    throw new GatewayError('upstream_timeout', 'No answer.')
  }
  await admit(FROM_SOLANA, { ...rules, heldOf: down }, OPTIONS)
  await admit(FROM_SOLANA, { ...rules, heldOf: async () => null }, OPTIONS)
  await admit(FROM_SOLANA, { ...rules, minimum: 'stated', heldOf: async () => 0n }, OPTIONS)
  const broken = async () => {
    throw new TypeError('a bug')
  }
  await t.rejects(admit(FROM_SOLANA, { ...rules, heldOf: broken }, OPTIONS), TypeError)
})

t.test('what a swap to USDC must leave is the floor of its worth, and never less than half', async (t) => {
  const leastOf = async (out: bigint | null, floor: bigint | null) => {
    const admitted = await admit(FROM_SUI, { ...rules, minimum: 'stated', fairOf: fair(out, floor) }, OPTIONS)
    return admitted.sui!.leastBurnt
  }
  t.equal(await leastOf(1_000n, 900n), 900n)
  t.equal(await leastOf(1_000n, 500n), 500n)
  t.equal(await leastOf(1_000n, 499n), null, 'the pools are too thin')
  t.equal(await leastOf(1_000n, null), 900n, 'without a floor of the operator’s')
  t.equal(await leastOf(null, null), null)
  const unpriced = await refusal(admit(FROM_SUI, { ...rules, fairOf: fair(null, null) }, OPTIONS))
  t.match(unpriced, { code: 'unsupported_route', fields: { field: 'fromToken' } })
})

t.test('an undescribed coin on Sui is not requested, unless unproved material is allowed', async (t) => {
  const refused = await refusal(admit(TO_SUI, rules, OPTIONS))
  t.match(refused, { code: 'unsupported_route', fields: { field: 'toToken' } })
  t.same(await admit(TO_SUI, { ...rules, minimum: 'stated' }, OPTIONS), {})
  const told = { ...suiObjects, metadataOf: async () => '0x7' }
  t.same(await admit(TO_SUI, { ...rules, suiObjects: told }, OPTIONS), { metadataOut: '0x7' })
  const { metadataOut } = await admit(TO_SUI, { ...uninformed(), minimum: 'proved', priceMs: 1 }, OPTIONS)
  t.match(metadataOut, /^0x9258181f/, "the chain's definition knows SUI")
})
