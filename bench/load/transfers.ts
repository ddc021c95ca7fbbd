/** Signed transfers, no two alike. */
import { type Keypair, serialize, transfer } from '../../test/fixtures/transactions.ts'

/** The same number and signer make the same transaction. */
export function signedTransfer(signer: Keypair, nth: number): Buffer {
  const blockhash = Buffer.alloc(32, 7)
  blockhash.writeUInt32BE(nth)
  return Buffer.from(serialize(transfer({ signers: [signer], blockhash })))
}

export function submissionCall(transaction: Buffer, id: number): string {
  const params = [transaction.toString('base64'), { encoding: 'base64' }]
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'sendTransaction', params })
}
