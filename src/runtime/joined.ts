/** Runs a task for all that ask: who asks while it runs shares one further run with all others that do. */
export function joined(task: () => Promise<void>): () => Promise<void> {
  let last = Promise.resolve()
  let next: Promise<void> | null = null
  return () => {
    next ??= last.then(() => {
      next = null
      last = task()
      return last
    })
    return next
  }
}
