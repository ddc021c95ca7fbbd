/** The bundler extracts stylesheets from the program. */
declare module '*.css'

/** The bundler takes the text. */
declare module '*.txt' {
  const text: string
  export default text
}
