/**
 * Which addresses are on the public internet. The owner of a host name can point it at the network that the
 * gateway runs in: at a metadata service, a database or a router. So names from strangers are resolved here,
 * once, and refused unless every address is public; the connection goes to the addresses that were checked.
 *
 * Names are looked up in DNS itself: `getaddrinfo` would also know this machine's names, and each slow name
 * would take one of Node's four threads.
 *
 * Source: IANA IPv4 and IPv6 Special-Purpose Address Registries · RFC 6890 · RFC 4291 §2.4
 */
import { Resolver } from 'node:dns/promises'
import { BlockList, type LookupFunction } from 'node:net'
import special from './special-networks.json' with { type: 'json' }

/** The addresses of a name; rejects if it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>

const RESOLVE_MS = 2_000
const MAX_ADDRESSES = 8

const SPECIAL = new BlockList()
for (const { network, bits } of special.ipv4) SPECIAL.addSubnet(network, bits, 'ipv4')
/** All that is assigned to hosts of the public internet. */
const GLOBAL_V6 = new BlockList()
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6')
// Within it: protocol assignments with Teredo, 6to4, which both wrap an IPv4 address, and documentation.
for (const { network, bits } of special.ipv6) SPECIAL.addSubnet(network, bits, 'ipv6')

/** @param address  as DNS gives it */
export function isPublic(address: string): boolean {
  return address.includes(':')
    ? GLOBAL_V6.check(address, 'ipv6') && !SPECIAL.check(address, 'ipv6')
    : !SPECIAL.check(address, 'ipv4')
}

/** IPv4 first: a container often has an IPv6 address that leads nowhere. */
export async function resolvePublicName(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 })
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [v4, v6].flatMap((asked) => (asked.status === 'fulfilled' ? asked.value : []))
  if (found.length === 0) throw (v4 as PromiseRejectedResult).reason
  return found
}

/** A name has an address that is not public. */
export class NotPublic extends Error {}

/** For `net.connect`: it connects to the addresses that were checked. */
export function publicLookup(resolve: Resolve): LookupFunction {
  return (name, options, tell) => {
    resolve(name).then(
      (addresses) => {
        if (!addresses.every(isPublic)) return tell(new NotPublic('not a public address'), [])
        const known = addresses
          .slice(0, MAX_ADDRESSES)
          .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
        if (options.all) tell(null, known)
        else tell(null, known[0]!.address, known[0]!.family)
      },
      (error: NodeJS.ErrnoException) => tell(error, []),
    )
  }
}
