/** How an attempt is left, which depends on the view that began it. */
import { createContext } from 'preact'
import { dismiss } from './attempt.ts'

interface Leaving {
  /** Of a review. */
  readonly edit: string
  /** For a refused or failed swap. */
  readonly again: string
  /** For a finished one. */
  readonly fresh: string
  /** The action of the latter two. */
  readonly leave: () => void
}

export const Leaving = createContext<Leaving>({
  edit: 'Edit',
  again: 'Get a new offer',
  fresh: 'New swap',
  leave: dismiss,
})
