/**
 * Finds environment variables that look like misspelled settings. A setting that is not read must not seem to
 * be in effect, but variables of other programs and platforms must not prevent the start.
 */
import { nearest } from '../runtime/nearest.ts'
import { shown } from '../runtime/shown.ts'

/** Variables with one for each chain. */
const BY_CHAIN = ['RPC_URLS_', 'ROUTER_URL_']
/** Shorter words (HOST, PORT, MODE, LIMITS) are near too many names of other programs. */
const MIN_WORD = 8
/** Near one of our settings, but commonly set for other programs in the same environment. */
const OTHER_PROGRAMS = new Set(['LOGLEVEL'])
/**
 * Set by Kubernetes and by Docker links for each service or linked container, under the name that the
 * operator gave it: `JUPITER_PORT_80_TCP=tcp://10.0.0.1:80`.
 */
const SERVICE_NAME = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//

/**
 * @param variables  the names that are read
 * @returns one sentence for each variable that seems misspelled
 */
export function misspelled(
  environment: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
): readonly string[] {
  const distinctive = variables.filter((name) => name.includes('_') || name.length >= MIN_WORD)
  const known = new Set(variables)
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (known.has(name) || value.trim() === '' || isForAnotherProgram(name, value)) return []
    const prefix = BY_CHAIN.find((one) => name.startsWith(one))
    if (prefix !== undefined) return [unknownChain(name, prefix, variables)]
    const meant = nearest(name, distinctive, false)
    // If the right variable is set as well, this one belongs to another program.
    if (meant === null || environment[meant]?.trim()) return []
    return [`${shown(name)} is not read; ${meant} is. If another program reads ${shown(name)}, set both`]
  })
}

const isForAnotherProgram = (name: string, value: string): boolean =>
  OTHER_PROGRAMS.has(name) || SERVICE_NAME.test(name) || SERVICE_ADDRESS.test(value)

function unknownChain(name: string, prefix: string, variables: readonly string[]): string {
  const chains = variables.filter((variable) => variable.startsWith(prefix))
  if (name === 'RPC_URLS_SOLANA') return `${name} is not read; SOLANA_RPC_URLS is`
  const meant = nearest(
    name.slice(prefix.length),
    chains.map((variable) => variable.slice(prefix.length)),
  )
  if (meant !== null) return `${shown(name)} is not read; ${prefix}${meant} is`
  return `${shown(name)} is not read; those of chains are ${chains.join(', ')}`
}
