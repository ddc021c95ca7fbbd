import t from 'tap'
import {
  burnDomain,
  FROM_SUI,
  isListed,
  isOrigin,
  PACKAGES_AS_OF,
  roleOf,
} from '../../../src/proof/sui/packages.ts'

const TOKEN_MESSENGER = '0x2aa6c5d56376c371f88a6cc42e852824994993cb9bab8d3e6450cbe3cb32b94e'
const ROUTER = '0xde5d696a79714ca5cb910b9aed99d41f67353abb00715ceaeb0663d57ee39640'
const CETUS_V2 = '0x8ae871505a80d8bf6bf9c05906cda6edfeea460c85bebe2e26a4313f5e67874a'
const SETTLE = '0x17c0b1f7a6ad73f51268f16b8c06c049eecc2f28a270cdd29c06e3d2dea23302'

t.test('of the bridge one function may be called, and no other', async (t) => {
  t.equal(roleOf(TOKEN_MESSENGER, 'deposit_for_burn::deposit_for_burn'), 'burn')
  for (const name of [
    'deposit_for_burn::deposit_for_burn_with_caller',
    'deposit_for_burn::replace_deposit_for_burn',
    'handle_receive_message::handle_receive_message',
    'deposit_for_burn::swap',
    '',
  ])
    t.equal(roleOf(TOKEN_MESSENGER, name), null, name)
})

t.test('a package that is not known, and a name that no object holds itself, have no role', async (t) => {
  t.equal(roleOf(`0x${'7'.repeat(64)}`, 'router::swap'), null)
  for (const name of ['constructor', 'toString', '__proto__', 'router::steal'])
    t.equal(roleOf(ROUTER, name), null, name)
  t.equal(roleOf(ROUTER, 'router::confirm_swap'), 'confirm')
  t.equal(roleOf(CETUS_V2, 'utils::check_coin_threshold'), 'checkCoin')
  t.equal(roleOf(CETUS_V2, 'utils::transfer_or_destroy_coin'), 'keep')
  t.equal(roleOf(CETUS_V2, 'cetus::swap_a2b'), 'swap')
  t.equal(roleOf(CETUS_V2, 'cetus::withdraw'), null)
  t.equal(roleOf(CETUS_V2, 'a::b::swap'), null)
  t.equal(roleOf(SETTLE, 'settle::settle'), 'settle')
})

t.test('the domains of the bridge are those that Circle publishes', async (t) => {
  const domains = {
    ethereum: 0n,
    avalanche: 1n,
    optimism: 2n,
    arbitrum: 3n,
    solana: 5n,
    base: 6n,
    polygon: 7n,
    unichain: 10n,
  }
  for (const [chain, domain] of Object.entries(domains)) t.equal(burnDomain(chain), domain, chain)
  t.same([...FROM_SUI].sort(), Object.keys(domains).sort())
  for (const chain of ['sui', 'bsc', 'linea', 'nowhere']) t.equal(burnDomain(chain), null, chain)
})

const ORIGIN = '0x33ec64e9bb369bf045ddc198c81adbf2acab424da37465d95296ee02045d2b17'
const TURBOS = '0x801d5d826e693cbcabe0535f02a91abc6052096e86c9de43f2b05579dc57144b'

t.test('a version of a listed package has its roles, and no other package has any', async (t) => {
  const version = `0x${'9'.repeat(64)}`
  t.equal(roleOf(version, 'router::confirm_swap', new Map([[version, ORIGIN]])), 'confirm')
  t.equal(roleOf(version, 'router::steal', new Map([[version, ORIGIN]])), null)
  for (const other of [TURBOS, SETTLE, ROUTER, TOKEN_MESSENGER, `0x${'2'.padStart(64, '0')}`, version])
    t.equal(roleOf(version, 'router::confirm_swap', new Map([[version, other]])), null, other)
  t.equal(roleOf(ROUTER, 'router::confirm_swap', new Map([[ROUTER, TURBOS]])), 'confirm', 'the table decides')
})

t.test('for venues listed by their code it is unknown who may upgrade them', async (t) => {
  t.equal(roleOf(TURBOS, 'turbos::swap'), 'venue')
  t.equal(roleOf(TURBOS, 'turbos::withdraw'), null)
  t.ok(isListed(TURBOS))
  for (const id of [TURBOS, SETTLE, ROUTER, TOKEN_MESSENGER]) t.notOk(isOrigin(id), id)
  for (const id of [ORIGIN, '0x3239061b389dcc35be021bb13d174da82fafcc87bf3d8e176e6c62619311a90c']) {
    t.ok(isOrigin(id), id)
    t.ok(isListed(id), id)
  }
  t.match(PACKAGES_AS_OF, /^20\d\d-\d\d-\d\d$/)
})
