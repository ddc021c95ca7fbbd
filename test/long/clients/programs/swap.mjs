/** A quote and a build, as the programs beside this file need them. */
const { GATEWAY } = process.env

export const USDC_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
export const USDC_SOLANA = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

async function json(path, body) {
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const response = await fetch(GATEWAY + path, init)
  const answer = await response.json()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`)
  return answer
}

/** @returns the answer of /api/build */
export async function buildSwap(order) {
  const quote = await json(`/api/quote?${new URLSearchParams(order)}`)
  return json('/api/build', { ...order, quote })
}

/** Of 250 USDC on Base, which every wallet of the sandbox has. */
export const sellUsdc = (from) =>
  buildSwap({ chain: 'base', side: 'sell', token: USDC_BASE, amount: '250', from })

/** What the test reads. */
export const tell = (found) => process.stdout.write(JSON.stringify(found))
