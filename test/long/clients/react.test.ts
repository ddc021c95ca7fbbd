/** The hooks of docs/guides/react.md, in React. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Keypair, VersionedTransaction } from '@solana/web3.js'
import t from 'tap'
import { ROOT } from '../../../scripts/docs/pages.ts'
import { runningClock } from '../../fixtures/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { installed } from '../../fixtures/installed.ts'
import { packClient } from '../../fixtures/programs.ts'

const VERSION = '19.2.0'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const ORDER = { chain: 'solana', side: 'buy', token: USDC, amount: '0.25' }

interface Shown {
  readonly quoted: { readonly quote: { readonly minOut: string } | null; readonly error: Error | null }
  readonly state: { readonly step: string; readonly id?: string; readonly error?: Error }
  swap(order: object, minOut: string): Promise<void>
}

t.test('a form quotes, swaps, and a reload shows the same swap', async (t) => {
  const folder = await installed('react', { react: VERSION, 'react-test-renderer': VERSION })
  packClient(join(folder, 'node_modules/@swapgate/client'))
  copyFileSync(join(ROOT, 'docs/examples/use-swap.mjs'), join(folder, 'use-swap.mjs'))
  writeFileSync(
    join(folder, 'all.mjs'),
    `export { createElement, act } from 'react'
export { default as renderer } from 'react-test-renderer'
export * from '@swapgate/client'
export { web3Wallet } from '@swapgate/client/swap'
export { useQuote, useSwap } from './use-swap.mjs'`,
  )
  Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })
  const all = await import(pathToFileURL(join(folder, 'all.mjs')).href)

  const { url, sandbox } = await listen(t, {}, { clock: runningClock() })
  const keypair = Keypair.generate()
  const params = [keypair.publicKey.toBase58(), 2e9]
  await fetch(sandbox!.solanaRpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params }),
  })
  const client = all.createClient({ baseUrl: url })
  const wallet = all.web3Wallet(keypair, VersionedTransaction)
  const kept = new Map<string, string>()
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const keep = { store, id: 'form' }

  /** Draws the form, and waits until it shows what is waited for. */
  async function draw(order: object | null, until: (shown: Shown) => boolean) {
    let shown!: Shown
    function Form() {
      shown = { quoted: all.useQuote(client, order), ...all.useSwap(client, wallet, keep) }
      return null
    }
    const form = await all.act(() => all.renderer.create(all.createElement(Form)))
    const wait = async (isThere: (shown: Shown) => boolean) => {
      while (!isThere(shown)) await all.act(() => new Promise((resolve) => setTimeout(resolve, 20)))
      return shown
    }
    return { form, shown: await wait(until), wait }
  }

  const { form, shown, wait } = await draw(ORDER, ({ quoted }) => quoted.quote !== null)
  const { minOut } = shown.quoted.quote!
  await all.act(() => shown.swap(ORDER, String(2n ** 60n)))
  t.equal(
    (await wait(({ state }) => state.error !== undefined)).state.step,
    'idle',
    'less than was agreed to',
  )
  await all.act(() => shown.swap(ORDER, minOut.slice(0, -1)))
  const done = await wait(({ state }) => state.step === 'done' || state.step === 'failed')
  t.match(done.state, { step: 'done', id: /^[1-9A-Za-z]{86,88}$/ })
  await all.act(() => form.unmount())

  const again = await draw(null, ({ state }) => state.step === 'done')
  t.equal(again.shown.state.id, done.state.id)
  await all.act(() => again.form.unmount())
})
