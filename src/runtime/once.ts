/** Makes a value when it is first needed, and keeps it. */
export function once<Value extends object>(make: () => Value): () => Value {
  let made: Value | null = null
  return () => (made ??= make())
}
