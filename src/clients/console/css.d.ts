/** The bundler extracts stylesheets from the program. */
declare module '*.css'
