/** The definition of a view, and the props it receives. */
import type { ComponentType } from 'preact'
import type { ViewLocation } from '../location.ts'

export interface ViewProps {
  readonly place: ViewLocation
}

export interface ConsoleView {
  /** The view's name in the URL. */
  readonly name: string
  readonly title: string
  /** Where the navigation lists it; null: other views link to it. */
  readonly group: 'Trade' | 'Look up' | 'Gateway' | null
  /** The view that leads to it, which the navigation marks in its place. */
  readonly within?: string
  /** Whether it is in the bar at the foot of a phone, rather than behind "More". */
  readonly isInBar: boolean
  readonly isForSandbox: boolean
  /** A module whose default it is. */
  readonly load: () => Promise<{ readonly default: ComponentType<ViewProps> }>
}
