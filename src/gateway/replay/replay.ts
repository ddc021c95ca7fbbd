/** Replays a recording: a gateway of the recorded settings, which reaches no network, gets the request once more. */
import { connect } from 'node:net'
import type { Dispatcher } from 'undici'
import { type Config, readConfig } from '../../config/config.ts'
import { CLOCK } from '../../runtime/clock.ts'
import type { Logger } from '../../runtime/log.ts'
import type { SandboxServers } from '../threads/worker-start.ts'
import type { RecordedReply, Recording } from './file.ts'
import type { Taping } from './index.ts'
import { Player } from './player.ts'
import { Tapes } from './tapes.ts'

interface ReplayOptions {
  readonly taping: Taping
  readonly servers: SandboxServers | null
  readonly dispatcherOf: (origin: string) => Dispatcher
}

/** As gateway.ts starts it. */
type Start = (
  config: Config,
  log: Logger,
  options: ReplayOptions,
) => Promise<{ readonly url: string; stop(): Promise<unknown> }>

export interface Replayed {
  /** Whether the reply is the recorded one, to the byte. */
  readonly isEqual: boolean
  /** Of the reply, and of what it was made from. */
  readonly differences: readonly string[]
  readonly steps: readonly string[]
}

/**
 * What has arrived gets a few turns of the event loop before the time goes on. A module that is loaded at its first use
 * may need more: what differs is tried again with so many ms besides.
 */
const SETTLE_MS = [0, 20, 200]

/** What a gateway asks by itself, such as for its list of tokens, finds nobody. */
const OFFLINE = {
  dispatch(_options: unknown, handler: Dispatcher.DispatchHandler) {
    const error = Object.assign(new Error('a replay is offline'), { code: 'ECONNREFUSED' })
    queueMicrotask(() => handler.onResponseError?.(null as unknown as Dispatcher.DispatchController, error))
    return true
  },
  destroy: async () => {},
} as unknown as Dispatcher

/** @throws ConfigError  for settings that this version refuses */
export async function replay(recording: Recording, start: Start, log: Logger): Promise<Replayed> {
  let replayed: Replayed
  for (const settleMs of SETTLE_MS) {
    const { reply, differences, steps } = await replayOnce(recording, start, log, settleMs)
    const difference = differenceOf(recording.reply, reply)
    if (difference === null) return { isEqual: true, differences, steps }
    replayed = { isEqual: false, differences: [difference, ...differences], steps }
  }
  return replayed!
}

/** In a gateway of its own: it has no state that the request did not make. */
async function replayOnce(
  recording: Recording,
  start: Start,
  log: Logger,
  settleMs: number,
): Promise<Player> {
  const { settings, sandbox } = recording.head
  const admin = settings.OPERATIONS === 'admin' ? { ADMIN_PORT: '0' } : {}
  const config = readConfig({ ...settings, ...admin, HOST: '127.0.0.1', PORT: '0', WS_PORT: '0' })
  const tapes = new Tapes(CLOCK)
  const player = new Player(tapes, recording, settleMs)
  const requests: Taping['requests'] = { serve: (_request, serve) => tapes.run(player, () => serve(player)) }
  const servers = sandbox as SandboxServers | null
  const taping = { tapes, requests, dropped: () => 0, close: async () => {} }
  const gateway = await start(config, log, { taping, servers, dispatcherOf: () => OFFLINE })
  try {
    await ask(new URL(gateway.url), recording, player)
  } finally {
    await gateway.stop()
  }
  return player
}

async function ask({ hostname, port }: URL, { head }: Recording, player: Player): Promise<void> {
  const { method, url, headers } = head.request
  const { body } = player
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.resume()
  const lines = Array.from(
    { length: headers.length / 2 },
    (_, i) => `${headers[2 * i]}: ${headers[2 * i + 1]}\r\n`,
  )
  socket.write(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  if (body !== null) socket.write(isChunked(headers) ? chunked(body) : body)
  await player.run()
  socket.destroy()
}

const isChunked = (headers: readonly string[]): boolean =>
  headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'transfer-encoding')

const chunked = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')])

/** Where two replies begin to differ, in words; null if they don't. */
export function differenceOf(recorded: RecordedReply, replayed: RecordedReply | null): string | null {
  if (replayed === null) return 'There is no reply.'
  const [was, is] = [recorded, replayed].map(({ status, headers, body }) =>
    [status, ...headers, body].join('\n'),
  ) as [string, string]
  if (was === is) return null
  const [whole, other] = was.length > is.length ? [was, is] : [is, was]
  const at = [...whole].findIndex((character, i) => other[i] !== character)
  const near = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + 80))
  return `The reply was ${near(was)}, and is ${near(is)}.`
}
