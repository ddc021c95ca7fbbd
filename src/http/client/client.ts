/**
 * The client that a budget is keyed by. A forwarded address is believed only from a trusted proxy: the hops
 * are walked from the nearest one outwards, and the first one that is not trusted is the client. Everything
 * beyond it may be forged, and is not read.
 *
 * Source: spec §5.6
 */
import type { Client } from '../../flow/cancellation.ts'
import { FORWARDED_LIST, PLAIN_LIST, skipSpaces, trimEnd } from './forwarded.ts'
import { IpAddress } from './ip-address.ts'
import type { TrustedProxies } from './trusted-proxies.ts'

/** The most hops of a header that are read; a request passes a handful of proxies. */
export const MAX_HOPS = 64

/**
 * A client, in two signed 32-bit words: (0, address) for IPv4, the upper 64
 * bits for IPv6, whose hosts own a /64 and can change the rest at will. The two
 * meet only in ::/32, which is never routed. Reusable.
 */
export class ClientAddress {
  hi = 0
  lo = 0
  /** Whether the peer sent a forwarding header without being a trusted proxy. */
  headerIgnored = false
  /** Whether the header lists more trusted hops than are read, so that the client is not known. */
  hasTooManyHops = false

  /** The two words as one key. */
  get key(): string {
    return keyOf(this)
  }

  /** Sets an address that no client has: ffff:ffff:ffff:ffff::/64 is multicast. */
  clear(): void {
    this.hi = -1
    this.lo = -1
  }
}

interface ClientReaderOptions {
  readonly trustedProxies: TrustedProxies
  /** The name of the header with the hops: `forwarded` is read by RFC 7239, any other as a list of addresses. */
  readonly header: string
}

/**
 * Fills `out` with a request's client.
 *
 * @param socketAddress the peer's; undefined once the socket is gone
 * @param headerValue   the forwarding header, one string or its lines in order
 */
export type ClientReader = (
  socketAddress: string | undefined,
  headerValue: string | readonly string[] | undefined,
  out: ClientAddress,
) => void

/**
 * A reader for these proxies. If all hops are trusted, the outermost one is the client, unless there are more
 * than are walked; an element that is not an address ends the walk at the hop before.
 */
export function createClientReader({ trustedProxies, header }: ClientReaderOptions): ClientReader {
  const list = header.toLowerCase() === 'forwarded' ? FORWARDED_LIST : PLAIN_LIST
  const address = new IpAddress()

  return (socketAddress, headerValue, out) => {
    out.headerIgnored = false
    out.hasTooManyHops = false
    if (socketAddress === undefined || !address.read(socketAddress)) {
      out.clear()
      return
    }
    setKey(out, address)
    if (headerValue === undefined) return
    if (!trustedProxies.includes(address)) {
      out.headerIgnored = true
      return
    }

    const text = typeof headerValue === 'string' ? headerValue : headerValue.join(',')
    for (let end = text.length, hops = 0; end >= 0; hops++) {
      if (hops === MAX_HOPS) {
        out.hasTooManyHops = true
        out.clear()
        return
      }
      const start = list.startOfLast(text, end)
      const first = skipSpaces(text, start, end)
      const stop = trimEnd(text, first, end)
      end = start - 1
      if (first === stop) continue // an empty element is ignored, RFC 9110 §5.6.1
      if (!list.readHop(text, first, stop, address)) return
      setKey(out, address)
      if (!trustedProxies.includes(address)) return
    }
  }
}

/**
 * The client that a connection counts for: the peer itself, by the same key as
 * its requests, or null for a trusted proxy, which has many clients.
 */
export function createPeerReader(
  trustedProxies: TrustedProxies,
): (address: string | undefined) => string | null {
  const address = new IpAddress()
  const peer = new ClientAddress()

  return (socketAddress) => {
    peer.clear()
    if (socketAddress !== undefined && address.read(socketAddress)) {
      if (trustedProxies.includes(address)) return null
      setKey(peer, address)
    }
    return peer.key
  }
}

/** A client's two words as one key. */
export const keyOf = ({ hi, lo }: { readonly hi: number; readonly lo: number }): Client => `${hi}:${lo}`

/** The address behind a key, as people write it; for IPv6 the /64, which is the client. `unknown` if there is none. */
export function addressOf(key: Client): string {
  const [hi, lo] = key.split(':').map(Number) as [number, number]
  if (hi === 0) return [lo >>> 24, (lo >>> 16) & 0xff, (lo >>> 8) & 0xff, lo & 0xff].join('.')
  if (hi === -1 && lo === -1) return 'unknown'
  const groups = [hi >>> 16, hi & 0xffff, lo >>> 16, lo & 0xffff]
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`
}

function setKey(out: ClientAddress, address: IpAddress): void {
  const groups = address.groups
  const isIpv4 = address.isIpv4
  out.hi = isIpv4 ? 0 : (groups[0]! << 16) | groups[1]!
  out.lo = isIpv4 ? (groups[6]! << 16) | groups[7]! : (groups[2]! << 16) | groups[3]!
}
