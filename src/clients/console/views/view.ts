/** What the frame knows of a view, and what a view is given. */
import type { ComponentType } from 'preact'
import type { Place } from '../location.ts'

export interface ViewProps {
  readonly place: Place
}

export interface View {
  /** As in the URL. */
  readonly name: string
  readonly title: string
  /** False: it is led to by another view. */
  readonly isListed: boolean
  readonly isForSandbox: boolean
  readonly load: () => Promise<ComponentType<ViewProps>>
}
