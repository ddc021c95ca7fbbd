/** The bundler takes styles out of the program. */
declare module '*.css'
