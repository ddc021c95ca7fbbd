/** Typed data: values that are not of their type, and what of a domain is signed. */
import t from 'tap'
import { explain } from '../../../src/explain/explain.ts'

const OWNER = '0x52908400098527886E0F7030069857D2E4169EE7'
const STRANGER = '0xde709f2102306220921060314715629080e2fb77'
const DAI = '0x6B175474E89094C44Da98b954EedeAC495271d0F'

const fields = (text: string) =>
  text.split(',').map((field) => {
    const [type, name] = field.split(' ')
    return { name, type }
  })
const DOMAIN = 'string name,string version,uint256 chainId,address verifyingContract'
const domain = { name: 'Dai Stablecoin', version: '1', chainId: 1, verifyingContract: DAI }

const asked = (typedData: object, more = {}) =>
  explain({ chain: 'ethereum', owner: OWNER, typedData: typedData as never, ...more })

const daiPermit = (message: object, EIP712Domain: object = { EIP712Domain: fields(DOMAIN) }) => ({
  types: {
    ...EIP712Domain,
    Permit: fields('address holder,address spender,uint256 nonce,uint256 expiry,bool allowed'),
  },
  primaryType: 'Permit',
  domain,
  message: { holder: OWNER, spender: STRANGER, nonce: 0, expiry: 0, ...message },
})

t.test('a permit of DAI whose `allowed` is not a bool is not a revocation', async (t) => {
  for (const allowed of [
    'false',
    'False',
    'FALSE',
    '1',
    '0',
    1,
    0,
    '0x1',
    'yes',
    '',
    null,
    undefined,
    [],
    {},
    [true],
  ]) {
    const { verdict, actions, unknown } = await asked(daiPermit({ allowed }))
    t.equal(verdict, 'unknown', JSON.stringify(allowed))
    t.same(actions, [])
    t.match(unknown, [{ why: /allowed: signers do not read it as bool/ }])
  }
  t.match(await asked(daiPermit({ allowed: false })), { verdict: 'known', actions: [{ kind: 'revoke' }] })
  for (const allowed of [true, 'true'])
    t.match(await asked(daiPermit({ allowed })), { verdict: 'danger', actions: [{ kind: 'permit' }] })
})

t.test('what EIP712Domain does not list is not signed, and not believed', async (t) => {
  const revokes = (list: string) => asked(daiPermit({ allowed: false }, { EIP712Domain: fields(list) }))
  const all = await revokes('string name,string version')
  t.match(all, { verdict: 'danger', actions: [{ asset: null, program: null }] })
  t.same(
    all.risks.map(({ code }) => code),
    ['malformed', 'every_chain', 'every_contract'],
  )
  t.match(all.risks[0], { reason: /"chainId","verifyingContract"/ })
  const chainless = await revokes('string name,string version,address verifyingContract')
  t.match(chainless, { verdict: 'danger', risks: [{ code: 'malformed' }, { code: 'every_chain' }] })
  t.match(await asked(daiPermit({ allowed: false }, {})), {
    verdict: 'unknown',
    unknown: [{ where: 'domain' }],
  })
  t.match(await asked(daiPermit({ allowed: false }, { EIP712Domain: [] })), { verdict: 'danger' })
  const { chainId, ...without } = domain
  const old = {
    ...daiPermit({ allowed: false }, { EIP712Domain: fields(DOMAIN.replace(',uint256 chainId', '')) }),
    domain: without,
  }
  t.match(await asked(old), { verdict: 'unknown', risks: [{ code: 'every_chain', severity: 'warning' }] })
})

t.test('a domain in another order or of other types is not known', async (t) => {
  for (const list of [
    'string name,string version,address verifyingContract,uint256 chainId',
    'string name,string version,uint64 chainId,address verifyingContract',
    'string name,string version,uint256 chainId,string verifyingContract',
    'string name,string version,uint256 chainId,address verifyingContract,string more',
  ]) {
    const { verdict, unknown } = await asked(daiPermit({ allowed: false }, { EIP712Domain: fields(list) }))
    t.equal(verdict, 'unknown', list)
    t.equal(unknown[0]!.where, 'domain', list)
  }
})

t.test('types that a signer would read as others are none', async (t) => {
  const { types, ...rest } = daiPermit({ allowed: false })
  for (const more of [
    { bool: fields('bool a') },
    { Permit: [...types.Permit, types.Permit[0]!] },
    { Permit: [...types.Permit.slice(0, 4), { name: 'allowed,bool other', type: 'bool' }] },
    { Permit: [...types.Permit.slice(0, 4), { name: 'allowed', type: 'bool[' }] },
    { 'Per mit': [] },
  ])
    t.match(await asked({ ...rest, types: { ...types, ...more } }), {
      verdict: 'unknown',
      actions: { length: 0 },
    })
})

t.test('zero by signature, and who takes for whom', async (t) => {
  const PERMIT2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
  const NFT = '0x27b1fdb04752bbc536007a920d24acb045561c26'
  const ROUTER = '0x6131B5fae19EA4f9D964eAc0408E4408b66337b5'
  const once = (token: string, amount: string, spender: string) => ({
    types: {
      EIP712Domain: fields('string name,uint256 chainId,address verifyingContract'),
      PermitTransferFrom: fields('TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline'),
      TokenPermissions: fields('address token,uint256 amount'),
    },
    primaryType: 'PermitTransferFrom',
    domain: { name: 'Permit2', chainId: 1, verifyingContract: PERMIT2 },
    message: { permitted: { token, amount }, spender, nonce: 1, deadline: 9 },
  })
  t.match(await asked(once(DAI, '0', STRANGER), { recent: [STRANGER] }), { verdict: 'known' })
  t.match(await asked(once(NFT, '0', STRANGER)), {
    verdict: 'unknown',
    risks: [{ code: 'permit_to_stranger' }, {}],
    effects: [{ kind: 'permission', asset: /0x27/i, amount: '1', until: '9' }],
  })
  t.match(await asked(once(DAI, '5', ROUTER)), { risks: [{ code: 'recipient_unknown' }] }, 'a router')
  t.match(await asked(once(DAI, '5', STRANGER), { recent: [STRANGER] }), { verdict: 'known' })
})

t.test('a bounded permission for a known router is named, and no danger', async (t) => {
  const single = (spender: string, amount: bigint, expiration = '1790000000') =>
    asked({
      types: {
        EIP712Domain: fields('string name,uint256 chainId,address verifyingContract'),
        PermitSingle: fields('PermitDetails details,address spender,uint256 sigDeadline'),
        PermitDetails: fields('address token,uint160 amount,uint48 expiration,uint48 nonce'),
      },
      primaryType: 'PermitSingle',
      domain: {
        name: 'Permit2',
        chainId: 1,
        verifyingContract: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
      },
      message: {
        details: { token: DAI, amount: String(amount), expiration, nonce: 0 },
        spender,
        sigDeadline: '1790000000',
      },
    })
  const UNIVERSAL_ROUTER = '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af'
  t.match(await single(UNIVERSAL_ROUTER, 5n), {
    verdict: 'known',
    summary: "Your wallet lets Uniswap's Universal Router take 0.000000000000000005 DAI.",
    effects: [{ kind: 'permission', to: UNIVERSAL_ROUTER, until: '1790000000' }],
  })
  t.match(await single(UNIVERSAL_ROUTER, 2n ** 160n - 1n), {
    risks: [{ code: 'unlimited_approval', severity: 'warning' }],
  })
  t.match(await single(STRANGER, 5n), { verdict: 'danger' })
  t.match(await single(STRANGER, 0n, '0'), { verdict: 'known', actions: [{ kind: 'revoke' }] })
})

t.test('what was not read of a message is a risk', async (t) => {
  t.match(await asked({ ...daiPermit({ allowed: 'False' }) }), { risks: [{ code: 'unknown_call' }] })
  t.match((await asked(daiPermit({ allowed: true, spender: OWNER }, {}))).risks, [
    { code: 'every_chain' },
    { code: 'every_contract' },
  ])
})
