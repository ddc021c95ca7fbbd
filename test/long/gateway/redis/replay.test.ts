/** What a gateway with REDIS_URL records is replayed without Redis. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { decodeBase58, encodeBase58 } from '../../../../src/chains/solana/base58.ts'
import { parseRecordings } from '../../../../src/gateway/replay/file.ts'
import { replay } from '../../../../src/gateway/replay/replay.ts'
import { createLogger } from '../../../../src/runtime/log.ts'
import { runningClock } from '../../../fixtures/clock.ts'
import { call, listen, startPatient } from '../../../fixtures/gateway.ts'
import { skipWithoutRedis, startRedis, until } from '../../../fixtures/redis.ts'
import { EVM_WALLET, fund, getQuote, postBuild, SWAPS, USDC } from '../../../fixtures/swaps.ts'
import { DESTINATION, PAYER, serialize, transfer } from '../../../fixtures/transactions.ts'

const { log } = createLogger({ logLevel: 'silent' })
const PORTFOLIO = `/api/portfolio?address=${EVM_WALLET}&chains=base`

t.test(
  'a recording of a gateway with Redis is replayed without it',
  { skip: skipWithoutRedis() },
  async (t) => {
    const redis = await startRedis(t)
    const dir = t.testdir()
    const settings = {
      REDIS_URL: redis.url,
      QUOTE_SECRET: 's'.repeat(32),
      RPC_COMPAT: 'node',
      RECORD_DIR: dir,
    }
    const gateway = await listen(
      t,
      { ...settings, LIMITS: 'portfolio=1/300' },
      { clock: runningClock(), windowMs: 1e10, limitsAsPublic: true },
    )
    const { url, sandbox } = gateway
    await until(() => gateway.log.some(({ msg }) => `${msg}`.startsWith('redis answers')))
    for (const key of [PAYER.publicKey, DESTINATION]) await fund(sandbox!.solanaRpc, encodeBase58(key))

    const statuses: number[] = []
    const answer = async (reply: Promise<Response>) => {
      const response = await reply
      statuses.push(response.status)
      return response.json()
    }
    for (const swap of [SWAPS.base, SWAPS.solana]) {
      const quote = await answer(getQuote(url, swap))
      await answer(postBuild(url, { ...swap, quote }))
    }
    await answer(fetch(`${url}/api/token/base/${USDC.base}`))
    await answer(fetch(`${url}${PORTFOLIO}`))
    await answer(fetch(`${url}${PORTFOLIO},ethereum`))
    const latest = await answer(call(url, 'getLatestBlockhash', []))
    const { blockhash } = (latest as { result: { value: { blockhash: string } } }).result.value
    const signed = serialize(transfer({ blockhash: decodeBase58(blockhash, 32)! }))
    const send = () =>
      answer(call(url, 'sendTransaction', [Buffer.from(signed).toString('base64'), { encoding: 'base64' }]))
    const sent = await send()
    t.match(sent, { result: String })
    t.same(await send(), sent)
    const keys = redis.cli('KEYS', '*')
    for (const key of [/\{portfolio\}:window$/m, /\{kyberswap:calls:\w+\}:quota$/m, /:submission$/m])
      t.match(keys, key)
    await redis.kill()
    await answer(getQuote(url, { ...SWAPS.base, amount: '2' }))
    t.match(await answer(fetch(`${url}/api/health`)), { redis: 'away' })
    t.same(statuses, [200, 200, 200, 200, 200, 200, 429, 200, 200, 200, 200, 200])
    await gateway.stop()

    const recordings = readdirSync(dir).flatMap((name) =>
      parseRecordings(readFileSync(join(dir, name), 'utf8')),
    )
    t.equal(recordings.length, statuses.length)
    for (const recording of recordings) {
      const { isEqual, differences } = await replay(recording, startPatient, log)
      t.same({ isEqual, differences }, { isEqual: true, differences: [] }, recording.head.request.url)
    }
  },
)
