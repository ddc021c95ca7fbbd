/** In a lane, each file of tests finds its own test where it imports `tap`. */
const OWN = new URL('./own-test.mjs', import.meta.url).href

export function resolve(specifier, context, nextResolve) {
  const { parentURL = '' } = context
  if (specifier !== 'tap' || parentURL.includes('?') || !parentURL.endsWith('.test.ts')) {
    return nextResolve(specifier, context)
  }
  return { url: `${OWN}?file=${encodeURIComponent(parentURL)}`, shortCircuit: true }
}
