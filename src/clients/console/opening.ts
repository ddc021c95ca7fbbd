/**
 * Runs within the HTML of a page, before it is first drawn. It applies the theme that was chosen here, and
 * requests the files of the view in the URL, for which the page's program would ask later.
 */

/** By the view's name; scripts/pages.mjs fills it in. */
declare const VIEW_FILES: Readonly<Record<string, readonly string[]>>

const { documentElement: root, head } = document
try {
  root.dataset.theme = localStorage.getItem('swapgate.theme') ?? 'auto'
} catch {
  // Storage is blocked: the theme is the system's.
}
const [, view] = /^#\/([^/?]+)/.exec(location.hash) ?? [null, 'tokens']
for (const href of VIEW_FILES[view!] ?? []) {
  head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }))
}
