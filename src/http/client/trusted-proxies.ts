/**
 * The proxies that may forward a client's address: the variable TRUSTED_PROXIES,
 * compiled into masks.
 */
import { IpAddress } from './ip-address.ts'

/**
 * The named sets. `private` leaves out 100.64.0.0/10: by RFC 6598 the customers
 * of a carrier share it, who are clients as often as proxies.
 *
 * Source: RFC 1918 (10/8, 172.16/12, 192.168/16) · RFC 3927, RFC 4291 §2.5.6 (link-local) · RFC 4193 (fc00::/7)
 */
const SETS: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', 'fc00::/7', 'fe80::/10'],
}

type AddressRange = NonNullable<ReturnType<typeof parseRange>>

export class TrustedProxies {
  readonly #ranges: readonly AddressRange[]

  constructor(ranges: readonly AddressRange[]) {
    this.#ranges = ranges
  }

  includes(address: IpAddress): boolean {
    const isIpv4 = address.isIpv4
    for (let i = 0; i < this.#ranges.length; i++) {
      const range = this.#ranges[i]!
      if (range.isIpv4 === isIpv4 && covers(range, address.groups)) return true
    }
    return false
  }
}

/**
 * The matcher for a comma-separated list of `loopback`, `private`, addresses and
 * CIDRs; an empty list trusts no proxy. Bits after a prefix are ignored. An IPv6
 * range that covers all mapped addresses and more, such as ::/0, matches IPv6
 * only; IPv4 needs 0.0.0.0/0.
 *
 * @throws TypeError that says which entry is wrong, and what is accepted
 */
export function parseTrustedProxies(text: string): TrustedProxies {
  if (text.trim() === '') return new TrustedProxies([])
  const ranges = text.split(',').flatMap((part, index) => {
    const entry = part.trim()
    const set = Object.hasOwn(SETS, entry) ? SETS[entry]! : [entry]
    return set.map((range) => {
      const parsed = parseRange(range)
      if (parsed !== null) return parsed
      throw new TypeError(
        `Entry ${index + 1} of the trusted proxies must be loopback, private, an IP address without ` +
          'a zone, or a CIDR such as 10.0.0.0/8 or fd00::/8.',
      )
    })
  })
  return new TrustedProxies(ranges)
}

function parseRange(text: string) {
  const address = new IpAddress()
  const [host, prefix, ...rest] = text.split('/')
  if (host!.includes('%') || !address.read(host!) || rest.length > 0) return null

  const isDotted = !host!.includes(':')
  const width = isDotted ? 32 : 128
  if (prefix !== undefined && !/^(0|[1-9]\d{0,2})$/.test(prefix)) return null
  const length = prefix === undefined ? width : Number(prefix)
  if (length > width) return null

  const bits = isDotted ? length + 96 : length
  const masks = Uint16Array.from(
    { length: 8 },
    (_, i) => 0xffff << Math.min(16, Math.max(0, 16 * (i + 1) - bits)),
  )
  return { groups: address.groups, masks, isIpv4: address.isIpv4 && bits >= 96 }
}

function covers(range: AddressRange, groups: Uint16Array): boolean {
  for (let i = 0; i < 8; i++) {
    if (((range.groups[i]! ^ groups[i]!) & range.masks[i]!) !== 0) return false
  }
  return true
}
