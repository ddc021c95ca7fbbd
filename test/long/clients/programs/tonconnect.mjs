import { TonConnect } from '@tonconnect/sdk'
import { buildSwap, tell } from './swap.mjs'

const USDT = 'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs'
const storage = { setItem: async () => {}, getItem: async () => null, removeItem: async () => {} }
const connector = new TonConnect({
  manifestUrl: 'https://swap.example/manifest.json',
  storage,
  analytics: { mode: 'off' },
})
const from = 'EQCM3B12QK1e4yZSf8GtBRT0aLMNyEsBc_DhVfRRtOEffLez'
const errors = {}
for (const side of ['buy', 'sell']) {
  const { tonConnect, tonMessage } = await buildSwap({ chain: 'ton', side, token: USDT, amount: '0.5', from })
  const nameOf = (request) =>
    connector.sendTransaction(request).catch(({ name, message }) => `${name} ${message}`)
  // The request is validated before the connection.
  errors[side] = await nameOf(tonConnect)
  errors.wrong = await nameOf({ ...tonConnect, messages: [tonMessage] })
}
tell(errors)
process.exit()
