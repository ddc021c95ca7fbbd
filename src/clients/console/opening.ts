/**
 * Runs within the HTML of a page, before it is first drawn. It applies the theme that was chosen here. For the view in
 * the URL, it requests the files and the first answers, for which the page's program would ask later, and shows the
 * title.
 */

/** By the view's name; scripts/pages.mjs fills it in. */
declare const VIEW_FILES: Readonly<Record<string, readonly string[]>>

const { documentElement: root, head } = document
try {
  root.dataset.theme = localStorage.getItem('swapgate.theme') ?? 'auto'
} catch {
  // Storage is blocked: the theme is the system's.
}

const link = (properties: Partial<HTMLLinkElement>): void =>
  head.append(Object.assign(document.createElement('link'), properties))
function firstOf(view: string, path: string): string | undefined {
  if (/^token\/[a-z\d-]+\/[\w-]+$/.test(path)) return path
  // Parameters may choose another list.
  const list = location.hash.includes('?') ? undefined : 'tokens?hourly=true'
  return { tokens: list, swap: 'swap-options', basket: 'swap-options' }[view]
}

function name(view: string): void {
  const open = document.querySelector(`nav a[href="#/${view}"]`)
  if (open === null) return
  const title = document.querySelector('h1')!
  title.textContent = open.textContent
  title.className = ''
  open.setAttribute('aria-current', 'page')
}

const [, path = 'tokens', view = path] = /^#\/(([^/?]+)[^?]*)/.exec(location.hash) ?? []
if (Object.hasOwn(VIEW_FILES, view)) {
  // A hidden page asks for no answers.
  const answers = document.hidden ? [] : ['health', 'chains', firstOf(view, path)]
  for (const answer of answers) {
    // The program's request of the same URL takes what this one brings.
    if (answer) link({ rel: 'preload', as: 'fetch', crossOrigin: 'anonymous', href: `/api/${answer}` })
  }
  for (const href of VIEW_FILES[view]!) link({ rel: 'modulepreload', href })
  // As soon as the HTML is read, which is before the program runs.
  document.addEventListener('readystatechange', () => name(view), { once: true })
}
