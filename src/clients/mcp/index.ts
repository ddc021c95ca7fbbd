#!/usr/bin/env node
/**
 * `swapgate-mcp`: a gateway's public routes as tools for agents, by the Model Context Protocol over stdin and stdout.
 *
 *   SWAPGATE_URL=http://localhost:8080 node dist/client/mcp/index.js
 *
 * SWAPGATE_HEADERS has headers for each request, such as `Authorization: Bearer KEY`, one a line.
 *
 * It holds no key and signs nothing. What it hands on to be signed was verified by `@swapgate/client/verify` against the
 * order in the agent's words, so that neither a provider nor the gateway has to be believed.
 */
import { createClient } from '../client/index.ts'
import { boundedFetch } from './fetch.ts'
import { parseHeaders } from './headers.ts'
import { serve } from './protocol.ts'
import { toolsOf } from './tools.ts'

try {
  const { SWAPGATE_URL: baseUrl = 'http://localhost:8080', SWAPGATE_HEADERS: headers = '' } = process.env
  const client = createClient({ baseUrl, headers: parseHeaders(headers), fetch: boundedFetch })
  serve(toolsOf(client), process.stdin, process.stdout)
} catch (error) {
  const { message } = error as TypeError
  process.stderr.write(`${message.replace(/^baseUrl/, 'SWAPGATE_URL')}\n`)
  process.exit(2)
}
