import type { Attention } from './query.ts'

/** Whether the page is visible and the network is back, from the browser's events. */
export function attentionOf(document: Document, window: Window): Attention {
  const listeners = new Set<() => void>()
  let isBack = false
  const tell = (): void => {
    for (const listener of [...listeners]) listener()
  }
  document.addEventListener('visibilitychange', tell)
  window.addEventListener('online', () => {
    isBack = true
    tell()
    isBack = false
  })
  return {
    isAwake: () => document.visibilityState !== 'hidden',
    cameBack: () => isBack,
    watch(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
