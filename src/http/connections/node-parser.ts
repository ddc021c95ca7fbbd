/**
 * Stops node's HTTP parser, and reads a socket ahead of it. The parser works through all bytes of one read,
 * even if the socket is closed: it makes a Buffer and a call for each chunk of a body, and a request for each
 * head. 64 KiB may hold 10,900 one-byte chunks, which take 10 ms of processor time if nobody listens, and 1
 * ms without callbacks.
 */
import type { Socket } from 'node:net'

/**
 * The callbacks of a server's parser for a request and for each part of its body, in every version of node so
 * far.
 */
const CALLBACKS = ['parserOnHeadersComplete', 'parserOnBody']
/** A parser has fewer callbacks. */
const PLACES = 8

type Parser = Record<number, { readonly name: string } | null | undefined> & {
  /** Takes it off the server's list of connections. */
  remove(): void
}

/** Node's own members of a server's socket, beyond its types. */
interface Internals {
  readonly parser?: Parser | null
  /** Null once it is closed. */
  readonly _handle: { reading: boolean; readStart(): void; readStop(): void } | null
}

/** Ignores everything that arrives on the connection from now on. It has to be closed. */
export function ignoreRest(socket: Socket): void {
  const { parser } = internalsOf(socket)
  if (!parser) return
  for (let at = 0; at < PLACES; at++) {
    const callback = parser[at]
    if (!callback || !CALLBACKS.includes(callback.name)) continue
    parser[at] = null
    // Before node's own listener, which gives the parser to another connection.
    socket.prependOnceListener('close', () => {
      parser[at] = callback
    })
  }
  // Node.js 26 looks up its callbacks once per read; in 24 and later, a parser that is off the list stops at
  // the next one.
  parser.remove()
  stopReading(socket)
}

/**
 * Stops reading from a server's connection; bytes already read are parsed.
 * @returns resumes reading
 */
export function stopReading(socket: Socket): () => void {
  const stop = (): void => {
    socket.pause()
    // That alone has no effect if node's parser reads from the socket's handle.
    const { _handle: handle } = internalsOf(socket)
    if (handle === null) return
    handle.reading = false
    handle.readStop()
  }
  stop()
  // Node reads on for its own reasons.
  socket.on('resume', stop)
  return () => {
    socket.off('resume', stop)
    socket.resume()
    startReading(socket)
  }
}

/** Reads from the handle if it was stopped: the stream does not know, and believes that it is reading. */
function startReading(socket: Socket): void {
  const { _handle: handle } = internalsOf(socket)
  if (handle === null || handle.reading) return
  handle.reading = true
  handle.readStart()
}

const internalsOf = (socket: Socket): Internals => socket as unknown as Internals
