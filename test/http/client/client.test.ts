/** Who a budget is keyed by: addresses, trusted proxies, and the walk along a forwarding header. */
import { BlockList, isIP, SocketAddress } from 'node:net'
import t from 'tap'
import { ClientAddress, createClientReader, createPeerReader } from '../../../src/http/client/client.ts'
import { IpAddress } from '../../../src/http/client/ip-address.ts'
import { parseTrustedProxies } from '../../../src/http/client/trusted-proxies.ts'
import fc from '../../fixtures/fast-check.ts'

type Header = string | readonly string[] | undefined

/** A client as text: dotted decimal for IPv4, the four upper groups for IPv6. */
function keyOf({ hi, lo }: ClientAddress): string {
  const words = [hi >>> 16, hi & 0xffff, lo >>> 16, lo & 0xffff]
  return hi === 0
    ? words
        .slice(2)
        .flatMap((word) => [word >> 8, word & 255])
        .join('.')
    : words.map(hex).join(':')
}

const hex = (word: number): string => word.toString(16)

function reader(
  trusted: string,
  header: string,
): (socketAddress: string | undefined, value: Header) => ClientAddress {
  const read = createClientReader({ trustedProxies: parseTrustedProxies(trusted), header })
  return (socketAddress, value) => {
    const out = new ClientAddress()
    read(socketAddress, value, out)
    return out
  }
}

t.test('without a header the client is the socket’s peer', async (t) => {
  const read = reader('loopback', 'x-forwarded-for')
  const cases: [socketAddress: string | undefined, key: string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['127.0.0.1', '127.0.0.1'],
    ['255.255.255.255', '255.255.255.255'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:FFFF:CB00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::', '2001:db8:1:2'],
    ['2001:DB8:1:2::9', '2001:db8:1:2'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['fe80::2%br_lan', 'fe80:0:0:0'],
    [undefined, 'ffff:ffff:ffff:ffff'],
    ['', 'ffff:ffff:ffff:ffff'],
    ['/run/gateway.sock', 'ffff:ffff:ffff:ffff'],
  ]
  for (const [socketAddress, key] of cases) {
    t.equal(keyOf(read(socketAddress, undefined)), key, String(socketAddress))
    t.equal(read(socketAddress, undefined).headerIgnored, false)
  }
})

t.test('X-Forwarded-For is walked from the right to the first hop that is not trusted', async (t) => {
  const read = reader('loopback,10.0.0.0/8,fd00::/8', 'x-forwarded-for')
  const cases: [header: Header, key: string][] = [
    ['203.0.113.7', '203.0.113.7'],
    [' \t203.0.113.7\t ', '203.0.113.7'],
    ['203.0.113.7:56', '203.0.113.7'],
    ['203.0.113.7:65535', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:56', '203.0.113.7'],
    ['2001:db8:1:2::9', '2001:db8:1:2'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['[2001:db8:1:2::9]', '2001:db8:1:2'],
    ['[2001:db8:1:2::9]:443', '2001:db8:1:2'],
    ['[fe80::1%eth0]:443', 'fe80:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::2', '0.0.0.0'],
    // trusted hops are skipped, the first other one is the client
    ['203.0.113.7, 10.0.0.1', '203.0.113.7'],
    ['203.0.113.7,10.0.0.1,10.0.0.2', '203.0.113.7'],
    ['203.0.113.7, 10.0.0.1:8080, [fd00::1]:8080', '203.0.113.7'],
    ['203.0.113.7 , ::ffff:10.0.0.1', '203.0.113.7'],
    ['203.0.113.7, ::ffff:a00:1', '203.0.113.7'],
    ['203.0.113.7, 127.0.0.1, ::1', '203.0.113.7'],
    ['203.0.113.7, 203.0.113.7', '203.0.113.7'],
    // all trusted: the outermost
    ['10.0.0.1', '10.0.0.1'],
    ['10.0.0.3, 10.0.0.2, 10.0.0.1', '10.0.0.3'],
    ['fd00:1:2:3::4, 10.0.0.1', 'fd00:1:2:3'],
    // what stands left of the client was sent by the client
    ['6.6.6.6, 203.0.113.7', '203.0.113.7'],
    ['10.0.0.9, 203.0.113.7', '203.0.113.7'],
    ['127.0.0.1, 203.0.113.7, 10.0.0.1', '203.0.113.7'],
    ['"6.6.6.6, 203.0.113.7', '203.0.113.7'],
    ['[6.6.6.6, 203.0.113.7', '203.0.113.7'],
    ['\\, 203.0.113.7', '203.0.113.7'],
    [`${'6.6.6.6, '.repeat(1_000)}203.0.113.7`, '203.0.113.7'],
    [`${','.repeat(1_000)}203.0.113.7`, '203.0.113.7'],
    // several lines are one list
    [['203.0.113.7'], '203.0.113.7'],
    [['6.6.6.6', '203.0.113.7'], '203.0.113.7'],
    [['6.6.6.6, 203.0.113.7', '10.0.0.2, 10.0.0.1'], '203.0.113.7'],
    [['203.0.113.7', '', '10.0.0.1'], '203.0.113.7'],
    // empty elements count for nothing
    ['', '127.0.0.1'],
    [' ', '127.0.0.1'],
    [',', '127.0.0.1'],
    [',203.0.113.7,', '203.0.113.7'],
    ['203.0.113.7,, ,10.0.0.1, ', '203.0.113.7'],
    // what is no address ends the walk at the hop before
    ['unknown', '127.0.0.1'],
    ['203.0.113.7, unknown', '127.0.0.1'],
    ['203.0.113.7, unknown, 10.0.0.1', '10.0.0.1'],
    ['203.0.113.7, 10.0.0.300, 10.0.0.1', '10.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['203.0.113.7.', '127.0.0.1'],
    ['203.0.113', '127.0.0.1'],
    ['0203.0.113.7', '127.0.0.1'],
    ['203.0.113.07', '127.0.0.1'],
    ['0xcb.0.113.7', '127.0.0.1'],
    ['3405803783', '127.0.0.1'],
    ['203.0.113.7/32', '127.0.0.1'],
    ['203.0.113.7%eth0', '127.0.0.1'],
    ['203.0.113.7 203.0.113.8', '127.0.0.1'],
    ['203.0.113.7:', '127.0.0.1'],
    ['203.0.113.7:x', '127.0.0.1'],
    ['203.0.113.7:123456', '127.0.0.1'],
    ['203.0.113.7:5:6', '127.0.0.1'],
    [':56', '127.0.0.1'],
    ['[203.0.113.7]:56', '127.0.0.1'],
    ['[2001:db8::1', '127.0.0.1'],
    ['2001:db8::1]', '127.0.0.1'],
    ['[]', '127.0.0.1'],
    ['[2001:db8::1]x', '127.0.0.1'],
    ['[2001:db8::1]443', '127.0.0.1'],
    ['[2001:db8::1]:', '127.0.0.1'],
    ['"203.0.113.7"', '127.0.0.1'],
    ['for=203.0.113.7', '127.0.0.1'],
    ['2001:db8::1::2', '127.0.0.1'],
    ['fe80::1%', '127.0.0.1'],
    ['٢٠٣.0.113.7', '127.0.0.1'],
  ]
  for (const [header, key] of cases) {
    t.equal(keyOf(read('127.0.0.1', header)), key, String(header).slice(0, 60))
    t.equal(read('127.0.0.1', header).headerIgnored, false)
  }
})

t.test('Forwarded is read by RFC 7239', async (t) => {
  const read = reader('loopback,10.0.0.0/8', 'Forwarded')
  const cases: [header: Header, key: string][] = [
    ['for=203.0.113.7', '203.0.113.7'],
    ['For=203.0.113.7;proto=http;by=10.0.0.1', '203.0.113.7'],
    ['proto=https; FOR="203.0.113.7:47011" ; by=_gateway', '203.0.113.7'],
    ['for="[2001:db8:1:2::17]:4711"', '2001:db8:1:2'],
    ['for="[2001:db8:1:2::17]:_port"', '2001:db8:1:2'],
    ['for="2001:db8:1:2::17"', '2001:db8:1:2'],
    ['for=203.0.113.7:80', '203.0.113.7'],
    ['for=6.6.6.6, for=203.0.113.7;proto=http, for=10.0.0.2', '203.0.113.7'],
    [['for=6.6.6.6', 'for="203.0.113.7"'], '203.0.113.7'],
    ['for=203.0.113.7;host="a,b;for=6.6.6.6"', '203.0.113.7'],
    ['for=203.0.113.7;host="a\\",for=6.6.6.6"', '203.0.113.7'],
    ['for=203.0.113.7;host="a\\\\"', '203.0.113.7'],
    ['for=203.0.113.7;host="a\\";for=6.6.6.6"', '203.0.113.7'],
    ['for=203.0.113.7;host="\\\\\\", for=6.6.6.6"', '203.0.113.7'],
    ['for=203.0.113.7,, , for=10.0.0.1,', '203.0.113.7'],
    // the client's own part cannot move the cuts that the proxy's part has
    ['for=6.6.6.6;by=", for=203.0.113.7', '203.0.113.7'],
    ['for="6.6.6.6, for="[2001:db8:1:2::17]:4711"', '2001:db8:1:2'],
    ['for=6.6.6.6\\, for="203.0.113.7"', '203.0.113.7'],
    ['for=6.6.6.6;by="\\", for=203.0.113.7', '203.0.113.7'],
    // a backslash escapes within quotes only, and every second one is itself escaped
    ['a=\\;for=203.0.113.7', '203.0.113.7'],
    ['for=6.6.6.6, for=203.0.113.7;x=\\\\"b,c"', '203.0.113.7'],
    ['for=6.6.6.6, for=203.0.113.7;a=\\"', '127.0.0.1'],
    // what names no address ends the walk
    ['for=unknown', '127.0.0.1'],
    ['for=203.0.113.7, for=unknown, for=10.0.0.1', '10.0.0.1'],
    ['for=203.0.113.7, for=_hidden', '127.0.0.1'],
    ['for=203.0.113.7, for="_hidden:80"', '127.0.0.1'],
    ['for=203.0.113.7, proto=https', '127.0.0.1'],
    ['for=203.0.113.7;for=203.0.113.8', '127.0.0.1'],
    ['203.0.113.7', '127.0.0.1'],
    ['forwarded=203.0.113.7', '127.0.0.1'],
    ['for =203.0.113.7', '127.0.0.1'],
    ['for=', '127.0.0.1'],
    ['for="', '127.0.0.1'],
    ['for=""', '127.0.0.1'],
    ['for="203.0.113.7', '127.0.0.1'],
    ['for="203.0.113.77', '127.0.0.1'],
    ['for:203.0.113.7', '127.0.0.1'],
    ['for=203.0.113.7"', '127.0.0.1'],
    ['for="203.0.113.\\7"', '127.0.0.1'],
    ['for="203.0.113.7:_"', '127.0.0.1'],
    ['', '127.0.0.1'],
  ]
  for (const [header, key] of cases) t.equal(keyOf(read('127.0.0.1', header)), key, String(header))
})

t.test('a header with one address is read by the same walk', async (t) => {
  const read = reader('loopback', 'cf-connecting-ip')
  t.equal(keyOf(read('127.0.0.1', '203.0.113.7')), '203.0.113.7')
  t.equal(keyOf(read('::1', '2001:db8:1:2::9')), '2001:db8:1:2')
  t.equal(keyOf(read('127.0.0.1', '6.6.6.6, 203.0.113.7')), '203.0.113.7')
})

t.test('a header from a peer that is not trusted is ignored, and said to be', async (t) => {
  for (const [trusted, peer, key] of [
    ['loopback', '203.0.113.7', '203.0.113.7'],
    ['loopback', '10.0.0.1', '10.0.0.1'],
    ['private', '127.0.0.1', '127.0.0.1'],
    ['', '127.0.0.1', '127.0.0.1'],
  ] as const) {
    const read = reader(trusted, 'x-forwarded-for')
    for (const header of ['6.6.6.6', '127.0.0.1', '', 'junk', ['6.6.6.6', '7.7.7.7']]) {
      const out = read(peer, header)
      t.equal(keyOf(out), key)
      t.equal(out.headerIgnored, true)
    }
    t.equal(read(peer, undefined).headerIgnored, false)
  }
  const gone = reader('0.0.0.0/0,::/0', 'x-forwarded-for')(undefined, '6.6.6.6')
  t.same(
    [keyOf(gone), gone.headerIgnored],
    ['ffff:ffff:ffff:ffff', false],
    'a peer that is gone is nobody to trust',
  )
})

t.test(
  'behind more than 64 trusted hops the client is not known, and nobody else is taken for it',
  async (t) => {
    const read = reader('loopback', 'x-forwarded-for')
    const hops = (count: number): string => ', 127.0.0.2'.repeat(count)
    const last = read('127.0.0.1', `203.0.113.7${hops(63)}`)
    t.same([keyOf(last), last.hasTooManyHops], ['203.0.113.7', false])
    for (const header of [`203.0.113.7${hops(64)}`, `203.0.113.7${','.repeat(64)}`]) {
      const out = read('127.0.0.1', header)
      t.same([keyOf(out), out.hasTooManyHops], ['ffff:ffff:ffff:ffff', true], 'empty ones count')
    }
    t.equal(read('127.0.0.1', `junk${hops(63)}`).hasTooManyHops, false)
  },
)

t.test(
  'a connection is counted for its peer, by the same key as requests, unless that is a proxy',
  async (t) => {
    const peerOf = createPeerReader(parseTrustedProxies('loopback'))
    t.equal(peerOf('127.0.0.1'), null)
    t.equal(peerOf('::ffff:127.0.0.1'), null)
    t.equal(peerOf('203.0.113.7'), peerOf('::ffff:203.0.113.7'))
    t.not(peerOf('203.0.113.7'), peerOf('203.0.113.8'))
    t.equal(peerOf('2001:db8:1:2::9'), peerOf('2001:db8:1:2:3:4:5:6'), 'a /64 is one')
    t.not(peerOf('2001:db8:1:2::9'), peerOf('2001:db8:1:3::9'))
    t.type(peerOf(undefined), 'string')
  },
)

t.test('one object is enough for all requests', async (t) => {
  const read = createClientReader({
    trustedProxies: parseTrustedProxies('loopback'),
    header: 'x-forwarded-for',
  })
  const out = new ClientAddress()
  read('203.0.113.7', '6.6.6.6', out)
  t.same([keyOf(out), out.headerIgnored], ['203.0.113.7', true])
  read('127.0.0.1', '2001:db8:1:2::9', out)
  t.same([keyOf(out), out.headerIgnored], ['2001:db8:1:2', false])
  read(undefined, undefined, out)
  t.same([out.hi, out.lo, out.headerIgnored], [-1, -1, false])
})

t.test('nothing that a client sends changes its key', async (t) => {
  const part = fc.constantFrom(
    '"',
    '\\',
    ',',
    ';',
    '=',
    'for=',
    '[',
    ']',
    '%',
    ' ',
    '127.0.0.1',
    '10.0.0.1',
    '::1',
    'x',
  )
  const sent = fc.oneof(
    fc.string(),
    fc.array(part).map((parts) => parts.join('')),
  )
  const appended: [header: string, own: string, key: string][] = [
    ['x-forwarded-for', '203.0.113.7', '203.0.113.7'],
    ['x-forwarded-for', '[2001:db8:1:2::9]:443, 127.0.0.1', '2001:db8:1:2'],
    ['forwarded', 'for=203.0.113.7;proto=https', '203.0.113.7'],
    ['forwarded', 'for="[2001:db8:1:2::9]:443";host="a,\\"b", for="127.0.0.1:80"', '2001:db8:1:2'],
  ]
  for (const [header, own, key] of appended) {
    const read = reader('loopback', header)
    const property = fc.property(sent, (text) => {
      const whole = keyOf(read('127.0.0.1', `${text}, ${own}`)) === key
      return (
        whole &&
        keyOf(read('127.0.0.1', [text, own])) === key &&
        keyOf(read('203.0.113.9', text)) === '203.0.113.9'
      )
    })
    t.doesNotThrow(() => fc.assert(property, { numRuns: 500 }), `${header}: ${own}`)
  }
})

const ipv6Group = fc.integer({ min: 0, max: 0xffff }).map(hex)
const ipv6 = fc.oneof(
  fc.ipV6(),
  fc.tuple(ipv6Group, ipv6Group).map(([a, b]) => `::ffff:${a}:${b}`),
  fc.ipV4().map((text) => `::ffff:${text}`),
)

t.test('reads the addresses that node:net accepts, and no others', async (t) => {
  const nearly = fc.array(
    fc.constantFrom('0', '1', '25', '255', '256', 'f', 'Ab', 'g', ':', ':', '::', '.', 'ffff'),
  )
  const texts = fc.oneof(
    fc.ipV4(),
    fc.ipV4Extended(),
    ipv6,
    fc.tuple(ipv6, fc.constantFrom('%eth0', '%1', '%', '%a.b-c')).map(([address, zone]) => address + zone),
    nearly.map((parts) => parts.join('')),
    fc
      .array(fc.constantFrom('1', 'ab', ':', '::', '0.0.0.0'), { maxLength: 17 })
      .map((parts) => parts.join('')),
  )
  const property = fc.property(texts, fc.nat(3), fc.nat(3), (text, before, after) => {
    const address = new IpAddress()
    const padded = `${'1'.repeat(before)}${text}${'1'.repeat(after)}`
    const known = isIP(text)
    if (address.read(padded, before, before + text.length) !== (known !== 0)) return false
    if (known === 0) return true
    // Both texts of the same bits are one address to node, too.
    const full = [...address.groups].map(hex).join(':')
    const plain = text.split('%', 1)[0]!
    const mapped = known === 4 ? `::ffff:${plain}` : plain
    const canonical = (address: string): string => new SocketAddress({ address, family: 'ipv6' }).address
    return canonical(full) === canonical(mapped) && address.isIpv4 === canonical(mapped).startsWith('::ffff:')
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 20_000 }))
})

t.test('address forms at their edges', async (t) => {
  const address = new IpAddress()
  const good = [
    '::',
    '::1',
    '1::',
    '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:1.2.3.4',
  ]
  const more = [
    '0.0.0.0',
    '::1.2.3.4',
    '1::3:4:5:6:1.2.3.4',
    '64:ff9b::1.2.3.4',
    '::ffff:0:0',
    'A:B:C:D:E:F:a:b',
  ]
  const bad = [
    '',
    ':',
    ':::',
    '1',
    '1:',
    ':1',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::',
    '1::2:3:4:5:6:7:8',
  ]
  const worse = [
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1.2.3',
    '::1.2.3.4.5',
    '::1.2.3.4:5',
    '1.2.3.4::',
    '::01.2.3.4',
    '::1.2.3.256',
  ]
  const worst = [
    '1.2.3',
    '1.2.3.4.',
    '.1.2.3.4',
    '1..2.3',
    '1.2.3.04',
    '1.2.3.1000',
    '+1.2.3.4',
    '1.2.3.4%1',
    '::%',
    '::g',
    '::\u0661',
  ]
  for (const text of [...good, ...more]) t.equal(address.read(text), true, text)
  for (const text of [...bad, ...worse, ...worst]) t.equal(address.read(text), false, text)
})

t.test('ranges match what node:net’s BlockList matches', async (t) => {
  const flips = fc.nat(128)
  const property4 = fc.property(fc.ipV4(), fc.nat(32), flips, (text, length, flip) =>
    agrees(text, length, 'ipv4', flip, 96),
  )
  const property6 = fc.property(ipv6, fc.nat(128), flips, (text, length, flip) =>
    agrees(text, length, 'ipv6', flip, 0),
  )
  t.doesNotThrow(() => fc.assert(property4, { numRuns: 2_000 }))
  t.doesNotThrow(() => fc.assert(property6, { numRuns: 2_000 }))
})

/** Whether both give the same answer for an address that differs from the range's in one bit, or in none. */
function agrees(
  text: string,
  length: number,
  family: 'ipv4' | 'ipv6',
  flip: number,
  firstBit: number,
): boolean {
  const list = new BlockList()
  list.addSubnet(text, length, family)
  const address = new IpAddress()
  address.read(text)
  const wasIpv4 = address.isIpv4
  const bit = Math.max(firstBit, flip)
  if (bit < 128) address.groups[bit >> 4]! ^= 0x8000 >> (bit & 15)
  // Documented: a range wider than ::ffff:0:0/96 is for IPv6 alone.
  if (family === 'ipv6' && length < 96 && (wasIpv4 || address.isIpv4)) return true
  const trusted = parseTrustedProxies(`${text}/${length}`).includes(address)
  return trusted === list.check([...address.groups].map(hex).join(':'), 'ipv6')
}

t.test('TRUSTED_PROXIES takes named sets, addresses and ranges', async (t) => {
  const cases: [text: string, inside: string[], outside: string[]][] = [
    ['', [], ['127.0.0.1', '::1', '0.0.0.0', '::']],
    [
      'loopback',
      ['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1'],
      ['126.255.255.255', '128.0.0.0', '::2', '::'],
    ],
    [
      'private',
      [
        '10.0.0.0',
        '10.255.255.255',
        '172.16.0.0',
        '172.31.255.255',
        '192.168.0.0',
        '192.168.255.255',
        '169.254.9.9',
      ],
      [
        '9.255.255.255',
        '11.0.0.0',
        '172.15.255.255',
        '172.32.0.0',
        '192.167.255.255',
        '192.169.0.0',
        '169.253.9.9',
      ],
    ],
    [
      'private',
      ['fc00::', 'fdff:ffff::1', 'fe80::1', 'febf::1'],
      ['fbff::1', 'fe00::1', 'fec0::1', '127.0.0.1', '::1'],
    ],
    ['private', [], ['100.64.0.1', '100.127.255.255']],
    [
      ' loopback , 203.0.113.7 ',
      ['::1', '203.0.113.7', '::ffff:203.0.113.7'],
      ['203.0.113.6', '203.0.113.8'],
    ],
    ['2001:db8::7', ['2001:db8::7', '2001:DB8:0::7'], ['2001:db8::6', '2001:db8::1:7']],
    ['203.0.113.77/24', ['203.0.113.0', '203.0.113.255'], ['203.0.112.255', '203.0.114.0']],
    ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255'], ['::1', '2001:db8::1']],
    ['::/0', ['::1', '2001:db8::1'], ['1.2.3.4', '::ffff:1.2.3.4']],
    ['::ffff:0:0/90', [], ['1.2.3.4']],
    ['::ffff:0:0/96', ['1.2.3.4'], ['::1', '::fffe:1.2.3.4']],
    ['::ffff:10.0.0.0/104', ['10.1.2.3'], ['11.0.0.0']],
    ['203.0.113.7/32,2001:db8::7/128', ['203.0.113.7', '2001:db8::7'], ['203.0.113.6', '2001:db8::6']],
  ]
  const address = new IpAddress()
  for (const [text, inside, outside] of cases) {
    const trusted = parseTrustedProxies(text)
    for (const host of inside) t.ok(address.read(host) && trusted.includes(address), `${host} in ${text}`)
    for (const host of outside)
      t.ok(address.read(host) && !trusted.includes(address), `${host} not in ${text}`)
  }
})

t.test('TRUSTED_PROXIES that cannot be meant is refused by entry, and not repeated', async (t) => {
  const bad = [
    'localhost',
    'Loopback',
    'toString',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0.0/08',
  ]
  const worse = [
    '10.0.0/8',
    '10.0.0.0/255.0.0.0',
    'fd00::/129',
    'fe80::1%eth0',
    'fe80::%1/64',
    '[::1]',
    '10.0.0.1:80',
    '*',
    '1',
    '/8',
    '',
  ]
  for (const entry of [...bad, ...worse]) {
    const message = /^Entry 2 of the trusted proxies must be loopback, private, .* or fd00::\/8\.$/
    t.throws(() => parseTrustedProxies(`loopback,${entry}`), { name: 'TypeError', message }, entry)
  }
  t.throws(() => parseTrustedProxies('s3cret'), { name: 'TypeError', message: /^Entry 1 (?!.*s3cret)/ })
})
