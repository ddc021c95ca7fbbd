/** What most parts of a gateway take: its configuration, its log, its clock and its deadlines. */

import type { Access } from '../chains/access.ts'
import type { Config } from '../config/config.ts'
import type { NameClient } from '../http/client/names.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Logger } from '../runtime/log.ts'
import type { Deadlines } from '../swap/deadlines.ts'

export interface Environment {
  readonly config: Config
  /** What the configuration lets the gateway serve. */
  readonly access: Access
  readonly log: Logger
  readonly clock: Clock
  readonly deadlines: Deadlines
  readonly nameClient: NameClient
}
