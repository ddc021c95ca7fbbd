/**
 * Who is asking, and may they: joins the client's address to the budgets, and
 * notes on the exchange what the reply will say of it.
 *
 * Source: §5.6, §8
 */
import type { Clock } from '../../clock.ts'
import type { Budget, BudgetName } from '../../limit/budgets.ts'
import type { Accounts, Exchange } from '../exchange.ts'
import { ClientAddress, type ClientReader } from './client.ts'

export interface AccountsOptions {
  readonly budgets: Readonly<Record<BudgetName, Budget>>
  readonly readClient: ClientReader
  /** The header that trusted proxies supply an address in, lower case. */
  readonly header: string
  readonly clock: Clock
  /** Called once, when a peer that is not trusted sends that header. */
  readonly onUntrusted: () => void
}

export function createAccounts({
  budgets,
  readClient,
  header,
  clock,
  onUntrusted,
}: AccountsOptions): Accounts {
  // The address is filled and used within one turn, so one object serves all.
  const client = new ClientAddress()
  let warned = false

  const read = ({ request: { socket, headers } }: Exchange): void => {
    readClient(socket.remoteAddress, headers[header], client)
    if (client.headerIgnored && !warned) {
      warned = true
      onUntrusted()
    }
  }

  return {
    take(exchange, name, cost) {
      read(exchange)
      const budget = budgets[name]
      const admitted = cost === 0 ? budget.peek(client, clock.now()) : budget.take(client, clock.now())
      exchange.rateLimit = budget.rateLimit()
      exchange.rateLimitPolicy = budget.rateLimitPolicy
      if (!admitted && cost > 0) {
        exchange.refusal = {
          name,
          refusedBy: budget.refusedBy!,
          retryAfterMs: budget.retryAfterMs(),
          retryAfterSeconds: budget.retryAfterSeconds(),
        }
      }
      return admitted
    },
    clientOf(exchange) {
      read(exchange)
      return `${client.hi}:${client.lo}`
    },
  }
}
