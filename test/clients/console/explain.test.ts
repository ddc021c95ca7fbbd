/** What is pasted into the explain view: what it is taken for, and what the page says of it. */

import { Keypair, SystemProgram, Transaction } from '@solana/web3.js'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { withNode } from '../../../src/clients/console/data/explanation.ts'
import { type Pasted, readPasted } from '../../../src/clients/console/views/explain/read.ts'
import type { ExplainRequest, Explanation } from '../../../src/explain/types.ts'
import { listen, SKIPPED, seriousFindings, startBrowser, visit } from '../../fixtures/browser.ts'
import { Random } from '../../fixtures/classes/random.ts'
import { draw, EXPECTED } from '../../fixtures/drainers.ts'
import { SEED } from '../../fixtures/fast-check.ts'
import type { TestGateway } from '../../fixtures/gateway.ts'
import { fund } from '../../fixtures/swaps.ts'

const WALLET = Keypair.fromSeed(new Uint8Array(32).fill(51)).publicKey
const FRIEND = Keypair.fromSeed(new Uint8Array(32).fill(52)).publicKey
const SPENDER = '0xde709f2102306220921060314715629080e2fb77'
const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const UNLIMITED = { to: USDC, data: `0x095ea7b3${SPENDER.slice(2).padStart(64, '0')}${'f'.repeat(64)}` }

const asText = ({ transaction, call, typedData, messages }: ExplainRequest): string =>
  transaction ?? JSON.stringify(call ?? typedData ?? messages)

t.test('requests of all families are taken for what they are', (t) => {
  const random = new Random(SEED, 1)
  const seen = new Set<string>()
  for (let i = 0; i < 200; i++) {
    const { family, request } = draw(random, i % 2 === 0)
    const { chain, owner, recent, abi, ...asked } = request
    t.match(readPasted(` ${asText(request)}\n`), { family, asked }, family)
    seen.add(family)
  }
  t.equal(seen.size, 4)
  t.end()
})

t.test('they are found in what wallets are asked, and in other encodings', (t) => {
  const typedData = { domain: { chainId: 8453 }, types: {}, message: {} }
  const call = { to: USDC, data: '0x', chainId: '0x2105' }
  const messages = [{ address: 'EQ', amount: '5' }]
  const bytes = transfer()
  const cases: readonly (readonly [string, Partial<Pasted> | null])[] = [
    [
      JSON.stringify({ params: [SPENDER, JSON.stringify(typedData)] }),
      { chainId: 8453, asked: { typedData } },
    ],
    [JSON.stringify({ method: 'eth_sendTransaction', params: [call] }), { family: 'evm', chainId: 8453 }],
    [
      JSON.stringify({ to: USDC, input: '0x12', gas: 21_000 }),
      { chainId: null, asked: { call: { to: USDC, input: '0x12', gas: 21_000 } } },
    ],
    [
      JSON.stringify({ validUntil: 1, messages }),
      { family: 'ton', asked: { messages: { validUntil: 1, messages } } },
    ],
    [JSON.stringify({ method: 'wallet_sendTransactions', params: [call, call] }), null],
    ['b5ee9c72410101010002000000', { family: 'ton' }],
    ['{"bytes":"AAAA","signature":"AA=="}', { family: 'sui', asked: { transaction: 'AAAA' } }],
    [bytes.toString('hex'), { family: 'solana', asked: { transaction: bytes.toString('base64') } }],
    ['0x02c78221058080808080', { family: 'evm', chainId: 8453 }],
    ['02c10a', { family: 'evm', chainId: 10 }],
    ['0xc0', { family: 'evm', chainId: null }],
    ['0xa9059cbb', null],
    [
      JSON.stringify({ chain: 'ethereum', call, owner: SPENDER }),
      { chain: 'ethereum', family: 'evm', asked: { call, owner: SPENDER } },
    ],
    ['{', null],
    ['[]', null],
    ['{}', null],
    ['what is this?', null],
    ['A'.repeat(140_000), null],
  ]
  for (const [text, expected] of cases) {
    if (expected === null) t.equal(readPasted(text), null, text.slice(0, 40))
    else t.match(readPasted(text), expected, text.slice(0, 40))
  }
  t.end()
})

t.test("a gateway's answer makes a verdict worse, never better", (t) => {
  const risk = (code: string) => ({ code, severity: 'danger' as const, reason: code, rule: '', action: null })
  const action = { kind: 'call', words: 'calls', program: null, asset: null, amount: null }
  const more = { from: null, to: null, spender: null }
  const base: Explanation = {
    ...{ chain: 'base', family: 'evm', owner: null, verdict: 'unknown', unknown: [], risks: [risk('one')] },
    ...{ actions: [{ ...action, ...more, fields: null }], simulation: null, summary: '', effects: [] },
  }
  const simulation = { by: 'a node', at: 1, changes: [] }
  const theirs = { ...base, actions: [{ ...base.actions[0]!, fields: { intent: 'Ring' } }], simulation }
  t.match(withNode(base, { ...theirs, verdict: 'known', risks: [] } as never), {
    ...{ verdict: 'unknown', risks: base.risks, simulation },
    actions: [{ fields: { intent: 'Ring' } }],
  })
  const worse = { ...theirs, verdict: 'danger', risks: [...base.risks, risk('two')] }
  t.match(withNode(base, worse as never), { verdict: 'danger', risks: [{ code: 'one' }, { code: 'two' }] })
  const other = { ...theirs, actions: [{ ...theirs.actions[0], words: 'pays' }] }
  t.match(withNode(base, other as never), { actions: [{ words: 'calls', fields: null }] })
  t.end()
})

function transfer(): Buffer {
  const transaction = new Transaction().add(
    SystemProgram.transfer({ fromPubkey: WALLET, toPubkey: FRIEND, lamports: 1_000_000 }),
  )
  transaction.feePayer = WALLET
  transaction.recentBlockhash = SystemProgram.programId.toBase58()
  return transaction.serialize({ verifySignatures: false, requireAllSignatures: false })
}

t.test('the explain view in Chromium', { skip: SKIPPED }, async (t) => {
  const browser = await startBrowser()
  const gateway = await listen(t)
  await fund(gateway.sandbox!.solanaRpc, WALLET.toBase58())
  await honest(t, browser, gateway)
  await thefts(t, browser, gateway)
  await simulated(t, browser, gateway)
  await accessible(t, browser, gateway)
})

const field = (page: Page) => page.getByLabel('Transaction, call, message or typed data')
const chain = (page: Page) => page.getByRole('combobox')
const verdict = (page: Page) => page.locator('.judged')

function honest(t: Test, browser: Browser, { url, log }: TestGateway) {
  return t.test(
    'a transfer to a friend is known, and a node shows what it changes, all by keyboard',
    async (t) => {
      const { page } = await visit(t, browser, `${url}/#/explain`)
      await field(page).focus()
      await page.keyboard.insertText(transfer().toString('base64'))
      await verdict(page).getByText('Check this').waitFor()
      await page.getByRole('heading', { name: 'Sends 0.001 SOL to a new address' }).waitFor()
      t.match(await page.locator('.risks').textContent(), /goes to \w{6}…\w{4}, an address that nobody named/)
      const link = page.locator('.risks a')
      t.equal(await link.getAttribute('href'), `https://solscan.io/account/${FRIEND}`)
      for (const text of [null, WALLET, FRIEND]) {
        await page.keyboard.press('Tab')
        if (text !== null) await page.keyboard.insertText(text.toBase58())
      }
      await verdict(page).getByText('Understood', { exact: true }).waitFor()
      t.match(await verdict(page).textContent(), "That doesn't make it safe")
      t.equal(log.filter(({ route }) => route === '/api/explain').length, 0, 'nothing has left the page')
      await page.getByRole('button', { name: 'Simulate' }).focus()
      await page.keyboard.press('Enter')
      await page.locator('.changes').waitFor()
      t.equal(await page.locator('.changes').textContent(), '− 0.001005 SOL')
      t.match(await verdict(page).textContent(), 'Understood')
      t.notMatch(page.url(), transfer().toString('base64').slice(0, 40), 'the URL does not have it')
    },
  )
}

function thefts(t: Test, browser: Browser, { url }: TestGateway) {
  return t.test('thefts of all families are called what they are; garbage is not explained', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/explain`)
    const random = new Random(7, 1)
    const seen = new Set<string>()
    // Of each family one that is always dangerous, and one that may have to be judged by who signs.
    while (seen.size < 8) {
      const { family, title, request } = draw(random, true)
      const { isDanger, names } = EXPECTED[family][title]!
      const key = `${family} ${isDanger}`
      if (seen.has(key)) continue
      seen.add(key)
      await chain(page).selectOption(request.chain)
      await page.getByLabel('Your wallet').fill(request.owner ?? '')
      await page.getByLabel('Trusted addresses').fill((request.recent ?? []).join(' '))
      await field(page).fill(asText(request))
      await verdict(page)
        .getByText(isDanger ? /^Danger$/ : /^(Danger|Check this)$/)
        .waitFor()
      t.equal(await verdict(page).getByText('Understood', { exact: true }).count(), 0, key)
      const told = (await page.locator('.risks').allTextContents()).join()
      const isUnread = names.includes('unread') && (await page.locator('.unread').count()) > 0
      t.ok(isUnread || names.some((name) => told.includes(`(${name})`)), `${family}, ${title}: ${told}`)
      await field(page).fill('')
    }
    for (const label of ['Your wallet', 'Trusted addresses']) await page.getByLabel(label).fill('')
    await chain(page).selectOption('')
    await field(page).fill(JSON.stringify(UNLIMITED))
    await page.getByText('Choose its chain.').waitFor()
    await chain(page).selectOption('base')
    await verdict(page).getByText('Danger').waitFor()
    t.match(
      await page.locator('.risks').textContent(),
      /may take all of it, at any time.*\(unlimited_approval\)/,
    )
    await field(page).fill('what is this?')
    await page.getByText('We can’t read this').waitFor()
    await field(page).fill('0x02c101')
    await page.getByRole('heading', { name: 'Not decoded' }).waitFor()
  })
}

function simulated(t: Test, browser: Browser, { url, sandbox }: TestGateway) {
  return t.test('the samples execute in the sandbox; of what fails, the reason is said', async (t) => {
    const { page } = await visit(t, browser, `${url}/#/explain`, { beside: [sandbox!.solanaRpc] })
    for (const [name, changes] of [
      ['Transfer', /^− 0\.500005 SOL$/],
      ['Swap', /^− 0\.250006 SOL\+ [\d.]+ USDC$/],
    ] as const) {
      await page.getByRole('button', { name, exact: true }).click()
      await page.getByRole('heading', { name: `${name === 'Swap' ? 'Swaps' : 'Sends'} 0.` }).waitFor()
      await page.getByRole('button', { name: 'Simulate' }).click()
      await page.locator('.changes').waitFor()
      t.match(await page.locator('.changes').textContent(), changes)
    }
    await page.getByRole('button', { name: 'Broken signature' }).click()
    await page.getByRole('button', { name: 'Simulate' }).click()
    await page.getByText("Simulation failed: the wallet doesn't have enough SOL or tokens.").waitFor()
  })
}

async function accessible(t: Test, browser: Browser, { url, sandbox }: TestGateway) {
  for (const theme of ['light', 'dark'] as const) {
    await t.test(`axe-core finds nothing serious in the ${theme} theme`, async (t) => {
      const { page } = await visit(t, browser, `${url}/#/explain`, {
        theme,
        width: 360,
        beside: [sandbox!.solanaRpc],
      })
      await page.getByRole('button', { name: 'Broken signature' }).click()
      await page
        .getByRole('alert')
        .getByText(/^Signer 2 of 2, \w{44}: its signature does not verify\.$/)
        .waitFor()
      t.equal(new URL(page.url()).hash, '#/explain', 'what is tried is not in the URL')
      t.same(await seriousFindings(page), [])
      await page.getByRole('button', { name: 'Swap', exact: true }).click()
      await page.getByRole('alert').waitFor({ state: 'detached' })
      await page
        .getByRole('heading', { name: /^Swaps 0\.25 SOL for at least 33\.956 USDC at Jupiter$/ })
        .waitFor()
      for (const text of [transfer().toString('base64'), JSON.stringify({ ...UNLIMITED, chainId: 8453 })]) {
        await field(page).fill(text)
        await verdict(page).waitFor()
        t.same(await seriousFindings(page), [])
        const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
        t.equal(await page.evaluate(beyond), 0)
      }
    })
  }
}
