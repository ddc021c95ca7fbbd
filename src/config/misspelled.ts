/**
 * Environment variables that nearly are ones of ours. A setting that nobody
 * reads must not pass for one that is in force; what other programs and
 * platforms put into the environment must not keep the service from starting.
 */
import { nearest } from '../runtime/nearest.ts'

const CHAIN_NODES = 'RPC_URLS_'
/** A shorter word (HOST, PORT, MODE, LIMITS) is near too many that are not ours. */
const MIN_WORD = 8
/** Near to one of ours, and set for others where many programs share an environment. */
const OF_OTHERS = new Set(['LOGLEVEL'])
/**
 * What Kubernetes and Docker's links put there for each service or linked
 * container, whose names are the operator's: `JUPITER_PORT_80_TCP=tcp://10.0.0.1:80`.
 */
const SERVICE_NAME = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//

/**
 * @param variables  the names that are read
 * @returns a sentence for each variable that is set in vain
 */
export function misspelled(
  environment: Readonly<Record<string, string | undefined>>,
  variables: readonly string[],
): readonly string[] {
  const distinctive = variables.filter((name) => name.includes('_') || name.length >= MIN_WORD)
  const known = new Set(variables)
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (known.has(name) || value.trim() === '' || isOfOthers(name, value)) return []
    if (name.startsWith(CHAIN_NODES)) return [unknownChain(name, variables)]
    const meant = nearest(name, distinctive, false)
    // With the right one set as well, this one is somebody else's.
    if (meant === null || environment[meant]?.trim()) return []
    return [`${name} is not read; ${meant} is. Where another program reads ${name}, set both`]
  })
}

const isOfOthers = (name: string, value: string): boolean =>
  OF_OTHERS.has(name) || SERVICE_NAME.test(name) || SERVICE_ADDRESS.test(value)

function unknownChain(name: string, variables: readonly string[]): string {
  const chains = variables.filter((variable) => variable.startsWith(CHAIN_NODES))
  if (name === 'RPC_URLS_SOLANA') return `${name} is not read; SOLANA_RPC_URLS is`
  const meant = nearest(
    name.slice(CHAIN_NODES.length),
    chains.map((variable) => variable.slice(CHAIN_NODES.length)),
  )
  if (meant !== null) return `${name} is not read; ${CHAIN_NODES}${meant} is`
  return `${name} is not read; those of chains are ${chains.join(', ')}`
}
