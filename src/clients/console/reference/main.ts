/**
 * The page at `/reference`: GET /openapi.json rendered by RapiDoc in the console's
 * colours. Its only request is the one for the document.
 */
import 'rapidoc'
import { applyTheme } from '../theme.tsx'
import './reference.css'

/** RapiDoc's colour attributes, in hexadecimal, and the CSS properties of the console that they take. */
const COLOURS = {
  'bg-color': '--page',
  'text-color': '--text',
  'header-color': '--surface',
  'primary-color': '--accent',
  'nav-bg-color': '--surface',
  'nav-text-color': '--text-2',
  'nav-hover-bg-color': '--sunken',
  'nav-hover-text-color': '--text',
  'nav-accent-color': '--accent',
  'nav-accent-text-color': '--on-accent',
} as const

const ATTRIBUTES = {
  'spec-url': '/openapi.json',
  'regular-font': 'ui-sans-serif, system-ui, sans-serif',
  'mono-font': 'ui-monospace, monospace',
  // RapiDoc's own fonts come from a third party.
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

/** The brackets and dots of a folded example: the only texts that RapiDoc writes as HTML. */
const FOLDED = /^[[\]{}.]{0,8}$/

// The page's policy allows two Trusted Types policies: that of lit, which RapiDoc uses, and this one.
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createHTML: (text) => (FOLDED.test(text) ? text : null) })

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown
}

const isDark = matchMedia('(prefers-color-scheme: dark)')
/** Below this width RapiDoc has no list of operations, so each operation is an expandable line. */
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

/** @param colour  a computed colour: `rgb(18, 20, 21)` */
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
