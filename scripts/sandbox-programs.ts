/** `node --import=./scripts/ts-loader.mjs scripts/sandbox-programs.ts`: builds the sandbox's programs anew. */
import { writeFileSync } from 'node:fs'
import { builtPrograms } from './sbpf/programs.ts'

const FILE = new URL('../src/sandbox/swap/programs.json', import.meta.url)
writeFileSync(FILE, `${JSON.stringify(builtPrograms(), null, 2)}\n`)
