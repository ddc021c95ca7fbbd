#!/usr/bin/env node
/** `swapgate-replay FILE [--step]`: gives the reply of a recording again, offline, and says where it differs. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseRecording } from './gateway/replay/file.ts'
import { differencesOf, replay } from './gateway/replay/replay.ts'
import { startGateway } from './gateway.ts'
import { createLogger } from './runtime/log.ts'
import { printable } from './runtime/shown.ts'
import { VERSION } from './runtime/version.ts'

const USAGE = `swapgate-replay FILE [--step]

Gives the reply of a file of RECORD_DIR again, without a network. Exits with 0 if it is the same to the byte, with 1
and what differs if not. --step prints in their order what the reply was made from.
`

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: { step: { type: 'boolean' }, help: { type: 'boolean' } },
    allowPositionals: true,
  })
  const [file, ...others] = positionals
  const print = (line: string): boolean => process.stdout.write(`${printable(line)}\n`)
  if (file === undefined || others.length > 0 || values.help) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  const recording = parseRecording(readFileSync(file, 'utf8'))
  const { head, reply } = recording
  const { log } = createLogger({ logLevel: 'silent' })
  const { isEqual, differences, steps, reply: now } = await replay(recording, startGateway, log)
  if (values.step) for (const step of steps) print(step)
  print(
    `${head.request.method} ${head.request.url}: ${reply.status}, ${isEqual ? 'the same' : 'not the same'}`,
  )
  if (isEqual) return 0
  if (head.version !== VERSION) print(`It was recorded by ${head.version}; this is ${VERSION}.`)
  for (const line of [...differencesOf(reply, now), ...differences]) print(line)
  return 1
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`swapgate-replay: ${printable((error as Error).message)}\n`)
    process.exit(2)
  },
)
