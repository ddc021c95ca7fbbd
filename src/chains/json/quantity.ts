/** A number as Ethereum's JSON-RPC writes it: hex without leading zeros. Source: ethereum/execution-apis */
export const quantity = (value: bigint): string => `0x${value.toString(16)}`
