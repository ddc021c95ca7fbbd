/**
 * GET /api/quote/stream, between its route and the races: each offer as it arrives, the best one once the
 * race is decided, and again whenever a newer one is better by more than a bound.
 *
 * An offer may have a few hundred KiB, more than may stay unread in a stream: it is written once the client
 * has read the one before it. A race makes as many calls as there are providers, a stream has at most six
 * races, and a client four streams.
 *
 * Source: §4.10; WHATWG HTML §9.2 "Server-sent events"
 */

import { Type } from 'typebox'
import type { CancellationScope } from '../flow/cancellation.ts'
import { type EventStream, Events, encodeEvent } from '../http/reply/events.ts'
import type { Clock } from '../runtime/clock.ts'
import { GatewayError } from '../runtime/errors.ts'
import { Quote } from '../runtime/resources/quote.ts'
import { nullable } from '../runtime/resources/shared.ts'
import { isInLine, requireInLine } from './fair.ts'
import type { SwapRequest } from './order.ts'
import type { Quotes, RaceSoFar } from './quotes.ts'
import { behindBps, judged, type OfferedAnswer, type ProviderAnswer, type Race, standingOf } from './race.ts'
import texts from './texts.json' with { type: 'json' }

const { quoteStream: text } = texts

/** How long a stream lasts, and how often it races again. */
export const LASTS_MS = 60_000
export const AGAIN_MS = 10_000
/** A newer offer is sent only if it is better by more than this. */
export const BETTER_BPS = 5
/** The id of the last event: EventSource sends it when it reconnects, which it shouldn't. */
export const END_ID = 'end'

export const QuoteEvent = Type.Object({
  quote: nullable(Quote, { description: text.quote }),
  end: nullable(
    Type.Object({
      reason: Type.Enum(['time', 'failed'], { description: text.reason }),
      code: Type.Union([Type.String(), Type.Null()], { description: 'of the error that it failed with' }),
      error: Type.Union([Type.String(), Type.Null()], { description: 'the same in words' }),
    }),
    { description: 'why the stream ends; null in other events' },
  ),
})

interface StreamOptions {
  readonly quotes: Quotes
  readonly request: SwapRequest
  readonly scope: CancellationScope
  readonly clock: Clock
  /** Called with errors that are none of the gateway's own. */
  readonly onFault: (error: unknown) => void
}

/**
 * @returns once there is an offer to send
 * @throws GatewayError  as Quotes.quote, if there is none
 */
export async function streamQuotes(options: StreamOptions): Promise<Events> {
  const offers = new Offers(options)
  await offers.begun()
  return new Events((stream) => offers.listen(stream))
}

class Offers {
  readonly #options: StreamOptions
  /** Events to send, each made when its turn comes. */
  readonly #queue: (() => Buffer)[] = []
  readonly #queued = new Set<ProviderAnswer>()
  #stream: EventStream | null = null
  #isSending = false
  #best: OfferedAnswer | null = null
  #failure: Buffer | null = null
  #callOff: () => void = () => {}

  constructor(options: StreamOptions) {
    this.#options = options
  }

  /** Begins the race; resolves with its first offer. */
  begun(): Promise<void> {
    return new Promise((resolve, reject) => {
      let race: Race | null = null
      let isBegun = false
      const begin = (): void => {
        isBegun = true
        resolve()
      }
      const onOffers = (soFar: RaceSoFar): void => {
        if (this.#queueOffers(soFar)) begin()
        if (race !== null && this.#best !== null) this.#queueBest(judged(race, race.fair))
      }
      this.#options.quotes
        .watch(this.#options.request, this.#options.scope, onOffers)
        .then((decided) => {
          race = decided
          this.#queueOffers(race)
          // A client that joins a decided race also gets the later offers.
          this.#queueBest(judged(race, race.fair))
          begin()
        })
        .catch((error: unknown) => {
          // Until it has begun, the error is the reply to the request.
          if (isBegun) this.#fail(error)
          else reject(error)
        })
    })
  }

  listen(stream: EventStream): () => void {
    this.#stream = stream
    const callOff = this.#options.clock.after(LASTS_MS, () => this.#end('time'))
    this.#callOff = this.#options.clock.after(AGAIN_MS, this.#again)
    this.#send()
    return () => {
      this.#stream = null
      this.#queue.length = 0
      callOff()
      this.#callOff()
      this.#options.scope.cancel()
    }
  }

  readonly #again = (): void => {
    this.#options.quotes
      .again(this.#options.request, this.#options.scope)
      .then((race) => this.#queueBest(race))
      .catch((error: unknown) => {
        // Providers without a better offer now may have one in the next race.
        if (!(error instanceof GatewayError)) this.#fail(error)
      })
      .finally(() => {
        if (!this.#options.scope.isCancelled) this.#callOff = this.#options.clock.after(AGAIN_MS, this.#again)
      })
  }

  /** @returns whether there was a new one */
  #queueOffers(race: RaceSoFar): boolean {
    let isNew = false
    for (const answer of race.answers) {
      if (answer.offer === null || this.#queued.has(answer)) continue
      this.#queued.add(answer)
      if (!isInLine(answer.offer, race.fair)) continue
      this.#enqueue('offer', race, answer as OfferedAnswer, [])
      isNew = true
    }
    return isNew
  }

  #queueBest(race: Race): void {
    const { winner, fair } = race
    requireInLine(winner.offer, fair, winner.provider.label)
    if (this.#best !== null && !isBetter(race, this.#best)) return
    this.#best = winner
    this.#enqueue('best', race, winner, race.alternatives)
  }

  #enqueue(name: string, race: RaceSoFar, answer: OfferedAnswer, alternatives: Race['alternatives']): void {
    this.#queue.push(() => {
      const quote = this.#options.quotes.quoteOf(race, answer, alternatives)
      return encodeEvent(name, JSON.stringify({ quote, end: null }))
    })
    this.#send()
  }

  #send(): void {
    if (this.#stream === null || this.#isSending) return
    this.#isSending = true
    this.#stream.whenRoom(() => {
      this.#isSending = false
      if (this.#stream === null) return
      const next = this.#queue.shift()
      if (next !== undefined) {
        try {
          this.#stream.send(next())
        } catch (error) {
          // When the socket calls back with room, there is nothing left to send.
          this.#queue.length = 0
          this.#fail(error)
          return
        }
        this.#send()
      } else if (this.#failure !== null) this.#stream.finish(this.#failure)
    })
  }

  #fail(error: unknown): void {
    const isOurs = error instanceof GatewayError
    if (!isOurs) this.#options.onFault(error)
    const { code, message } = isOurs
      ? error
      : new GatewayError('internal_error', 'The gateway failed; its log says why.')
    this.#failure = endEvent('failed', code, message)
    this.#send()
  }

  #end(reason: 'time'): void {
    this.#queue.length = 0
    this.#stream!.finish(endEvent(reason, null, null))
  }
}

function endEvent(reason: 'time' | 'failed', code: string | null, error: string | null): Buffer {
  return encodeEvent('end', JSON.stringify({ quote: null, end: { reason, code, error } }), END_ID)
}

/** Whether a race's winner is better by more than the bound, by the measure that ranks both. */
function isBetter({ order, fair, winner, answers }: Race, last: OfferedAnswer): boolean {
  return behindBps(last.offer, standingOf(order, fair, winner, [...answers, last])) > BETTER_BPS
}
