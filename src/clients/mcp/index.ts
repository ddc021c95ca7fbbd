#!/usr/bin/env node
/**
 * `swapgate-mcp`: a gateway's public routes as tools for agents, by the Model Context Protocol over stdin and stdout.
 *
 *   SWAPGATE_URL=http://localhost:8080 npx swapgate-mcp
 *
 * It holds no key and signs nothing. What it hands on to be signed was verified by `swapgate/verify` against the
 * order in the agent's words, so that neither a provider nor the gateway has to be believed.
 */
import { createClient } from '../client/index.ts'
import { serve } from './protocol.ts'
import { toolsOf } from './tools.ts'

const url = process.env.SWAPGATE_URL ?? 'http://localhost:8080'
if (!/^https?:\/\//.test(url)) {
  process.stderr.write(
    'SWAPGATE_URL must be the http or https URL of a gateway, such as http://localhost:8080.\n',
  )
  process.exit(2)
}
serve(toolsOf(createClient({ baseUrl: url.replace(/\/+$/, '') })), process.stdin, process.stdout)
