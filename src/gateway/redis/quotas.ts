/**
 * The quotas that instances keep together towards an upstream, by the rules of
 * upstream/admission/governor.ts, and the cooldown that a 429 to one instance means for all.
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

import { GATEWAY } from '../../flow/cancellation.ts'
import {
  ASKING_MS,
  LEFT_TO_NEWCOMERS,
  RESERVED_PERCENT,
  ROUNDING_MS,
  SHARES,
  shareOf,
} from '../../upstream/admission/governor.ts'
import type {
  SharedAsk,
  SharedCooldown,
  SharedDecision,
  SharedLimits,
  UpstreamIdentity,
} from '../../upstream/admission/shared-limits.ts'
import coolDown from './cool-down.lua'
import decideCall from './decide-call.lua'
import fields from './fields.lua'
import { runScript, type ScriptStore } from './run-script.ts'
import { script } from './script.ts'
import type { Store } from './store.ts'

/** No quota and no cooldown is longer: a longer span is not written by our instances. */
const MAX_MS = 7 * 86_400_000

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
${fields}
local MAX_MS = ${MAX_MS}
local SHARES, ASKING, ROUNDING = ${SHARES}, ${ASKING_MS}, ${ROUNDING_MS}
local ALL, ABOVE_RESERVE = ${LEFT_TO_NEWCOMERS.all}, ${LEFT_TO_NEWCOMERS.aboveReserve}
${decideCall}`)

/** KEYS  the cooldown   ARGV  now (as above), leftMs, probeInMs */
const COOL_DOWN = script(`${fields}
${coolDown}`)

/** The part of a store that limits use. */
export type LimitsStore = ScriptStore & Pick<Store, 'command'>

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
    return (await this.#decide(keys, args, quotas.length)) ?? null
  }

  async look(lane: string): Promise<SharedCooldown | null | undefined> {
    const args = [this.#nowText(), '', '0', '']
    return (await this.#decide([this.#key(`pause:${lane}`)], args, 0))?.cooldown
  }

  async startCooldown(lane: string, { leftMs, probeInMs }: SharedCooldown): Promise<boolean> {
    const args = [this.#nowText(), String(leftMs), String(probeInMs)]
    return (await runScript(this.#store, COOL_DOWN, [this.#key(`pause:${lane}`)], args, doneOf)) ?? false
  }

  endCooldown(lane: string): void {
    const key = this.#key(`pause:${lane}`)
    // It never rejects, and its result does not matter.
    void this.#store.command(key, ['DEL', key])
  }

  #decide(
    keys: readonly [string, ...string[]],
    args: readonly string[],
    quotas: number,
  ): Promise<SharedDecision | undefined> {
    return runScript(this.#store, DECIDE, keys, args, (reply) => decisionOf(reply, quotas))
  }

  #key(name: string): string {
    return this.#store.key(this.#tag, name)
  }

  #nowText(): string {
    const now = this.#now()
    return now === null ? '' : String(now)
  }
}

const doneOf = (reply: unknown): true | undefined => (reply === 1 ? true : undefined)

function decisionOf(reply: unknown, quotas: number): SharedDecision | undefined {
  if (!Array.isArray(reply) || !reply.every(isSpan)) return undefined
  const [waitMs, leftMs, probeInMs, ...creditsMs] = reply as number[]
  if (probeInMs === undefined || creditsMs.length > quotas) return undefined
  const isHeld = probeInMs > 0
  if (isHeld ? creditsMs.length > 0 : creditsMs.length < quotas && waitMs === 0) return undefined
  return { waitMs: waitMs!, cooldown: leftMs! > 0 ? { leftMs: leftMs!, probeInMs } : null, creditsMs }
}

function isSpan(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_MS
}
