/**
 * The page at `/reference`: GET /openapi.json for people, as RapiDoc shows it, in the
 * console's colours. It reads: nothing is sent from it but the request for the document.
 */
import 'rapidoc'
import { applyTheme } from '../theme.tsx'
import './reference.css'

/** RapiDoc takes its colours as attributes, in hexadecimal: of these properties of the console's style. */
const COLOURS = {
  'bg-color': '--paper',
  'text-color': '--ink',
  'header-color': '--surface',
  'primary-color': '--accent',
  'nav-bg-color': '--surface',
  'nav-text-color': '--ink-2',
  'nav-hover-bg-color': '--sunken',
  'nav-hover-text-color': '--ink',
  'nav-accent-color': '--accent',
  'nav-accent-text-color': '--on-accent',
} as const

const ATTRIBUTES = {
  'spec-url': '/openapi.json',
  'regular-font': 'ui-sans-serif, system-ui, sans-serif',
  'mono-font': 'ui-monospace, monospace',
  // Its own fonts are a stranger's files.
  'load-fonts': 'false',
  'show-header': 'false',
  'allow-try': 'false',
  'allow-authentication': 'false',
  'allow-server-selection': 'false',
  'allow-advanced-search': 'false',
  'use-path-in-nav-bar': 'true',
  'show-method-in-nav-bar': 'as-plain-text',
  'schema-style': 'table',
  'schema-description-expanded': 'true',
} as const

/** What an example's braces become where they are folded and unfolded: the texts that RapiDoc writes as HTML. */
const FOLDED = /^[[\]{}.]{0,8}$/

// Of text, the page's policy lets only two make HTML: lit, which RapiDoc is made with, and this one.
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createHTML: (text) => (FOLDED.test(text) ? text : null) })

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown
}

const isDark = matchMedia('(prefers-color-scheme: dark)')
/** RapiDoc leaves its list of operations out below this width: there, each is a line that opens. */
const isWide = matchMedia('(min-width: 768px)')
const element = document.createElement('rapi-doc')

function dress(): void {
  applyTheme()
  const probe = document.body.appendChild(document.createElement('i'))
  for (const [attribute, property] of Object.entries(COLOURS)) {
    probe.style.color = `var(${property})`
    element.setAttribute(attribute, hexOf(getComputedStyle(probe).color))
  }
  element.setAttribute('theme', getComputedStyle(probe).colorScheme)
  probe.remove()
}

/** @param colour  as a computed style has it: `rgb(18, 20, 21)` */
function hexOf(colour: string): string {
  const parts = colour.match(/\d+/g)!.slice(0, 3)
  return `#${parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('')}`
}

function arrange(): void {
  element.setAttribute('render-style', isWide.matches ? 'focused' : 'view')
}

dress()
arrange()
for (const [name, value] of Object.entries(ATTRIBUTES)) element.setAttribute(name, value)
isDark.addEventListener('change', dress)
isWide.addEventListener('change', arrange)
document.getElementById('reference')!.append(element)
