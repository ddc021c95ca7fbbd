/** Budgets by way of a request's tape: what decides them is the state of all requests. */
import type { Clock } from '../../runtime/clock.ts'
import { recorded } from '../../runtime/tape.ts'
import type { ClientAccounts, Exchange } from '../request/exchange.ts'

/** The accounts, whose decisions are read by way of the tape; themselves without RECORD_DIR. */
export function tapedAccounts(accounts: ClientAccounts, clock: Clock): ClientAccounts {
  if (clock.tape === undefined) return accounts
  const noted = (exchange: Exchange, room: boolean) => {
    const { rateLimit, rateLimitPolicy, refusal } = exchange
    return { room, noted: { rateLimit, rateLimitPolicy, refusal } }
  }
  const note = (exchange: Exchange, decided: ReturnType<typeof noted>): boolean => {
    Object.assign(exchange, decided.noted)
    return decided.room
  }
  const decided = (exchange: Exchange, name: string, decide: () => boolean): boolean =>
    note(
      exchange,
      recorded(clock, name, () => noted(exchange, decide())),
    )
  return {
    ...accounts,
    take(exchange, name, cost) {
      const taken = recorded(clock, `budget ${name} ${cost}`, () => {
        const taken = accounts.take(exchange, name, cost)
        return typeof taken === 'boolean'
          ? noted(exchange, taken)
          : taken.then((room) => noted(exchange, room))
      })
      return 'room' in taken ? note(exchange, taken) : taken.then((later) => note(exchange, later))
    },
    admitsBody: (exchange, bytes) =>
      decided(exchange, 'admits body', () => accounts.admitsBody(exchange, bytes)),
    reserve: (exchange, ...units) => decided(exchange, 'reserve', () => accounts.reserve(exchange, ...units)),
    requireClient: (exchange) => recorded(clock, 'client', () => accounts.requireClient(exchange)),
  }
}
