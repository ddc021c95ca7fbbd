/** What the routes for operators have in common. */

import { jsonOf } from '../../http/route.ts'
import type { Clock } from '../../runtime/clock.ts'
import { throttled } from '../../runtime/throttled.ts'

const KEPT_MS = 1_000

/** An answer that is built at most once a second. */
export const eachSecond = (clock: Clock, make: () => object | Promise<object>): (() => Promise<Buffer>) =>
  throttled(KEPT_MS, clock, async () => jsonOf(await make()))
