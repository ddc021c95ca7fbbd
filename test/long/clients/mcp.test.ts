/** The packed `swapgate-mcp`, driven by the protocol's own client. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { CLOCK } from '../../../src/runtime/clock.ts'
import { listen } from '../../fixtures/gateway.ts'
import { installed } from '../../fixtures/installed.ts'
import { installClient } from '../../fixtures/programs.ts'
import { SWAPS } from '../../fixtures/swaps.ts'

const VERSION = '1.32.2'

interface Sdk {
  readonly Client: new (
    info: object,
  ) => {
    connect(transport: object): Promise<void>
    listTools(): Promise<{ tools: { name: string }[] }>
    callTool(call: object): Promise<{ isError?: boolean; content: { text: string }[] }>
    close(): Promise<void>
  }
  readonly StdioClientTransport: new (options: object) => object
}

t.test("the protocol's own client lists the tools and gets a verified swap", async (t) => {
  const app = t.testdir()
  installClient(app)
  const folder = await installed('mcp', { '@modelcontextprotocol/sdk': VERSION })
  const load = async (path: string) =>
    import(pathToFileURL(join(folder, 'node_modules/@modelcontextprotocol/sdk/dist/esm/client', path)).href)
  const { Client, StdioClientTransport } = { ...(await load('index.js')), ...(await load('stdio.js')) } as Sdk
  // The tools run in a process of their own, by the machine's clock, and so must the deadlines that they verify.
  const { url } = await listen(t, {}, { clock: CLOCK })
  const client = new Client({ name: 'a test', version: '1' })
  const command = join(app, 'node_modules/.bin/swapgate-mcp')
  await client.connect(new StdioClientTransport({ command, env: { ...process.env, SWAPGATE_URL: url } }))
  t.teardown(() => client.close())
  t.equal((await client.listTools()).tools.length, 12)
  const call = async (name: string, input: object) => {
    const { isError, content } = await client.callTool({ name, arguments: input })
    t.notOk(isError, content[0]!.text)
    return JSON.parse(content[0]!.text)
  }
  const { minOut } = await call('quote', SWAPS.base)
  t.match(await call('build', { ...SWAPS.base, minOut }), { verified: 'proved', send: { family: 'evm' } })
})
