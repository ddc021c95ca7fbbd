/**
 * The connection that commands are sent over: one to a server of Redis or
 * Valkey, or one to each node of a cluster. It does not reconnect: the store
 * destroys a connection that is lost or does not answer, and opens another.
 */
import { createClient, createCluster } from '@redis/client'
import { CLOCK, orLate } from '../../runtime/clock.ts'

/**
 * Commands that one connection holds at one time. Further ones are refused, so that a server that
 * hangs fills no memory.
 */
const MAX_PENDING = 10_000

export interface RedisConnection {
  /**
   * Sends one command, and returns Redis's answer.
   * @param key   decides which node of a cluster is asked; null for any
   * @throws Error  Redis's own, or the connection's
   */
  send(key: string | null, command: readonly string[]): Promise<unknown>
  /**
   * Resolves when the server closes it. For a cluster it never does: the client looks for a lost node
   * again.
   */
  readonly lost: Promise<Error>
  /** Closes it; commands that wait for an answer get none. */
  destroy(): void
}

/**
 * Opens a connection; to a cluster where there are several URLs, or one URL of a cluster's node.
 * @throws Error  if there is none after this many ms
 */
export type Connect = (urls: readonly string[], connectMs: number) => Promise<RedisConnection>

export const connect: Connect = async (urls, connectMs) => {
  if (urls.length > 1) return connectCluster(urls, connectMs)
  const one = await connectServer(urls[0]!, connectMs)
  if (!(await isCluster(one, connectMs))) return one
  one.destroy()
  return connectCluster(urls, connectMs)
}

const OPTIONS = {
  // RESP 2 needs no greeting, which older servers and some proxies do not know.
  RESP: 2,
  disableOfflineQueue: true,
  disableClientInfo: true,
  commandsQueueMaxLength: MAX_PENDING,
} as const

async function connectServer(url: string, connectMs: number): Promise<RedisConnection> {
  // The client's own timeout is longer, so that ours always reports.
  const socket = { connectTimeout: 2 * connectMs, reconnectStrategy: false } as const
  const client =
    new URL(url).protocol === 'unix:'
      ? createClient({ ...OPTIONS, ...credentialsOf(url), socket: { ...socket, path: pathOf(url) } })
      : createClient({ ...OPTIONS, url, socket })
  const lost = new Promise<Error>((resolve) => client.on('error', resolve))
  await opened(client, connectMs)
  return {
    send: (_key, command) => client.sendCommand(command),
    lost,
    destroy: () => client.destroy(),
  }
}

/** The file of a Unix socket. */
const pathOf = (url: string): string => decodeURIComponent(new URL(url).pathname)

/** The URL's user and password, if it has them. */
function credentialsOf(url: string): { readonly username?: string; readonly password?: string } {
  const { username, password } = new URL(url)
  return {
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  }
}

async function connectCluster(urls: readonly string[], connectMs: number): Promise<RedisConnection> {
  const { protocol } = new URL(urls[0]!)
  const client = createCluster({
    RESP: 2,
    rootNodes: urls.map((url) => ({ url })),
    // Discovered nodes have addresses only: the rest of the URL is repeated here.
    defaults: {
      ...OPTIONS,
      ...credentialsOf(urls[0]!),
      socket: { connectTimeout: connectMs, tls: protocol === 'rediss:' },
    },
  })
  let nodeError: Error | null = null
  client.on('error', (error: Error) => (nodeError = error))
  try {
    await opened(client, connectMs)
  } catch (error) {
    // The nodes' own errors say why none of them could be used.
    throw nodeError ?? error
  }
  return {
    send: (key, command) => client.sendCommand(key ?? undefined, false, [...command]),
    lost: new Promise(() => {}),
    destroy: () => client.destroy(),
  }
}

/** @throws Error  when it is not open in time; it is closed then */
async function opened(
  client: { connect(): Promise<unknown>; destroy(): void },
  connectMs: number,
): Promise<void> {
  const late = Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
  const connecting = client.connect().then(
    () => null,
    (error: Error) => error,
  )
  const failure = await orLate(CLOCK, connectMs, connecting, late)
  if (failure === null) return
  try {
    client.destroy()
  } catch {
    // It was closed already.
  }
  throw failure
}

/** Whether the server says that it is a node of a cluster. */
async function isCluster(connection: RedisConnection, connectMs: number): Promise<boolean> {
  const asking = connection.send(null, ['INFO', 'server']).catch(() => null)
  return /^redis_mode:cluster/m.test(String(await orLate(CLOCK, connectMs, asking, null)))
}
