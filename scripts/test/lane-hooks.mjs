/** In a lane, each file of tests finds its own test where it imports `tap`, and of a property's samples a share. */
const OWN = new URL('./own-test.mjs', import.meta.url).href
const PROPERTIES = new URL('./properties.mjs', import.meta.url).href
const NO_DOMAIN = new URL('./no-domain.mjs', import.meta.url).href

export function resolve(specifier, context, nextResolve) {
  const { parentURL = '' } = context
  if (specifier === 'async-hook-domain') return { url: NO_DOMAIN, shortCircuit: true }
  if (specifier === 'fast-check' && parentURL.endsWith('.ts')) return { url: PROPERTIES, shortCircuit: true }
  if (specifier !== 'tap' || parentURL.includes('?') || !parentURL.endsWith('.test.ts')) {
    return nextResolve(specifier, context)
  }
  return { url: `${OWN}?file=${encodeURIComponent(parentURL)}`, shortCircuit: true }
}
