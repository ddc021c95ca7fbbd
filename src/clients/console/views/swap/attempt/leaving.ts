/** How an attempt is left, which depends on the view that began it. */
import { createContext } from 'preact'
import { dismiss } from './attempt.ts'

interface Leaving {
  /** Of a review. */
  readonly edit: string
  /** Of what was refused or has failed. */
  readonly again: string
  /** Of what is done. */
  readonly fresh: string
  /** What the latter two do. */
  readonly leave: () => void
}

export const Leaving = createContext<Leaving>({
  edit: 'Edit',
  again: 'Get a new offer',
  fresh: 'New swap',
  leave: dismiss,
})
