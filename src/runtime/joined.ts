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

/** Asks for one thing at a time, or for all that are asked for meanwhile together. @param ask  answers in the same order */
export function batched<Key, Value>(ask: (keys: readonly Key[]) => Promise<readonly Value[]>) {
  let last: Promise<unknown> = Promise.resolve()
  let next: { readonly keys: Key[]; readonly values: Promise<readonly Value[]> } | null = null
  return async (key: Key): Promise<Value> => {
    if (next === null) {
      const keys: Key[] = []
      const values = last.then(() => {
        next = null
        return ask(keys)
      })
      last = values.catch(() => {})
      next = { keys, values }
    }
    const at = next.keys.push(key) - 1
    return (await next.values)[at]!
  }
}
