/** The whole table of §4.10 against a whole gateway. */
import { Connection, Keypair, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import t, { type Test } from 'tap'
import { until } from '../fixtures/clock.ts'
import { openEvents } from '../fixtures/events.ts'
import { listen, type TestGateway } from '../fixtures/gateway.ts'
import { inventory, type Query, type Row } from '../fixtures/inventory.ts'
import { OpenApi } from '../fixtures/openapi.ts'
import { USDC } from '../fixtures/swaps.ts'

type Json = Record<string, unknown>

interface Operation extends Json {
  readonly parameters?: readonly { readonly name: string }[]
}

interface Reply {
  readonly status: number
  readonly body: Json
}

/** Submits a transfer. @returns its signature */
async function submit({ url, sandbox }: TestGateway): Promise<string> {
  const wallet = Keypair.generate()
  await new Connection(sandbox!.solanaRpc).requestAirdrop(wallet.publicKey, 1e9)
  const relay = new Connection(`${url}/api/solrpc`, 'confirmed')
  const { blockhash } = await relay.getLatestBlockhash()
  const transaction = new Transaction({ feePayer: wallet.publicKey, recentBlockhash: blockhash })
  transaction.add(
    SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: new PublicKey(7), lamports: 1e8 }),
  )
  transaction.sign(wallet)
  return relay.sendRawTransaction(transaction.serialize())
}

function requestOf(path: string, query: Query, twice: string | null = null): string {
  const { operation = '', ...rest } = query
  const values = new URLSearchParams(path.includes('{') ? rest : query)
  if (twice !== null) values.append(twice, query[twice]!)
  const text = values.toString()
  return path.replace('{operation}', operation) + (text === '' ? '' : `?${text}`)
}

async function read(url: string): Promise<Reply> {
  const response = await fetch(url)
  return { status: response.status, body: (await response.json()) as Json }
}

/** The first event of a stream, in the place of a body, after a quote that nobody asked for before. */
async function firstEvent(
  t: Test,
  { url, request, amount }: { readonly url: string; readonly request: string; readonly amount: string },
): Promise<Reply> {
  const client = await openEvents(t, `${url}${request}`)
  t.match(client.headers, { 'content-type': /^text\/event-stream/ }, request)
  await read(`${url}/api/quote?chain=base&side=sell&token=${USDC.base}&amount=${amount}`)
  await until(() => client.events.length > 0)
  client.request.destroy()
  return { status: client.status, body: client.events[0]!.data as Json }
}

/** A good request of a row that gives the parameter, or the first one. */
const baseOf = ({ good }: Row, name: string): Query => good.find((query) => name in query) ?? good[0]!

t.test(
  'every path of the inventory answers in its shape, and refuses each parameter by its name',
  async (t) => {
    const gateway = await listen(t, { LIMITS: 'swap=off,portfolio=off' })
    const { url } = gateway
    const rows = inventory(await submit(gateway))
    const document = (await read(`${url}/openapi.json`)).body
    const api = new OpenApi(document)
    const paths = document.paths as Record<string, { readonly get?: Operation }>

    let quotes = 0
    for (const [path, row] of Object.entries(rows)) {
      const operation = paths[path]?.get
      t.ok(operation, `${path} is described`)
      if (operation === undefined) continue
      if (path !== '/api/tokens') t.equal(operation['x-stability'], 'unverified', path)
      const names = [...row.parameters, ...(row.own ?? [])].sort()
      t.same((operation.parameters ?? []).map(({ name }) => name).sort(), names, path)
      t.same(Object.keys(row.bad).sort(), names, `${path}: bad values of every parameter`)

      for (const query of row.good) {
        const request = requestOf(path, query)
        const amount = String(++quotes)
        const { status, body } = await (row.isStream
          ? firstEvent(t, { url, request, amount })
          : read(url + request))
        t.equal(status, 200, `${request} ${status === 200 ? '' : JSON.stringify(body)}`)
        t.same(api.response('get', path, 200, body), [], request)
      }

      for (const [name, values] of Object.entries(row.bad)) {
        const base = baseOf(row, name)
        const bad = values.map((value) => requestOf(path, { ...base, [name]: value }))
        const twice = name in base && name !== 'operation' ? [requestOf(path, base, name)] : []
        for (const request of [...bad, ...twice]) {
          const { status, body } = await read(url + request)
          t.match({ status, body }, { status: 400, body: { field: name } }, request)
          t.match(body.error, new RegExp(`\`${name}\``), request)
          t.same(api.response('get', path, 400, body), [], request)
        }
      }
    }
  },
)
