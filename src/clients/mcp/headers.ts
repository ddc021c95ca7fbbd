/**
 * Headers from one variable of the environment.
 *
 * @param text  `Name: value`, one a line
 * @throws TypeError  says what is accepted, and repeats no value
 */
export function parseHeaders(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line, i) => {
      const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e]*)$/.exec(line.trim()) ?? []
      if (name !== undefined) return [name, value!.trim()]
      throw new TypeError(
        `Line ${i + 1} of SWAPGATE_HEADERS must be a header such as "Authorization: Bearer KEY"; each stands on a line of its own.`,
      )
    }),
  )
}
