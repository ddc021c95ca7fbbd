/** Addresses of every family against published vectors, other implementations, and every way to spoil one. */

import { PublicKey } from '@solana/web3.js'
import t from 'tap'
import { getAddress } from 'viem'
import {
  canonicalAddress,
  nativeAddress,
  parseAddress,
  parseAnyAddress,
  parseToken,
} from '../../src/chains/address.ts'
import { CHAINS } from '../../src/chains/chains.ts'
import { MULTICALL3 } from '../../src/chains/contracts.ts'
import { EVM_CHAINS, findChain, findEvmChain, findXprovChain } from '../../src/chains/find.ts'
import fc from '../fixtures/fast-check.ts'

const BASE = findChain('base')!
const SOLANA = findChain('solana')!
const SUI = findChain('sui')!
const TON = findChain('ton')!

const EVM_NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const WSOL = 'So11111111111111111111111111111111111111112'
const SUI_NATIVE = `0x${'0'.repeat(63)}2::sui::SUI`
const TON_NATIVE = 'EQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAM9c'

const EVM_WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const SOLANA_WALLET = '4hXq2mVtE8yZfPn6RkWcLs3Bd9JuTaGo1QxMiYvKe7Dr'
const SUI_WALLET = '0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7'
const TON_WALLET = 'EQAs9VlT6S776tq3unJcP5Ogsj-ELLunLXuOb1EKcOQi4wJB'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

t.test('a wallet of any family is known by its form', async (t) => {
  for (const wallet of [EVM_WALLET, SOLANA_WALLET, SUI_WALLET, TON_WALLET]) {
    t.equal(parseAnyAddress(wallet), wallet)
  }
  t.equal(parseAnyAddress(EVM_WALLET.toLowerCase()), EVM_WALLET)
  for (const none of ['', 'native', '0x1', SUI_NATIVE, `${SOLANA_WALLET}1`])
    t.equal(parseAnyAddress(none), null)
})

t.test('a chain is found by its exact key only', async (t) => {
  for (const chain of CHAINS) t.equal(findChain(chain.key), chain)
  for (const text of ['', 'Base', ' base', 'base ', '8453', '__proto__', 'constructor']) {
    t.equal(findChain(text), null, text)
  }
})

t.test('a cross-chain id is compared as text, exactly also above 2^53', async (t) => {
  const known: [text: string, key: string][] = [
    ['base', 'base'],
    ['8453', 'base'],
    ['1', 'ethereum'],
    ['solana', 'solana'],
    ['1151111081099710', 'solana'],
    ['9270000000000000', 'sui'],
  ]
  for (const [text, key] of known) t.equal(findXprovChain(text)?.key, key, text)
  const unknown = [
    '9270000000000001',
    '9269999999999999',
    '9.27e15',
    '9270000000000000.0',
    '09270000000000000',
    '+8453',
    '-8453',
    '0x2105',
    '08453',
    '8453 ',
    '８４５３',
    '1151111081099592',
    'null',
    '',
    'ton',
  ]
  for (const text of unknown) t.equal(findXprovChain(text), null, text)
})

t.test('every chain belongs to one family', async (t) => {
  const others: Readonly<Record<string, string>> = { solana: 'solana', sui: 'sui', ton: 'ton' }
  for (const chain of CHAINS) t.equal(chain.family, others[chain.key] ?? 'evm', chain.key)
})

t.test("EIP-55's own examples are accepted, and an all-lower-case address becomes checksummed", async (t) => {
  // https://eips.ethereum.org/EIPS/eip-55, "Test Cases"
  const examples = [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
    '0xde709f2102306220921060314715629080e2fb77',
    '0x27b1fdb04752bbc536007a920d24acb045561c26',
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ]
  for (const address of examples) {
    t.equal(parseAddress(BASE, address), address)
    t.equal(parseAddress(BASE, address.toLowerCase()), address)
    t.equal(parseAddress(BASE, `0x${address.slice(2).toUpperCase()}`), address)
  }
})

t.test('EVM addresses agree with another implementation, and a wrong case is refused', async () => {
  const property = fc.property(bytes(20), fc.nat(39), (bytes, at) => {
    const text = `0x${hex(bytes)}`
    const address = getAddress(text)
    const other = address[at + 2]!
    const swapped = other === other.toLowerCase() ? other.toUpperCase() : other.toLowerCase()
    const spoilt = address.slice(0, at + 2) + swapped + address.slice(at + 3)
    const isMixed = /[a-f]/.test(spoilt) && /[A-F]/.test(spoilt)
    return (
      parseAddress(BASE, text) === address &&
      parseToken(BASE, text)?.address === address &&
      (spoilt === address || !isMixed || parseAddress(BASE, spoilt) === null)
    )
  })
  fc.assert(property)
})

t.test('Solana addresses agree with another implementation', async () => {
  const isKey = (text: string): boolean => {
    try {
      return new PublicKey(text).toBase58() === text
    } catch {
      return false
    }
  }
  const base58 = [...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz']
  const texts = fc.array(fc.constantFrom(...base58), { minLength: 30, maxLength: 46 })
  const keys = bytes(32).map((key) => new PublicKey(key).toBase58())
  const property = fc.property(
    fc.oneof(
      keys,
      texts.map((digits) => digits.join('')),
    ),
    (text) => {
      return parseAddress(SOLANA, text) === (isKey(text) ? text : null)
    },
  )
  fc.assert(property, { numRuns: 500 })
})

t.test('Sui coin types may leave leading zeros out, wallets may not', async (t) => {
  const property = fc.property(bytes(32), fc.nat(31), fc.boolean(), (bytes, zeros, isUpper) => {
    bytes.fill(0, 0, zeros)
    bytes[31]! |= 1
    const address = `0x${hex(bytes)}`
    const digits = hex(bytes).replace(/^0+/, '')
    const short = `0x${isUpper ? digits.toUpperCase() : digits}`
    return (
      parseAddress(SUI, address) === address &&
      parseAddress(SUI, short) === (digits.length === 64 ? address : null) &&
      parseToken(SUI, `${short}::usdc::USDC`)?.address === `${address}::usdc::USDC`
    )
  })
  fc.assert(property)
  const names = ['::coin::COIN', '::_0::a_B_9', `::m::${'T'.repeat(128)}`]
  for (const name of names)
    t.same(parseToken(SUI, SUI_WALLET + name), { address: SUI_WALLET + name, isNative: false })
})

t.test('TON addresses are one in all their spellings', async (t) => {
  // ton-org/ton-core src/address/Address.spec.ts, and the documentation's elector address
  const spellings: [canonical: string, ...others: string[]][] = [
    [
      TON_WALLET,
      'EQAs9VlT6S776tq3unJcP5Ogsj+ELLunLXuOb1EKcOQi4wJB',
      'UQAs9VlT6S776tq3unJcP5Ogsj-ELLunLXuOb1EKcOQi41-E',
      'UQAs9VlT6S776tq3unJcP5Ogsj+ELLunLXuOb1EKcOQi41+E',
      '0:2cf55953e92efbeadab7ba725c3f93a0b23f842cbba72d7b8e6f510a70e422e3',
      '0:2CF55953E92EFBEADAB7BA725C3F93A0B23F842CBBA72D7B8E6F510A70E422E3',
    ],
    [
      'Ef_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYDJ4',
      'Uf_8uRo6OBbQ97jCx2EIuKm8Wmt6Vb15-KsQHFLbKSMiYG-9',
      '-1:fcb91a3a3816d0f7b8c2c76108b8a9bc5a6b7a55bd79f8ab101c52db29232260',
    ],
    [
      'EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs',
      '0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe',
    ],
  ]
  for (const [canonical, ...others] of spellings) {
    for (const text of [canonical, ...others]) {
      t.equal(parseAddress(TON, text), canonical, text)
      t.same(parseToken(TON, text), { address: canonical, isNative: false }, text)
    }
  }
})

t.test('TON checksums are those of long division, and no changed character passes', async () => {
  /** The remainder of bytes x 2^16 by x^16 + x^12 + x^5 + 1. */
  const remainder = (bytes: Uint8Array): number => {
    let rest = BigInt(`0x${hex(bytes)}0000`)
    for (let bit = bytes.length * 8 - 1; bit >= 0; bit--) {
      if ((rest >> BigInt(bit + 16)) & 1n) rest ^= 0x11021n << BigInt(bit)
    }
    return Number(rest)
  }
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const property = fc.property(bytes(32), fc.boolean(), fc.nat(47), fc.nat(62), (id, isMaster, at, step) => {
    const body = Uint8Array.of(0x11, isMaster ? 0xff : 0, ...id)
    const crc = remainder(body)
    const text = Buffer.from([...body, crc >> 8, crc & 0xff]).toString('base64url')
    const digit = digits[(digits.indexOf(text[at]!) + 1 + step) % 64]!
    const spoilt = text.slice(0, at) + digit + text.slice(at + 1)
    return (
      parseAddress(TON, `${isMaster ? -1 : 0}:${hex(id)}`) === text &&
      parseAddress(TON, text) === text &&
      parseAddress(TON, spoilt) === null
    )
  })
  fc.assert(property)
})

t.test('every spelling of a native coin is that coin, and no wallet', async (t) => {
  const spellings: [key: string, native: string, spellings: string[]][] = [
    ['base', EVM_NATIVE, [EVM_NATIVE, EVM_NATIVE.toLowerCase(), `0x${'0'.repeat(40)}`]],
    ['solana', WSOL, [WSOL, '1'.repeat(32)]],
    ['sui', SUI_NATIVE, [SUI_NATIVE, '0x2::sui::SUI', '0x02::sui::SUI', `0x${'0'.repeat(62)}02::sui::SUI`]],
    [
      'ton',
      TON_NATIVE,
      [TON_NATIVE, 'UQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAJKZ', `0:${'0'.repeat(64)}`],
    ],
  ]
  for (const [key, native, texts] of spellings) {
    const chain = findChain(key)!
    t.equal(nativeAddress(chain), native)
    for (const text of ['native', ...texts]) {
      t.same(parseToken(chain, text), { address: native, isNative: true }, text)
      t.equal(parseAddress(chain, text), null, text)
    }
  }
  t.same(parseToken(BASE, findEvmChain('base')!.wrappedNative)?.isNative, false, 'wrapped ether is a token')
  t.same(parseToken(SUI, '0x2::sui::Sui')?.isNative, false, "Move's names are case-sensitive")
  t.equal(parseAddress(SUI, `0x${'0'.repeat(64)}`), null, 'an account that nobody holds')
})

t.test('anything but an exact address is refused, as a wallet and as a token', async (t) => {
  const wrong: [key: string, text: string][] = [
    ['base', ''],
    ['base', 'Native'],
    ['base', 'NATIVE'],
    ['base', EVM_WALLET.slice(2)],
    ['base', EVM_WALLET.slice(0, -1)],
    ['base', `${EVM_WALLET}0`],
    ['base', EVM_WALLET.replace('0x', '0X')],
    ['base', EVM_WALLET.replace('5aA', '5aa')],
    ['base', EVM_WALLET.replace('e', 'g')],
    ['base', EVM_WALLET.replace('e', 'е')],
    ['base', EVM_WALLET.replace('6', '６')],
    ['base', ` ${EVM_WALLET}`],
    ['base', `${EVM_WALLET}\n`],
    ['base', `${EVM_WALLET}\u200b`],
    ['base', SOLANA_WALLET],
    ['base', SUI_WALLET],
    ['base', 'vitalik.eth'],
    ['solana', ''],
    ['solana', SOLANA_WALLET.slice(0, -2)],
    ['solana', `${SOLANA_WALLET}1`],
    ['solana', `${SOLANA_WALLET} `],
    ['solana', SOLANA_WALLET.replace('D', '0')],
    ['solana', SOLANA_WALLET.replace('D', 'l')],
    ['solana', SOLANA_WALLET.replace('e', 'е')],
    ['solana', '1'.repeat(31)],
    ['solana', '1'.repeat(33)],
    ['solana', 'z'.repeat(44)],
    ['solana', 'so11111111111111111111111111111111111111112'.toUpperCase()],
    ['solana', EVM_WALLET],
    ['solana', TON_WALLET],
    ['sui', ''],
    ['sui', '0x'],
    ['sui', '0x2'],
    ['sui', SUI_WALLET.slice(0, -1)],
    ['sui', SUI_WALLET.slice(2)],
    ['sui', `${SUI_WALLET}0`],
    ['sui', SUI_WALLET.replace('0x', '0X')],
    ['sui', SUI_WALLET.replace('a', 'а')],
    ['sui', `${SUI_WALLET}\n`],
    ['sui', `${SUI_WALLET}::usdc`],
    ['sui', `${SUI_WALLET}::usdc::`],
    ['sui', `${SUI_WALLET}::usdc::USDC\n`],
    ['sui', `${SUI_WALLET}::usdc::USDC::X`],
    ['sui', `${SUI_WALLET}::usdc::USDC `],
    ['sui', `${SUI_WALLET}::9usdc::USDC`],
    ['sui', `${SUI_WALLET}::_::USDC`],
    ['sui', `${SUI_WALLET}::usdc::US-DC`],
    ['sui', `${SUI_WALLET}::usdc::USDС`],
    ['sui', `${SUI_WALLET}::usdc::${'T'.repeat(129)}`],
    ['sui', `${SUI_WALLET}::amm::LP<0x2::sui::SUI>`],
    ['sui', `${SUI_WALLET}:usdc:USDC`],
    ['sui', `0x::usdc::USDC`],
    ['sui', SOLANA_WALLET],
    ['ton', ''],
    ['ton', TON_WALLET.slice(0, -1)],
    ['ton', `${TON_WALLET}A`],
    ['ton', `${TON_WALLET}=`],
    ['ton', `${TON_WALLET}\n`],
    ['ton', TON_WALLET.replace('J', 'K')],
    ['ton', TON_WALLET.toLowerCase()],
    ['ton', TON_WALLET.replace('Q', 'Ｑ')],
    // Both alphabets at once, of an address that has a + and a /.
    ['ton', 'EQC61IQRl0_la95t27xhIpjxZt32vl1QQVF2UgTNuvD18W+4'],
    // An address of the test network.
    ['ton', 'kQAs9VlT6S776tq3unJcP5Ogsj-ELLunLXuOb1EKcOQi47nL'],
    ['ton', '0QAs9VlT6S776tq3unJcP5Ogsj-ELLunLXuOb1EKcOQi4-QO'],
    ['ton', `1:${'2'.repeat(64)}`],
    ['ton', `00:${'2'.repeat(64)}`],
    ['ton', `-0:${'2'.repeat(64)}`],
    ['ton', `0:${'2'.repeat(63)}`],
    ['ton', `0:${'2'.repeat(65)}`],
    ['ton', `0x${'2'.repeat(64)}`],
    ['ton', `0: ${'2'.repeat(64)}`],
    ['ton', 'wallet.ton'],
    ['ton', EVM_WALLET],
  ]
  for (const [key, text] of wrong) {
    const chain = findChain(key)!
    t.equal(parseAddress(chain, text), null, `${key} ${JSON.stringify(text)}`)
    t.equal(parseToken(chain, text), null, `${key} ${JSON.stringify(text)}`)
    t.equal(canonicalAddress(key, text), text)
  }
  t.equal(parseToken(SUI, SUI_WALLET), null, 'a Sui account is no coin')
  t.equal(parseAddress(SUI, `${SUI_WALLET}::usdc::USDC`), null, 'a Sui coin is no account')
})

t.test(
  'a TON address with a workchain or tag that is not in use is refused, its checksum right or not',
  async (t) => {
    const original = Buffer.from(TON_WALLET, 'base64url')
    const crc16 = (bytes: Uint8Array): number => {
      let crc = 0
      for (const byte of bytes) {
        for (let bit = 7; bit >= 0; bit--) {
          const carry = (crc >> 15) ^ ((byte >> bit) & 1)
          crc = ((crc << 1) & 0xffff) ^ (carry === 1 ? 0x1021 : 0)
        }
      }
      return crc
    }
    const withHead = (tag: number, workchain: number): string => {
      const bytes = Buffer.from(original)
      bytes[0] = tag
      bytes[1] = workchain
      bytes.writeUInt16BE(crc16(bytes.subarray(0, 34)), 34)
      return bytes.toString('base64url')
    }
    t.equal(withHead(0x11, 0), TON_WALLET)
    for (const [tag, workchain] of [
      [0x10, 0],
      [0x31, 0],
      [0xfe, 0],
      [0x11, 1],
      [0x11, 10],
      [0x11, 0xfe],
    ] as const) {
      t.equal(parseAddress(TON, withHead(tag, workchain)), null, `${tag} ${workchain}`)
    }
  },
)

t.test('a look-up finds wallets and tokens in any spelling', async (t) => {
  const cases: [key: string, text: string, canonical: string][] = [
    ['base', EVM_WALLET.toLowerCase(), EVM_WALLET],
    ['base', 'native', EVM_NATIVE],
    ['sui', SUI_WALLET.toUpperCase().replace('0X', '0x'), SUI_WALLET],
    ['sui', '0x2::sui::SUI', SUI_NATIVE],
    ['ton', `0:${'0'.repeat(64)}`, TON_NATIVE],
    ['nowhere', 'native', 'native'],
  ]
  for (const [key, text, canonical] of cases)
    t.equal(canonicalAddress(key, text), canonical, `${key} ${text}`)
})

t.test('the contracts of every EVM chain are there, checksummed', async (t) => {
  t.equal(MULTICALL3, getAddress(MULTICALL3.toLowerCase()))
  for (const { key, wrappedNative, v2Routers } of EVM_CHAINS) {
    const addresses = [wrappedNative, ...v2Routers.map(({ address }) => address)]
    for (const address of addresses) t.equal(address, getAddress(address.toLowerCase()), key)
    t.equal(new Set(addresses).size, addresses.length, key)
  }
})
