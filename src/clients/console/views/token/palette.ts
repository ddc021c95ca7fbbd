/** The page's colours for a canvas, which cannot use CSS variables; read again when the theme changes. */
import { useEffect, useState } from 'preact/hooks'

const VARIABLES = {
  ink: '--text-2',
  faint: '--line',
  line: '--edge',
  up: '--up',
  down: '--down',
  volume: '--edge',
} as const

export type Palette = Readonly<Record<keyof typeof VARIABLES, string>>

/** @param within  an element of the page whose CSS variables are read */
export function readPalette(within: HTMLElement): Palette {
  const probe = within.appendChild(document.createElement('span'))
  const entries = Object.entries(VARIABLES).map(([name, variable]) => {
    probe.style.color = `var(${variable})`
    return [name, getComputedStyle(probe).color]
  })
  probe.remove()
  return Object.fromEntries(entries) as Palette
}

/** Counts changes of the theme, by the system or by the user. */
export function useThemeChanges(): number {
  const [changes, set] = useState(0)
  useEffect(() => {
    const note = (): void => set((count) => count + 1)
    const media = matchMedia('(prefers-color-scheme: dark)')
    const observer = new MutationObserver(note)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    media.addEventListener('change', note)
    return () => {
      observer.disconnect()
      media.removeEventListener('change', note)
    }
  }, [])
  return changes
}
