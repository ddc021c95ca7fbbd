/**
 * The page at `/reference`: a quickstart, and GET /openapi.json rendered by RapiDoc in the console's colours. Its
 * requests are those for the document and the gateway's mode, and those that the reader sends to this gateway.
 */
import { applyTheme } from '../theme.tsx'
import { fillLanding, nameOf } from './landing.ts'
import rapidoc from './rapidoc.json' with { type: 'json' }
import './rapidoc-9.3.8/rapidoc-min.js'
import './reference.css'

/** The brackets and dots of a folded example: the only texts that RapiDoc writes as HTML. */
const FOLDED = /^[[\]{}.]{0,8}$/

// The page's policy allows two Trusted Types policies: that of lit, which RapiDoc uses, and this one.
const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
trustedTypes?.createPolicy('default', { createHTML: (text) => (FOLDED.test(text) ? text : null) })

interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown
}

const isDark = matchMedia('(prefers-color-scheme: dark)')
/** Below this width RapiDoc has no list of operations, and the page's own is shown. */
const isWide = matchMedia('(min-width: 768px)')
const element = document.createElement('rapi-doc')
const jump = document.getElementById('jump') as HTMLSelectElement

/** Sets RapiDoc's colours, which are hexadecimal, to those of the console's custom properties. */
function dress(): void {
  applyTheme()
  const probe = document.body.appendChild(document.createElement('i'))
  for (const [attribute, property] of Object.entries(rapidoc.colours)) {
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

/** The parts of the document that the page uses. */
interface Document {
  info: { title: string; description: string; license?: object }
  servers: readonly { readonly url: string }[]
  tags: { readonly name: string; readonly description: string; readonly 'x-unused'?: true }[]
  readonly paths: Record<string, Record<string, Operation>>
}

interface Operation {
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: { examples?: Record<string, Example> }[]
}

interface Example {
  readonly value?: unknown
  readonly summary?: string
}

/** Each value once, with the names of the examples that have it. */
function distinct(examples: Record<string, Example>): Record<string, Example> {
  const names = new Map<unknown, string[]>()
  for (const [name, { value }] of Object.entries(examples)) {
    if (value !== undefined) names.set(value, [...(names.get(value) ?? []), name])
  }
  const values = [...names].map(([value, all]) => [all[0]!, { value, summary: all.join(', ') }] as const)
  return names.size === 1 ? { example: { value: values[0]![1].value } } : Object.fromEntries(values)
}

/**
 * Leaves out what this gateway has no answers for; trials are sent to the page's own origin, as its policy
 * requires.
 */
function prepare(document: Document): void {
  const unused = document.tags.filter((tag) => tag['x-unused']).map(({ name }) => name)
  for (const [path, item] of Object.entries(document.paths)) {
    if (Object.values(item).some(({ tags }) => unused.includes(tags[0]!))) delete document.paths[path]
  }
  for (const item of Object.values(document.paths)) {
    for (const parameter of Object.values(item).flatMap(({ parameters = [] }) => parameters)) {
      if (parameter.examples !== undefined) parameter.examples = distinct(parameter.examples)
    }
  }
  document.tags = document.tags.filter(({ name }) => !unused.includes(name))
  document.info.title = 'Quickstart'
  fillLanding(document)
  // RapiDoc draws it half beyond the edge.
  delete document.info.license
  document.servers = [{ url: location.origin }]
  jump.replaceChildren(
    new Option('Quickstart', 'overview'),
    ...document.tags.map(({ name }) => {
      const group = window.document.createElement('optgroup')
      group.label = name
      for (const [path, item] of Object.entries(document.paths)) {
        for (const [method, { summary, tags }] of Object.entries(item)) {
          if (tags[0] === name) group.append(new Option(summary, nameOf(method, path)))
        }
      }
      return group
    }),
  )
  follow()
}

function arrange(): void {
  jump.hidden = isWide.matches
}

/** Highlights in the list what is being read. */
function follow(): void {
  jump.value = decodeURIComponent(location.hash.slice(1)) || 'overview'
}

dress()
arrange()
const health: Promise<{ mode?: string }> = fetch('/api/health').then((reply) => reply.json())
const main = document.getElementById('reference')!
for (const sample of main.querySelectorAll('[data-language] code'))
  sample.textContent = sample.textContent!.replaceAll('http://localhost:8080', location.origin)
element.append(document.getElementById('quickstart')!, document.getElementById('landing')!)
element.addEventListener('before-render', (event) => prepare((event as CustomEvent).detail.spec))
// Among them that it loads no fonts: its own come from a third party.
for (const [name, value] of Object.entries(rapidoc.attributes)) element.setAttribute(name, value)
isDark.addEventListener('change', dress)
isWide.addEventListener('change', arrange)
jump.addEventListener('change', () => {
  location.hash = jump.value
})
addEventListener('hashchange', follow)
// If it isn't known, the console shows that there is no answer.
health.then(
  ({ mode }) => {
    document.getElementById('sandbox')!.hidden = mode !== 'sandbox'
  },
  () => {},
)
main.append(element)
