/** Runs a task for all callers: callers that arrive while it runs share one further run. */
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
