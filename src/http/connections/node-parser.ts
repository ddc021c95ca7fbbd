/**
 * Node's HTTP parser, where it has to stop. What came in one read it takes to the end, whatever becomes of the
 * socket: it makes a Buffer and a call of each chunk of a body, and a request of each head. In 64 KiB there may
 * be 10,900 chunks of a byte each, which take it 10 ms of processor time if nobody listens, and 1 ms without
 * its callbacks.
 */
import type { Socket } from 'node:net'

/** What a server's parser calls with a request, and with each part of its body, in every version of node so far. */
const CALLBACKS = ['parserOnHeadersComplete', 'parserOnBody']
/** A parser has fewer callbacks. */
const PLACES = 8

type Parser = Record<number, { readonly name: string } | null | undefined> & {
  /** Takes it off the server's list of connections. */
  remove(): void
}

/** What a server's socket has in node, beyond its types. */
interface Internals {
  readonly parser?: Parser | null
  /** Null once it is closed. */
  readonly _handle: { reading: boolean; readStart(): void; readStop(): void } | null
}

/** Nothing that comes in on the connection is looked at any more, nor read. It has to be closed. */
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
  // Node.js 26 looks its callbacks up once a read; from 24 on, a parser that is off the list stops at the next.
  parser.remove()
  stopReading(socket)
}

/**
 * Reads nothing from a server's connection, from now on; what was read is parsed.
 * @returns reads on
 */
export function stopReading(socket: Socket): () => void {
  const stop = (): void => {
    socket.pause()
    // That alone has no effect where node's parser reads from the socket's handle.
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

/** Reads from the handle, if it was stopped: the stream does not know of that, and takes itself for reading. */
function startReading(socket: Socket): void {
  const { _handle: handle } = internalsOf(socket)
  if (handle === null || handle.reading) return
  handle.reading = true
  handle.readStart()
}

const internalsOf = (socket: Socket): Internals => socket as unknown as Internals
