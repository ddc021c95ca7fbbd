/** Material in the forms that wallets take as they are. */
import t from 'tap'
import type { Hex } from 'viem'
import { startAnvil, withoutAnvil } from '../fixtures/anvil.ts'
import { listen } from '../fixtures/gateway.ts'
import { getQuote, postBuild, TON_WALLET, USDC } from '../fixtures/swaps.ts'

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'
const UNLIMITED = { LIMITS: 'swap=off' }

interface TransactionRequest {
  readonly from: Hex
  readonly to: Hex
  readonly data: Hex
  readonly value: Hex
}

interface SendTransaction {
  Method: 'eth_sendTransaction'
  Parameters: [request: TransactionRequest]
  ReturnType: Hex
}

async function built(url: string, order: Record<string, unknown>) {
  const quote = await (await getQuote(url, order as never)).json()
  const response = await postBuild(url, { ...order, quote } as never)
  const body = (await response.json()) as Record<string, unknown>
  t.equal(response.status, 200, JSON.stringify(body).slice(0, 300))
  return body
}

async function requests(url: string): Promise<readonly TransactionRequest[]> {
  const order = { chain: 'base', token: USDC.base, amount: '1.5', slippageBps: 100, from: WALLET }
  const crossing = new URLSearchParams({
    fromChain: 'base',
    toChain: 'arbitrum',
    amount: '0.25',
    from: WALLET,
    slippage: '0.01',
  })
  const answers = [
    await built(url, { ...order, side: 'buy' }),
    await built(url, { ...order, side: 'sell' }),
    (await (await fetch(`${url}/api/xquote?${crossing}`)).json()) as Record<string, unknown>,
  ]
  return answers.map(({ transactionRequest }) => transactionRequest as TransactionRequest)
}

t.test(
  'eth_sendTransaction takes the transaction requests of builds and crossings',
  { skip: withoutAnvil },
  async (t) => {
    const { client } = await startAnvil(t, 8_453)
    const { url } = await listen(t, UNLIMITED)
    await client.setBalance({ address: WALLET, value: 10n ** 20n })
    await client.impersonateAccount({ address: WALLET })
    const sent = await requests(url)
    t.same(
      sent.map((request) => Object.keys(request)),
      [
        ['from', 'to', 'chainId', 'data', 'value'],
        ['from', 'to', 'chainId', 'data', 'value'],
        ['from', 'to', 'chainId', 'data', 'value', 'gasPrice', 'gas'],
      ],
    )
    for (const request of sent) {
      const hash = await client.request<SendTransaction>({ method: 'eth_sendTransaction', params: [request] })
      const { status } = await client.waitForTransactionReceipt({ hash })
      t.equal(status, 'success')
      t.match(await client.getTransaction({ hash }), {
        chainId: 8_453,
        from: request.from.toLowerCase(),
        to: request.to.toLowerCase(),
        input: request.data,
        value: BigInt(request.value),
      })
    }
    t.equal(sent[0]!.value, '0x14d1120d7b160000')
  },
)

t.test("TonConnect's sendTransaction knows every member of tonConnect", async (t) => {
  const { url } = await listen(t, UNLIMITED)
  for (const side of ['buy', 'sell']) {
    const order = { chain: 'ton', side, token: USDC.ton, amount: '1.5', slippageBps: 100, from: TON_WALLET }
    const { tonMessage, tonConnect } = await built(url, order)
    const { to, value, payload, stateInit, validUntil, from } = tonMessage as Record<string, unknown>
    t.equal(stateInit, null, 'which TonConnect refuses')
    t.same(tonConnect, {
      validUntil,
      from,
      network: '-239',
      messages: [{ address: to, amount: value, payload }],
    })
  }
})
