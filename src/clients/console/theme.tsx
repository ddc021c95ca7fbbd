/** The theme: the system's, or the one chosen here. */
import { useState } from 'preact/hooks'

const KEY = 'swapgate.theme'
const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const TITLES: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' }

/** `opening.ts` has applied the stored choice. */
export function ThemeSwitch() {
  const { dataset } = document.documentElement
  const [theme, set] = useState(THEMES.find((one) => one === dataset.theme) ?? 'auto')
  const choose = (chosen: Theme): void => {
    set(chosen)
    dataset.theme = chosen
    try {
      localStorage.setItem(KEY, chosen)
    } catch {
      // Storage is blocked: the choice lasts as long as the page.
    }
  }
  return (
    <fieldset class="theme">
      <legend class="hidden">Theme</legend>
      {THEMES.map((one) => (
        <label key={one}>
          <input type="radio" name="theme" checked={theme === one} onChange={() => choose(one)} />
          <span>{TITLES[one]}</span>
        </label>
      ))}
    </fieldset>
  )
}
