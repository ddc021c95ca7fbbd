import t from 'tap'
import { proveRouter } from '../../../src/proof/evm/router.ts'
import type { GatewayError } from '../../../src/runtime/errors.ts'
import { evmOrder } from '../../fixtures/evm-orders.ts'
import { NOW } from '../../fixtures/provider.ts'

const ROUTER = '0x00000000000000000000000000000000000A11CE'
const ORDER = evmOrder('base', 'USDC', 'AERO', 250_000_000n)
const CLAIM = { order: ORDER, expectedOut: 300n, minOut: 291n, date: NOW }
const MATERIAL = {
  kind: 'evm',
  to: ROUTER,
  data: '0x12345678',
  value: '0',
  approval: { token: ORDER.tokenIn.address, spender: ROUTER, amount: '250000000' },
} as const

t.test("only a guard shows what a contract of the operator's gives, and to whom", async (t) => {
  const open = await proveRouter(MATERIAL, CLAIM, [ROUTER])
  t.match(open, { stated: ['recipient', 'minimum'], agreed: { receives: { atLeast: 291n } } })
  t.notOk('minOut' in open)
  const guarded = await proveRouter(MATERIAL, { ...CLAIM, order: { ...ORDER, guards: true } }, [ROUTER])
  t.match(guarded, { stated: { length: 0 }, minOut: '291' })
})

t.test('of any other contract nothing is proved', async (t) => {
  const rule = (contracts: readonly string[]) =>
    proveRouter(MATERIAL, CLAIM, contracts).then(
      () => null,
      (error: GatewayError) => error.fields.rule,
    )
  t.equal(await rule([]), 'to')
  t.equal(await rule([ORDER.tokenIn.address]), 'to')
  t.equal(await rule([ROUTER]), null)
})
