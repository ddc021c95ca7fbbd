/**
 * The time that proving adds to a build: reading the built material in full, by family,
 * and a simulation at a node on loopback.
 */

import { encodeBase58 } from '../../src/chains/solana/base58.ts'
import { WRAPPED_SOL_MINT } from '../../src/chains/solana/programs.ts'
import { simulateSolana } from '../../src/proof/simulation/solana.ts'
import { startSandbox } from '../../src/sandbox/index.ts'
import { materialIn } from '../../test/fixtures/classes/material-in.ts'
import { proveKyberswap, proveVelora } from '../../test/fixtures/hostile/evm-swaps.ts'
import { proveHonest as proveJupiter } from '../../test/fixtures/hostile/jupiter.ts'
import { CASES, prove as proveTon } from '../../test/fixtures/hostile/ton.ts'
import { encode, HONEST, tryCall } from '../../test/fixtures/lifi.ts'
import type { Fields } from '../../test/fixtures/theft/thief.ts'
import { type Loop, measure } from '../figures/measure.ts'
import { type BenchReport, type Claim, spread, type Timing, toReport } from '../figures/report.ts'

/** The most that the proof of the bytes may take, ns. */
const BOUND = 500_000
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const WALLET = encodeBase58(new Uint8Array(32).fill(7))

export async function benchProofs(): Promise<BenchReport> {
  const ton = CASES[0]!
  const rows = [
    await measure(
      'KyberSwap: calldata of a swap',
      proving(() => proveKyberswap()),
    ),
    await measure(
      'Velora: calldata of a swap',
      proving(() => proveVelora()),
    ),
    await measure(
      'Jupiter: a transaction',
      proving(() => proveJupiter()),
    ),
    await processor('LI.FI: each bridge in turn', bridges()),
    await measure(
      'TON: a message',
      proving(() => proveTon(ton, ton.honest)),
    ),
  ]
  const claims: Claim[] = rows.map(({ name, ns }) => ({
    what: `proof, ${name}, ns`,
    figure: ns,
    is: 'at most',
    bound: BOUND,
  }))
  const simulated = await simulation()
  return toReport('Proofs', TEXT, [...rows, simulated], claims)
}

function proving(prove: () => unknown): Loop {
  return async (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) if ((await prove()) !== undefined) sum++
    return sum
  }
}

const SAMPLES = 7
const CALLS = 200

/** Measures processor time instead of wall-clock time, which would include the machine's other work. */
async function processor(name: string, loop: Loop): Promise<Timing> {
  await loop(5 * CALLS)
  const samples: number[] = []
  for (let i = 0; i < SAMPLES; i++) {
    const before = process.cpuUsage()
    await loop(CALLS)
    const { user, system } = process.cpuUsage(before)
    samples.push(((user + system) * 1_000) / CALLS)
  }
  return { name, ns: spread(samples) }
}

function bridges(): Loop {
  const calls = HONEST.map((call) => [call, encode(call)] as const)
  for (const [call, data] of calls) {
    if (typeof tryCall(call, data) === 'string') throw new Error(`The honest call ${call.name} must pass.`)
  }
  let next = 0
  return (times) => {
    let sum = 0
    for (let i = 0; i < times; i++) {
      if (typeof tryCall(...calls[next]!) !== 'string') sum++
      next = (next + 1) % calls.length
    }
    return sum
  }
}

/** Simulates a swap by Jupiter at the sandbox's node. */
async function simulation() {
  const sandbox = await startSandbox()
  try {
    const ask = async (method: string, params: readonly unknown[]): Promise<string> => {
      const response = await fetch(sandbox.solanaUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return JSON.stringify(((await response.json()) as { result: unknown }).result)
    }
    await ask('requestAirdrop', [WALLET, 2_000_000_000])
    const query = new URLSearchParams({
      inputMint: WRAPPED_SOL_MINT,
      outputMint: USDC,
      amount: '100000000',
      taker: WALLET,
    })
    const answer = await (await fetch(`${sandbox.urls.jupiter}/swap/v2/build?${query}`)).json()
    const { transaction } = materialIn('jupiter', answer as Fields, null as never) as { transaction: string }
    const simulate = () => simulateSolana(transaction, WALLET, ask)
    if ('failed' in (await simulate())) throw new Error('The wallet must be able to pay.')
    return await measure('Solana: simulated at a node on loopback', proving(simulate))
  } finally {
    await sandbox.close()
  }
}

const TEXT = `Reading the built material in full: calldata is decoded and encoded again. The target is half a millisecond. LI.FI's row is
processor time. The simulation's row includes its two calls and the work of the sandbox's virtual machine, during which
the gateway is idle.`
