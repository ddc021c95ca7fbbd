/**
 * Installs packages from npm that only the long tests need, and prints the folder:
 * `node scripts/packages.mjs clients`. They stay in node_modules/.cache. No script of theirs runs.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../node_modules/.cache', import.meta.url))

/** What these packages depend on is of this day, too. */
const AS_OF = '2026-11-23'

const SETS = {
  /** Which stock.test.ts runs. */
  clients: [
    '@jup-ag/api@6.0.48',
    '@lifi/sdk@4.3.0',
    '@mysten/sui@2.33.1',
    '@solana/web3.js@1.99.0',
    '@ton/core@0.63.1',
    '@ton/crypto@3.3.0',
    '@ton/ton@16.3.0',
    '@tonconnect/sdk@3.4.1',
    '@wagmi/core@3.6.5',
    'ethers@6.17.0',
    'viem@2.57.1',
    'web3@4.16.0',
  ],
  /** Which generators.test.ts runs. */
  generators: [
    '@hey-api/openapi-ts@0.99.0',
    '@stoplight/spectral-cli@6.16.3',
    'openapi-fetch@0.17.0',
    'openapi-typescript@7.13.0',
    'orval@8.38.0',
    'typescript@5.9.3',
  ],
}

/**
 * @param {string} name       of the folder below node_modules/.cache
 * @param {string[]} packages  with their versions
 * @param {string[]} flags    of npm
 * @returns {string} the folder
 */
export function install(name, packages, flags = []) {
  const folder = join(CACHE, name)
  mkdirSync(folder, { recursive: true })
  const common = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--prefix', folder]
  // What npm says goes to stderr: stdout is for the path.
  execFileSync('npm', ['install', ...common, ...flags, ...packages], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  return folder
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , name] = process.argv
  if (!Object.hasOwn(SETS, name ?? '')) {
    process.stderr.write(`packages.mjs: "${name}" is none of ${Object.keys(SETS).join(', ')}\n`)
    process.exit(1)
  }
  const packages = SETS[name]
  const hash = createHash('sha256').update(packages.join()).digest('hex').slice(0, 12)
  const folder = join(CACHE, `${name}-${hash}`)
  const done = join(folder, 'installed')
  if (!existsSync(done)) {
    install(`${name}-${hash}`, packages, [`--before=${AS_OF}`])
    writeFileSync(done, '')
  }
  process.stdout.write(`${folder}\n`)
}
