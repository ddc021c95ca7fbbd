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

interface Parser extends Record<number, { readonly name: string } | null | undefined> {
  /** For how long it has been reading a message, ms; 0 between two messages, never before the first. Node.js 20 only. */
  duration?(): number
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

/**
 * From now on, hands what comes in on a server's connection to `read`, if it comes between two messages. What
 * comes while node's parser reads a message goes to the parser, as before.
 * @param read  gets the bytes, and what hands them to the parser
 * @returns false if that is not possible, as from Node.js 22 on, or not now
 */
export function readFirst(
  socket: Socket,
  read: (bytes: Buffer, parse: (bytes: Buffer) => void) => void,
): boolean {
  const { parser } = internalsOf(socket)
  const [parse, another] = socket.listeners('data') as ((bytes: Buffer) => void)[]
  if (!parser?.duration || parse === undefined || another !== undefined || socket.isPaused()) return false
  const listener = (bytes: Buffer): void => {
    // Once the connection is upgraded or closed, its parser is another's.
    if (internalsOf(socket).parser !== parser) socket.off('data', listener)
    else if (parser.duration!() === 0) read(bytes, parse)
    else parse(bytes)
  }
  // Node's parser reads from the socket's handle until somebody else listens.
  socket.on('data', listener)
  socket.off('data', parse)
  startReading(socket)
  return true
}

/** Reads from the handle, if it was stopped: the stream does not know of that, and takes itself for reading. */
function startReading(socket: Socket): void {
  const { _handle: handle } = internalsOf(socket)
  if (handle === null || handle.reading) return
  handle.reading = true
  handle.readStart()
}

const internalsOf = (socket: Socket): Internals => socket as unknown as Internals
