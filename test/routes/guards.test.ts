/** Guarded builds and cross-chain quotes, over a gateway as it is started, and as a wallet verifies them. */
import t from 'tap'
import type { Hex } from 'viem'
import { verify } from '../../src/clients/verify/index.ts'
import { CLOCK } from '../../src/runtime/clock.ts'
import type { BuildResult } from '../../src/runtime/resources/build.ts'
import { movedClock, STILL } from '../fixtures/clock.ts'
import { bundle6, executeBatch, SENDER, sign } from '../fixtures/evm-forms.ts'
import { listen } from '../fixtures/gateway.ts'
import { payment, rewritten } from '../fixtures/solana-forms.ts'
import {
  EVM_WALLET,
  fund,
  getCrossChain,
  getQuote,
  postBuild,
  SOLANA_WALLET,
  SUI_WALLET,
  USDC,
} from '../fixtures/swaps.ts'

const clock = movedClock({ ...STILL, after: CLOCK.after })

type Json = Readonly<Record<string, unknown>>

t.test('builds are guarded where the chain can check, and say by what', async (t) => {
  const { url, sandbox } = await listen(t, { LIMITS: 'swap=off' }, { clock })
  await fund(sandbox!.solanaRpc)
  const build = async (order: Json, more: Json = {}) => {
    const quote = (await (await getQuote(url, order as never)).json()) as Json
    const response = await postBuild(url, { ...order, quote, guards: true, ...more } as never)
    return { quote, status: response.status, body: (await response.json()) as BuildResult & Json }
  }
  const buys = { side: 'buy', amount: '0.1' }
  const solana = { ...buys, chain: 'solana', token: USDC.solana, from: SOLANA_WALLET }
  const base = { ...buys, chain: 'base', token: USDC.base, from: EVM_WALLET }
  for (const order of [solana, base]) {
    const { status, body, quote } = await build(order)
    t.equal(status, 200, JSON.stringify(body))
    const by = order === solana ? 'transaction' : 'calls'
    t.match(body, { guards: { by, enforced: [{ atLeast: /^[1-9]/ }] } })
    t.equal(typeof body.headroomBytes, order === solana ? 'number' : 'undefined')
    const asked = { ...order, minOut: String(quote.minOut), guards: true } as never
    const verdict = await verify(asked, body, { now: clock.date })
    t.match(verdict, { isVerified: true }, JSON.stringify(verdict))
    const open = await build(order, { guards: false })
    t.equal(open.body.guards, undefined)
    if (order === base && verdict.isVerified && verdict.send.family === 'evm') {
      const { calls, ...batch } = verdict.send.calls
      const signedAs = async (list: typeof calls, atomicRequired = true) => {
        const form = { ...batch, calls: list, atomicRequired }
        const signed = await verify.signed(asked, body, form, { now: clock.date })
        return signed.isVerified ? null : signed.rule
      }
      t.equal(verdict.send.transactions.length, calls.length - 1)
      t.equal(await signedAs(calls), null, 'as it was built')
      t.equal(await signedAs(calls.slice(0, -1)), 'signed_guards', 'without the guard')
      t.equal(await signedAs(calls, false), 'signed_guards', 'where the guard may fail alone')
      t.equal(await signedAs(calls.slice(-1)), 'signed_missing', 'the guard alone')
      const list = calls.map(({ to, data, value }) => ({
        to: to as Hex,
        data: data as Hex,
        value: BigInt(value),
      }))
      const own = { wallet: EVM_WALLET as Hex, key: '', chainId: Number(batch.chainId) }
      const [swaps, guard] = [list.slice(0, -1), list.slice(-1)].map((part) =>
        executeBatch({ ...own, calls: part }),
      ) as [Hex, Hex]
      const whole = { ...own, calls: list }
      for (const [bundle, rule] of [
        [bundle6(whole), null],
        [bundle6(whole, guard, '0x', swaps, own.wallet), 'signed_guards'],
      ] as const) {
        const transaction = sign(SENDER.privateKey, own.chainId, bundle)
        const signed = await verify.signed(asked, body, transaction, { now: clock.date })
        t.equal(signed.isVerified ? null : signed.rule, rule, 'EntryPoint undoes only what fails')
      }
    }
    t.match(await verify(asked, open.body, { now: clock.date }), { isVerified: false, rule: 'guards' })
  }
  const sui = await build({ ...buys, amount: '10', chain: 'sui', token: USDC.sui, from: SUI_WALLET })
  t.match(sui, { status: 200, body: { guards: { by: 'material' } } })
  const scroll = await build(base, { chain: 'scroll' })
  t.match(scroll, { status: 400, body: { code: 'invalid_parameter', field: 'guards' } })
})

t.test('what leaves Solana for another chain is guarded, too', async (t) => {
  const { url, sandbox } = await listen(t, { LIMITS: 'swap=off' }, { clock })
  await fund(sandbox!.solanaRpc)
  const order = { fromChain: 'solana', toChain: 'base', amount: '0.1', from: SOLANA_WALLET, to: EVM_WALLET }
  const response = await getCrossChain(url, { ...order, guards: true } as never)
  const body = (await response.json()) as Json & { estimate: { toAmountMin: string } }
  t.equal(response.status, 200, JSON.stringify(body))
  t.match(body, {
    guards: { by: 'transaction', enforced: [{ account: SOLANA_WALLET, token: 'native' }] },
    headroomBytes: Number,
    verification: { checks: /guards/ },
  })
  const asked = { ...order, minOut: body.estimate.toAmountMin, guards: true }
  const accept = [
    'outcome',
    'demands',
    'minimum',
    'recipient',
    'amount',
    'destination_chain',
    'received_token',
  ]
  const verdict = await verify(asked, body, { accept, now: clock.date })
  t.match(verdict, { isVerified: true }, JSON.stringify(verdict))
  // A guard that stands before the bridge shows nothing of what it does.
  const open = (await (await getCrossChain(url, order as never)).json()) as Json
  const toItself = payment(SOLANA_WALLET, SOLANA_WALLET, 1n)
  const key = new Uint8Array(32).fill(7)
  for (const [place, rule] of [
    ['before', 'guards'],
    ['after', null],
  ] as const) {
    const signed = rewritten(String(open.solanaTransaction), key, { [place]: [toItself] })
    const solanaTransaction = Buffer.from(signed, 'base64').fill(0, 1, 65).toString('base64')
    const verdict = await verify(asked, { ...open, solanaTransaction }, { accept, now: clock.date })
    t.equal(verdict.isVerified ? null : verdict.rule, rule, place)
  }
  const evm = { fromChain: 'base', toChain: 'solana', amount: '0.1', from: EVM_WALLET, to: SOLANA_WALLET }
  const fromEvm = (await (await getCrossChain(url, { ...evm, guards: true } as never)).json()) as Json
  t.match(fromEvm, { guards: { by: 'material' } }, 'nothing arrives there')
})
