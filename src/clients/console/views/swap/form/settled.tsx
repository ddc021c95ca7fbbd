/** A field that reports its value when typing pauses. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** The debounce after the last keystroke. */
const SETTLE_MS = 350

interface SettledProps extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput'> {
  readonly id: string
  readonly value: string
  readonly placeholder: string
  readonly class?: string
  readonly onSettle: (value: string) => void
}

/** The text being typed, null without any, which is settled when typing pauses, or at once by `settle`. */
export function useTyped(onSettle: (text: string) => void) {
  const [typed, type] = useState<string | null>(null)
  const settle = (text: string): void => {
    onSettle(text.trim())
    type(null)
  }
  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(() => settle(typed), SETTLE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return { typed, type, settle }
}

export function Settled({ value, onSettle, ...more }: SettledProps) {
  const { typed, type } = useTyped(onSettle)
  return (
    <input
      {...more}
      value={typed ?? value}
      inputMode="decimal"
      autocomplete="off"
      onInput={({ currentTarget }) => type(currentTarget.value)}
    />
  )
}
