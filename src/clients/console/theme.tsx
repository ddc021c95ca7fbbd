/** The theme: the system's, or the one chosen here. */
import { useState } from 'preact/hooks'

const KEY = 'swapgate.theme'
const THEMES = ['auto', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]
const TITLES: Readonly<Record<Theme, string>> = { auto: 'Auto', light: 'Light', dark: 'Dark' }

/** The stored choice. Storage may be blocked; then a choice lasts as long as the page. */
function stored(): Theme {
  try {
    return THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto'
  } catch {
    return 'auto'
  }
}

/** Applies a theme, by default the stored one. Called before the first render. */
export function applyTheme(theme: Theme = stored()): void {
  document.documentElement.dataset.theme = theme
}

export function ThemeSwitch() {
  const [theme, set] = useState<Theme>(stored)
  const choose = (chosen: Theme): void => {
    set(chosen)
    applyTheme(chosen)
    try {
      localStorage.setItem(KEY, chosen)
    } catch {
      // Storage is blocked: see `stored`.
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
