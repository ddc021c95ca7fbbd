/** Budgets by way of a request's tape: what decides them is the state of all requests. */
import type { Clock } from '../../runtime/clock.ts'
import { recorded } from '../../runtime/tape.ts'
import type { ClientAccounts, Exchange } from '../request/exchange.ts'

/** The accounts, whose decisions are read by way of the tape; themselves without RECORD_DIR. */
export function tapedAccounts(accounts: ClientAccounts, clock: Clock): ClientAccounts {
  if (clock.tape === undefined) return accounts
  const decided = (exchange: Exchange, name: string, decide: () => boolean | Promise<boolean>) => {
    const withNotes = (room: boolean) => {
      const { rateLimit, rateLimitPolicy, refusal } = exchange
      return { room, notes: { rateLimit, rateLimitPolicy, refusal } }
    }
    const roomOf = ({ room, notes }: ReturnType<typeof withNotes>): boolean => {
      Object.assign(exchange, notes)
      return room
    }
    const made = recorded(clock, name, () => {
      const room = decide()
      return typeof room === 'boolean' ? withNotes(room) : room.then(withNotes)
    })
    return 'room' in made ? roomOf(made) : made.then(roomOf)
  }
  return {
    ...accounts,
    take: (exchange, name, cost) =>
      decided(exchange, `budget ${name} ${cost}`, () => accounts.take(exchange, name, cost)),
    admitsBody: (exchange, bytes) =>
      decided(exchange, 'admits body', () => accounts.admitsBody(exchange, bytes)) as boolean,
    reserve: (exchange, ...units) =>
      decided(exchange, 'reserve', () => accounts.reserve(exchange, ...units)) as boolean,
    requireClient: (exchange) => recorded(clock, 'client', () => accounts.requireClient(exchange)),
  }
}
