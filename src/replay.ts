#!/usr/bin/env node
/** `swapgate-replay FILE... [--step]`: gives the replies of recordings again, offline, and says where they differ. */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parseRecordings } from './gateway/replay/file.ts'
import { replay } from './gateway/replay/replay.ts'
import { startGateway } from './gateway.ts'
import { createLogger } from './runtime/log.ts'
import { printable } from './runtime/shown.ts'
import { VERSION } from './runtime/version.ts'

const USAGE = `swapgate-replay FILE... [--step]

Gives the reply of each file of RECORD_DIR again, without a network. Exits with 0 if all are the same to the byte, with
1 and what differs if not. --step prints in their order what a reply was made from.
`

async function main(): Promise<number> {
  const options = { step: { type: 'boolean' }, help: { type: 'boolean' } } as const
  const { values, positionals: files } = parseArgs({ options, allowPositionals: true })
  if (files.length === 0 || values.help) {
    process.stdout.write(USAGE)
    return values.help ? 0 : 2
  }
  const { log } = createLogger({ logLevel: 'silent' })
  const print = (line: string): boolean => process.stdout.write(`${printable(line, 2_000)}\n`)
  let differing = 0
  const recordings = files.flatMap((file) =>
    parseRecordings(readFileSync(file, 'utf8')).map((recording) => ({ file, recording })),
  )
  for (const { file, recording } of recordings) {
    const { head, reply } = recording
    const { isEqual, differences, steps } = await replay(recording, startGateway, log)
    if (values.step) for (const step of steps) print(step)
    print(
      `${isEqual ? 'the same' : 'different'}: ${file}, ${reply.status} ${head.request.method} ${head.request.url}`,
    )
    if (isEqual) continue
    differing++
    if (head.version !== VERSION) print(`It was recorded by ${head.version}; this is ${VERSION}.`)
    for (const line of differences) print(line)
  }
  return differing === 0 ? 0 : 1
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`swapgate-replay: ${printable((error as Error).message)}\n`)
    process.exit(2)
  },
)
