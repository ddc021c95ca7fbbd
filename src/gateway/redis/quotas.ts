/**
 * The quotas that instances keep together towards an upstream, by the rules of
 * upstream/governor.ts, and the cooldown that a 429 to one instance means for all.
 * One script is one decision: it admits a call and spends its tokens in one step,
 * by Redis's own clock, so that nothing is spent twice and no two clocks are
 * compared.
 *
 *   {label:carries:fingerprint}  quota          credit, at, last, lastAt, othersAt
 *                                quota:<lane>   the same, of a lane's own
 *                                share:<client> credit, at
 *                                pause:<lane>   ends, probeAt
 *
 * A token bucket that would be full again is as good as none, so each key expires
 * then. A client's bucket is written only when a call is admitted: there are
 * never more of them than calls in the time that one takes to fill.
 */

import { GATEWAY } from '../../runtime/cancellation.ts'
import {
  ASKING_MS,
  LEFT_TO_NEWCOMERS,
  RESERVED_PERCENT,
  ROUNDING_MS,
  SHARES,
  shareOf,
} from '../../upstream/governor.ts'
import type {
  SharedAsk,
  SharedCooldown,
  SharedDecision,
  SharedLimits,
  UpstreamIdentity,
} from '../../upstream/shared-limits.ts'
import { script } from './script.ts'
import type { Store } from './store.ts'

/**
 * KEYS  the cooldown, then for each quota its bucket and the client's share of it
 * ARGV  now (ms; empty for Redis's own), the cooldown's probeMs (empty for a look),
 *       the reserve in percent, the client (empty for the gateway itself), then
 *       for each quota fullMs, costMs, shareMs and what is not booked yet
 *
 * It answers whole ms: the wait, the rest of the cooldown, the time until it may
 * be probed, and the rest of each quota that was looked at.
 */
const DECIDE = script(`
local SHARES, ASKING, ROUNDING = ${SHARES}, ${ASKING_MS}, ${ROUNDING_MS}
local ALL, ABOVE_RESERVE = ${LEFT_TO_NEWCOMERS.all}, ${LEFT_TO_NEWCOMERS.aboveReserve}
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end

-- Seventeen digits: a number is read back as what it was.
local function text(number) return string.format('%.17g', number) end

-- A clock that was set back neither adds nor takes anything.
local function credit(key, full, rate)
  local state = redis.call('HMGET', key, 'credit', 'at')
  local left, at = tonumber(state[1]), tonumber(state[2])
  if not left or not at then return full, false end
  return math.min(full, left + math.max(0, now - at) * rate), true
end

local function keep(key, left, ms)
  redis.call('HSET', key, 'credit', text(left), 'at', text(now))
  redis.call('PEXPIRE', key, math.ceil(ms) + 1)
end

local reply = { 0, 0, 0 }
local pause = redis.call('HMGET', KEYS[1], 'ends', 'probeAt')
local ends, probeAt = tonumber(pause[1]), tonumber(pause[2])
if ends and probeAt and now < ends then
  reply[2] = math.ceil(ends - now)
  reply[3] = math.max(0, math.ceil(math.min(probeAt, ends) - now))
  if reply[3] > 0 then return reply end
end

local reserved, client = tonumber(ARGV[3]), ARGV[4]
for i = 1, (#KEYS - 1) / 2 do
  local bucket, share = KEYS[2 * i], KEYS[2 * i + 1]
  local full, cost = tonumber(ARGV[4 * i + 1]), tonumber(ARGV[4 * i + 2])
  local shareFull, unbooked = tonumber(ARGV[4 * i + 3]), tonumber(ARGV[4 * i + 4])
  local function leaving(percent) return math.min(full * percent / 100, full - cost) + cost end

  local othersAt
  if client ~= '' then
    local asked = redis.call('HMGET', bucket, 'last', 'lastAt', 'othersAt')
    local lastAt = tonumber(asked[2])
    othersAt = tonumber(asked[3])
    if asked[1] ~= client and lastAt and now - lastAt < ASKING then
      othersAt = now
      redis.call('HSET', bucket, 'othersAt', text(now))
    end
    redis.call('HSET', bucket, 'last', client, 'lastAt', text(now))
  end

  local left = math.max(0, credit(bucket, full, 1) - unbooked)
  local wait = leaving(reserved) - left
  local shareLeft, isKept = 0, false
  if client ~= '' then
    shareLeft, isKept = credit(share, shareFull, 1 / SHARES)
    local isSpare = (not othersAt or now - othersAt >= ASKING)
      and left >= leaving(math.max(ALL, reserved + ABOVE_RESERVE)) - ROUNDING
    if not isSpare then wait = math.max(wait, (cost - shareLeft) * SHARES) end
  end

  local isSpent = wait <= ROUNDING
  if isSpent then
    left = math.max(0, left - cost)
    shareLeft = math.max(0, shareLeft - cost)
  end
  keep(bucket, left, math.max(full - left, ASKING))
  if client ~= '' and (isSpent or isKept) then keep(share, shareLeft, (shareFull - shareLeft) * SHARES) end
  reply[3 + i] = math.floor(left)
  if not isSpent then
    reply[1] = math.ceil(wait)
    return reply
  end
end

if reply[2] > 0 and ARGV[2] ~= '' then
  redis.call('HSET', KEYS[1], 'probeAt', text(now + tonumber(ARGV[2])))
end
return reply
`)

/** KEYS  the cooldown   ARGV  now (as above), leftMs, probeInMs */
const COOL_DOWN = script(`
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + time[2] / 1000
end
redis.call('HSET', KEYS[1], 'ends', string.format('%.17g', now + tonumber(ARGV[2])),
  'probeAt', string.format('%.17g', now + tonumber(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`)

/** No quota and no cooldown is longer: a longer span is not written by our instances. */
const MAX_MS = 7 * 86_400_000

/** The part of a store that limits use. */
export type LimitsStore = Pick<Store, 'key' | 'run' | 'command'>

export class RedisLimits implements SharedLimits {
  readonly #store: LimitsStore
  readonly #tag: string
  readonly #now: () => number | null

  /** @param now  replaces Redis's clock in tests, ms */
  constructor(
    store: LimitsStore,
    { label, carries, fingerprint }: UpstreamIdentity,
    now: () => number | null = () => null,
  ) {
    this.#store = store
    this.#tag = `${label}:${carries}:${fingerprint}`
    this.#now = now
  }

  async decide({ lane, quotas, priority, client, probeMs }: SharedAsk): Promise<SharedDecision | null> {
    const keys: [string, ...string[]] = [this.#key(`pause:${lane}`)]
    const isGateway = client === GATEWAY
    const args = [
      this.#nowText(),
      String(probeMs),
      String(RESERVED_PERCENT[priority]),
      isGateway ? '' : client,
    ]
    for (const { lane, sizes, unbookedMs } of quotas) {
      const own = lane === null ? '' : `:${lane}`
      keys.push(this.#key(`quota${own}`), this.#key(`share${own}:${shareOf(priority, client)}`))
      args.push(String(sizes.fullMs), String(sizes.costMs), String(sizes.shareMs), String(unbookedMs))
    }
    return decisionOf(await this.#store.run(DECIDE, keys, args), quotas.length)
  }

  async look(lane: string): Promise<SharedCooldown | null | undefined> {
    const args = [this.#nowText(), '', '0', '']
    const decision = decisionOf(await this.#store.run(DECIDE, [this.#key(`pause:${lane}`)], args), 0)
    return decision === null ? undefined : decision.cooldown
  }

  async startCooldown(lane: string, { leftMs, probeInMs }: SharedCooldown): Promise<boolean> {
    const args = [this.#nowText(), String(leftMs), String(probeInMs)]
    return (await this.#store.run(COOL_DOWN, [this.#key(`pause:${lane}`)], args)) === 1
  }

  endCooldown(lane: string): void {
    const key = this.#key(`pause:${lane}`)
    void this.#store.command(key, ['DEL', key])
  }

  #key(name: string): string {
    return this.#store.key(this.#tag, name)
  }

  #nowText(): string {
    const now = this.#now()
    return now === null ? '' : String(now)
  }
}

/** @returns null for a reply that the script cannot have given: other programs may write into Redis */
function decisionOf(reply: unknown, quotas: number): SharedDecision | null {
  if (!Array.isArray(reply) || !reply.every(isSpan)) return null
  const [waitMs, leftMs, probeInMs, ...creditsMs] = reply as number[]
  if (probeInMs === undefined || creditsMs.length > quotas) return null
  const isHeld = probeInMs > 0
  if (isHeld ? creditsMs.length > 0 : creditsMs.length < quotas && waitMs === 0) return null
  return { waitMs: waitMs!, cooldown: leftMs! > 0 ? { leftMs: leftMs!, probeInMs } : null, creditsMs }
}

function isSpan(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_MS
}
