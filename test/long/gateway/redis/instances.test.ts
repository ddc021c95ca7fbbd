/** Four processes that share their budgets, with Redis at its best and at its worst. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { allSee, Clients, type Outcome, startInstances } from '../../../fixtures/instances.ts'
import { skipWithoutRedis, startRedis, until } from '../../../fixtures/redis.ts'

const skip = skipWithoutRedis()

const PASSWORD = 'canary-4b1d9e'
/** What a submission is answered with that a budget paid for: its signature does not hold. */
const ADMITTED = 400
const REFUSED = 429
/** Where Redis is paused, what waits for it goes on soon. */
const HURRIED = { REDIS_ANSWER_MS: '500' }
/** Between two requests of a client, so that the load leaves the machine room for others. */
const PAUSE_MS = 10

const INFO = 30
const WARN = 40

const count = (outcomes: readonly Outcome[], status: number): number =>
  outcomes.filter((outcome) => outcome.status === status).length

t.test('four instances count together', { skip }, async (t) => {
  const redis = await startRedis(t, '--requirepass', PASSWORD)
  const instances = await startInstances(t, 4, {
    REDIS_URL: redis.url,
    LIMITS: 'rpcSend=10/200,rpcBatch=10/1000,rpcRead=off/100',
    ADMIN_PORT: '0',
  })
  const clients = new Clients(t)

  await t.test('admit of a burst of twice a budget exactly the budget', async (t) => {
    // Forty clients with ten requests each, of 200 in all.
    const burst = await Promise.all(
      Array.from({ length: 400 }, (_, i) => clients.send(instances[i % 4]!, i % 40, 'rpcSend')),
    )
    t.equal(count(burst, ADMITTED), 200)
    t.equal(count(burst, REFUSED), 200)
    for (const { status, headers } of burst) {
      if (status !== REFUSED) continue
      t.match(headers, { 'retry-after': /^\d+$/, ratelimit: /"rpcSend-global";r=0;/ })
    }
  })

  await t.test('admit of a burst of twice what each client has exactly that', async (t) => {
    // Ten clients with twenty each, over all instances, of which each has ten.
    const burst = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const client = i % 10
        return { client, ...(await clients.send(instances[(i >> 1) % 4]!, client, 'rpcBatch')) }
      }),
    )
    for (let client = 0; client < 10; client++) {
      const own = burst.filter((outcome) => outcome.client === client)
      t.equal(count(own, ADMITTED), 10, `client ${client}`)
      t.equal(count(own, REFUSED), 10, `client ${client}`)
    }
    const { headers } = await clients.send(instances[0]!, 99, 'rpcBatch')
    t.match(headers.ratelimit, /"rpcBatch-client";r=9;.*"rpcBatch-global";r=899;/, 'a refusal costs neither')
  })

  await t.test('go on without Redis from what each saw last, and say so', async (t) => {
    const burst = async (times: number): Promise<number> => {
      const sent = Array.from({ length: times }, (_, i) => clients.send(instances[i % 4]!, i, 'rpcRead'))
      return times - count(await Promise.all(sent), REFUSED)
    }
    t.equal(await burst(76), 76)
    // One after the other, so that what each saw last is known: 77, 78, 79 and 80 of 100.
    for (const instance of instances) await clients.send(instance, 1, 'rpcRead')

    await redis.kill()
    await allSee(instances, 'away')
    t.equal(await burst(200), 23 + 22 + 21 + 20, 'each has what it saw left')

    await redis.restart()
    await allSee(instances, 'ok')
    t.equal(await burst(40), 0, 'a new Redis knows from them what they admitted')
    for (const instance of instances) {
      const last = () =>
        instance
          .log()
          .filter(({ msg }) => msg.startsWith('redis '))
          .slice(-3)
      await until(() => last().length === 3 && last()[2]!.level === INFO)
      t.match(last(), [
        { level: INFO, msg: /^redis answers/ },
        { level: WARN, msg: /^redis is away/, cause: String },
        { level: INFO, msg: /^redis answers/ },
      ])
    }
  })

  await t.test('give the password of Redis away nowhere', async (t) => {
    for (const instance of instances) {
      const adminUrl = /"adminUrl":"([^"]+)"/.exec(instance.text())![1]
      const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
      t.match(metrics, /^swapgate_redis_up 1$/m)
      t.match(metrics, /^swapgate_budget_decisions_total\{place="shared"\} [1-9]/m)
      t.match(metrics, /^swapgate_budget_decisions_total\{place="local"\} [1-9]/m)
      const paths = ['/api/health', '/api/config', '/api/diagnostics']
      const answers = await Promise.all(paths.map(async (path) => (await fetch(instance.url + path)).text()))
      t.notMatch([instance.text(), metrics, ...answers].join('\n'), /canary/i)
    }
  })
})

t.test('four instances in a hurry', { skip }, async (t) => {
  const redis = await startRedis(t)
  const instances = await startInstances(t, 4, {
    ...HURRIED,
    REDIS_URL: redis.url,
    LIMITS: 'rpcSend=off/100,rpcBatch=10/1000000',
  })
  const clients = new Clients(t)

  await t.test('let a Redis that is killed, started and paused fail no request', async (t) => {
    const outcomes: Outcome[] = []
    let isOver = false
    const load = Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        // Each a client of its own, whose budget has room: what fails is for want of Redis.
        while (!isOver) {
          outcomes.push(await clients.send(instances[i % 4]!, outcomes.length, 'rpcBatch'))
          await sleep(PAUSE_MS)
        }
      }),
    )
    /** Redis may be away and stay so: none of these is held up by it, or it would never come to an end. */
    const more = async (): Promise<void> => {
      const before = outcomes.length
      await until(() => outcomes.length > before + 100)
    }
    await more()
    await redis.kill()
    await allSee(instances, 'away')
    await more()
    await redis.restart()
    await allSee(instances, 'ok')
    await more()
    redis.pause()
    await allSee(instances, 'away')
    await more()
    redis.resume()
    await allSee(instances, 'ok')
    await more()
    isOver = true
    await load

    t.equal(count(outcomes, ADMITTED), outcomes.length)
  })

  await t.test('have nobody have more than each saw left where Redis hangs', async (t) => {
    const burst = (times: number): Promise<Outcome[]> =>
      Promise.all(Array.from({ length: times }, (_, i) => clients.send(instances[i % 4]!, i, 'rpcSend')))
    let admitted = count(await burst(60), ADMITTED)
    let leftToEach = 0
    for (const instance of instances) {
      const { status, headers } = await clients.send(instance, 1, 'rpcSend')
      admitted += status === ADMITTED ? 1 : 0
      leftToEach += Number(/"rpcSend-global";r=(\d+)/.exec(String(headers.ratelimit))![1])
    }
    redis.pause()
    // Some are asked before it is known to be away: they wait, and go on alone.
    const alone = count(await burst(400), ADMITTED)
    t.ok(alone <= leftToEach, `${alone} of ${leftToEach}`)
    await allSee(instances, 'away')
    redis.resume()
    await allSee(instances, 'ok')
    const after = count(await burst(40), ADMITTED)
    t.equal(after, 0)
    t.ok(admitted + alone >= 100, 'and the budget itself is there for all that')
  })
})
