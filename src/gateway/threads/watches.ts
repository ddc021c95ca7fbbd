/** Subscriptions of clients of one thread to what another polls, so that one round a slot serves all threads. */
import type { AccountPoller, AccountState, AccountWatcher } from '../../relay/reads/accounts.ts'
import type { Slots } from '../../relay/reads/slots.ts'
import type { Commitment, OnStatus, StatusPoller } from '../../relay/reads/statuses.ts'
import type { Inquiries } from '../../relay/submissions/inquiries.ts'
import { watchingOf } from '../../relay/subscriptions/sockets.ts'
import type { Clock } from '../../runtime/clock.ts'

export type Watched =
  | { readonly kind: 'signature'; readonly signature: string }
  | {
      readonly kind: 'account'
      readonly address: string
      readonly commitment: Commitment
      readonly client: string
    }
  | { readonly kind: 'slots' }

/** What a watcher is told: one of its methods, with its arguments. */
export type Notice = readonly [method: string, ...args: unknown[]]

export interface Polling {
  readonly statuses: StatusPoller
  readonly accounts: AccountPoller
  readonly slots: Slots
  readonly inquiries: Inquiries
}

/** The side that polls. */
export class ServedWatches {
  readonly #polling: Polling
  readonly #clock: Clock
  readonly #notify: (id: number, notice: Notice) => void
  readonly #ends = new Map<number, () => void>()

  constructor(polling: Polling, clock: Clock, notify: (id: number, notice: Notice) => void) {
    this.#polling = polling
    this.#clock = clock
    this.#notify = notify
  }

  watch(id: number, watched: Watched): void {
    this.#ends.set(id, this.#begin(id, watched))
  }

  unwatch(id: number): void {
    this.#ends.get(id)?.()
    this.#ends.delete(id)
  }

  close(): void {
    for (const id of [...this.#ends.keys()]) this.unwatch(id)
  }

  #begin(id: number, watched: Watched): () => void {
    const { statuses, accounts, slots, inquiries } = this.#polling
    const tell =
      (method: string) =>
      (...args: unknown[]): void =>
        this.#notify(id, [method, ...args])
    if (watched.kind === 'slots') return slots.listen(tell('onSlot'))
    if (watched.kind === 'account') {
      const { address, commitment, client } = watched
      const watcher = {
        client,
        onAsked: tell('onAsked'),
        onKnown: tell('onKnown'),
        onChange: tell('onChange'),
      }
      return accounts.watch(address, commitment, watcher)
    }
    const { signature } = watched
    const isOurs = inquiries.isSubmitted(signature)
    return statuses.watch(signature, watchingOf(this.#clock, isOurs, tell('onAsked')), tell('onStatus'))
  }
}

interface RemotePolling {
  watch(id: number, watched: Watched): void
  unwatch(id: number): void
}

type Watcher = Readonly<Record<string, ((...args: never[]) => void) | undefined>>

/** The side that has the clients. */
export class RemoteWatches {
  readonly #remote: RemotePolling
  readonly #watchers = new Map<number, Watcher>()
  #last = 0

  constructor(remote: RemotePolling) {
    this.#remote = remote
  }

  readonly statuses = {
    watch: (
      signature: string,
      { onAsked }: { readonly onAsked?: (calls: number) => void },
      onStatus: OnStatus,
    ): (() => void) => this.#open({ kind: 'signature', signature }, { onAsked, onStatus }),
    close() {},
  }

  readonly accounts = {
    watch: (address: string, commitment: Commitment, watcher: AccountWatcher): (() => void) =>
      this.#open(
        { kind: 'account', address, commitment, client: watcher.client },
        {
          onAsked: (calls: number, bytes: number) => watcher.onAsked?.(calls, bytes),
          onKnown: (slot: number, isCut: boolean) => watcher.onKnown(slot, isCut),
          // A message makes a Uint8Array of a Buffer.
          onChange: (slot: number, state: AccountState | null) =>
            watcher.onChange(slot, state && { ...state, data: Buffer.from(state.data) }),
        },
      ),
    close() {},
  }

  readonly slots = {
    listen: (onSlot: (slot: number) => void): (() => void) => this.#open({ kind: 'slots' }, { onSlot }),
  }

  /** Passes a notice on; one of a watch that has ended is late. */
  notice(id: number, [method, ...args]: Notice): void {
    this.#watchers.get(id)?.[method]?.(...(args as never[]))
  }

  #open(watched: Watched, watcher: Watcher): () => void {
    const id = ++this.#last
    this.#watchers.set(id, watcher)
    this.#remote.watch(id, watched)
    return () => {
      if (this.#watchers.delete(id)) this.#remote.unwatch(id)
    }
  }
}
