/** The bundler extracts stylesheets from the program, and reads texts into it. */
declare module '*.css'
declare module '*.txt'
