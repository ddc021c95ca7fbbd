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
  /** Whether the navigation lists it; other views link to those it does not. */
  readonly isListed: boolean
  readonly isForSandbox: boolean
  readonly load: () => Promise<ComponentType<ViewProps>>
}
