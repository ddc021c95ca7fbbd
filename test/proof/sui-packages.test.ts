import t from 'tap'
import { burnDomain, FROM_SUI, roleOf } from '../../src/proof/sui-packages.ts'

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
