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

export function Settled({ value, onSettle, ...more }: SettledProps) {
  const [typed, type] = useState<string | null>(null)
  useEffect(() => {
    if (typed === null) return
    const timer = setTimeout(() => {
      onSettle(typed.trim())
      type(null)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [typed])
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
