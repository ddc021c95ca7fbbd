/** Descriptions of the sandbox's servers and of their faults. */
import faults from './faults.json' with { type: 'json' }
import servers from './servers.json' with { type: 'json' }

const FAULTS: Readonly<Record<string, (typeof faults)['hang']>> = faults
const SERVERS: Readonly<Record<string, string>> = servers

export const faultInWords = (fault: string): string => FAULTS[fault]?.meaning ?? ''
export const faultTitle = (fault: string): string => FAULTS[fault]?.title ?? fault
/** Nodes after the first are numbered: `solana-2`. The cluster's own dials are listed with them. */
export const serverInWords = (name: string): string => SERVERS[name.replace(/-\d+$/, '')] ?? ''

const NODE = /^(solana|evm|ton|sui)(-\d+)?$|^solana-(pace|consensus|demand|prices)$/

export const isNode = (name: string): boolean => NODE.test(name)
