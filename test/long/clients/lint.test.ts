/** The document before Redocly's linter, by its recommended rules and none other. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { listen } from '../../fixtures/gateway.ts'
import { installed } from './world.ts'

const REDOCLY = join(installed('judges'), 'node_modules/@redocly/cli/bin/cli.js')
/** The linter asks nobody for a newer version, and tells nobody that it ran. */
const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true' }

interface Verdict {
  readonly totals: { readonly errors: number; readonly warnings: number; readonly ignored: number }
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[]
}

/** @param folder  where it lies alone, so that no configuration is found beside it */
function lint(folder: string, document: unknown): Promise<Verdict> {
  const file = join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const args = [REDOCLY, 'lint', '--extends=recommended', '--format=json', '--max-problems=1000', file]
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...QUIET },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', () => resolve(JSON.parse(output) as Verdict))
  })
}

t.test('passes the recommended rules of @redocly/cli without a warning', async (t) => {
  const { url } = await listen(t, { MODE: 'live', SOLANA_RPC_URLS: 'http://127.0.0.1:1' })
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Record<string, unknown>
  const { totals, problems } = await lint(t.testdir({}), document)
  t.same(problems, [])
  t.same(totals, { errors: 0, warnings: 0, ignored: 0 })

  const { security: _, ...unsaid } = document
  t.match((await lint(t.testdir({}), unsaid)).problems, [{ ruleId: 'security-defined' }], 'it does lint')
})
