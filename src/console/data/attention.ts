/** Whether anybody looks at the page, and whether the machine has a network: without both nothing is asked. */
export interface Attention {
  isAwake(): boolean
  /** True while those are told who watch that the network has come back. */
  cameBack(): boolean
  /** Called when the page is looked at again, or the network is back. @returns ends it */
  watch(listener: () => void): () => void
}

/** The attention of whoever has this page open. */
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
