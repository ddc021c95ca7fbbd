/**
 * The Model Context Protocol as far as tools need it: JSON-RPC 2.0, one message a line.
 *
 * Source: modelcontextprotocol.io, specification 2025-06-18: base protocol, lifecycle, transports (stdio), tools
 */
import { Buffer } from 'node:buffer'
import type { Readable, Writable } from 'node:stream'

export interface Tool {
  readonly name: string
  readonly description: string
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>
  /** @returns a JSON value @throws Error  whose message tells the agent what is wrong */
  call(input: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** The newest first. Their tools do not differ in what is used here. */
const VERSIONS = ['2025-06-18', '2025-03-26', '2024-11-05']
/** A longer line is no request of an agent's, and would only fill memory. */
const MAX_LINE_BYTES = 1_048_576
const NAME = 'swapgate-mcp'

/** JSON-RPC's own codes. */
const PARSE_ERROR = -32700
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602

class Refused extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

type Message = Readonly<Record<string, unknown>>

/** Answers until the input ends; calls of tools run beside each other. */
export function serve(tools: readonly Tool[], input: Readable, output: Writable): void {
  const send = (message: object): void =>
    void output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let rest = ''
  input.setEncoding('utf8')
  input.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    if (Buffer.byteLength(rest) > MAX_LINE_BYTES) input.destroy()
    for (const line of lines) if (line.trim() !== '') void take(line, tools, send)
  })
}

async function take(line: string, tools: readonly Tool[], send: (message: object) => void): Promise<void> {
  let message: Message
  try {
    message = JSON.parse(line)
  } catch {
    return send({ id: null, error: { code: PARSE_ERROR, message: 'A line must be one JSON-RPC message.' } })
  }
  const id = typeof message?.id === 'string' || typeof message?.id === 'number' ? message.id : null
  // A notification gets no answer, and neither does an answer to nothing that was asked.
  if (id === null && typeof message?.method === 'string') return
  try {
    send({ id, result: await answer(message, tools) })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    send({ id, error: { code: error.code, message: error.message } })
  }
}

async function answer(message: Message, tools: readonly Tool[]): Promise<object> {
  if (message?.jsonrpc !== '2.0' || typeof message.method !== 'string') {
    throw new Refused(INVALID_REQUEST, 'A message must have `jsonrpc` "2.0", an `id` and a `method`.')
  }
  const params = isObject(message.params) ? message.params : {}
  switch (message.method) {
    case 'initialize': {
      const asked = String(params.protocolVersion)
      return {
        protocolVersion: VERSIONS.includes(asked) ? asked : VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: NAME, version: '0.1.0' },
      }
    }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: tools.map(({ call: _, ...tool }) => tool) }
    case 'tools/call':
      return callTool(params, tools)
    default:
      throw new Refused(METHOD_NOT_FOUND, `There is no method ${message.method}: only tools are served.`)
  }
}

/** A failure of the tool is an answer, which the agent reads. */
async function callTool({ name, arguments: input }: Message, tools: readonly Tool[]): Promise<object> {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) throw new Refused(INVALID_PARAMS, `There is no tool ${String(name)}.`)
  try {
    return contentOf(await tool.call(isObject(input) ? input : {}))
  } catch (error) {
    return { ...contentOf(error instanceof Error ? error.message : String(error)), isError: true }
  }
}

function contentOf(value: unknown): object {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { content: [{ type: 'text', text }] }
}

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
