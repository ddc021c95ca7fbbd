/** What wallets of mainnet signed on TON and Sui, with those that they dealt with named: none of it is accused. */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { explain } from '../../src/explain/explain.ts'
import type { ExplainRequest } from '../../src/explain/types.ts'
import { readTonSample, type TonSample } from '../fixtures/ton-samples.ts'
import { readVectorLines, skipWithout } from '../fixtures/vectors.ts'

const SAMPLES = 'calldata/samples.jsonl'
const LIVE = 'live/sui.jsonl'

type Sample = ExplainRequest & { readonly source: string }
const collected = (): Sample[] =>
  JSON.parse(readFileSync(new URL('../fixtures/explain/honest.json', import.meta.url), 'utf8'))

/** That a part was not read is no accusation. @returns how many are read whole */
async function known(t: Test, samples: readonly Sample[]): Promise<number> {
  let count = 0
  for (const { source, ...request } of samples) {
    const { verdict, risks } = await explain(request)
    const accused = risks.filter(({ code, severity }) => code !== 'unknown_call' && severity !== 'info')
    t.same(accused, [], source)
    count += Number(verdict === 'known')
  }
  return count
}

t.test('bodies and transactions that were signed', async (t) => {
  const of = (chain: string) => collected().filter((sample) => sample.chain === chain)
  t.equal(await known(t, of('ton')), 11, 'of 20')
  t.equal(await known(t, of('sui')), 8, 'of 8')
})

t.test("swaps of a wallet's users on TON", { skip: skipWithout(SAMPLES) }, async (t) => {
  const swaps = readVectorLines<TonSample>(SAMPLES)
    .filter(({ origin }) => origin.startsWith('mytonwallet-org'))
    .map((sample): Sample => {
      const { to, value, payload, from } = readTonSample(sample).message
      const messages = [{ address: to, amount: value, payload }]
      return { source: sample.origin, chain: 'ton', owner: from, recent: [to], messages }
    })
  t.equal(await known(t, swaps), 6, `of ${swaps.length}: what unlisted pools give is not known`)
})

t.test('calls of exchanges and lenders on Sui', { skip: skipWithout(LIVE) }, async (t) => {
  const calls = readVectorLines<{ id: string; transaction: string }>(LIVE)
  const samples: Sample[] = []
  for (const { id, transaction } of calls) {
    const { actions } = await explain({ chain: 'sui', transaction })
    const recent = [...new Set(actions.flatMap(({ to }) => to ?? []))]
    samples.push({ source: id, chain: 'sui', transaction, recent })
  }
  t.equal(await known(t, samples), 0, 'their packages are not known')
})
