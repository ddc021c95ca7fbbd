/** Constructed transactions of version 1, with the verdict that a relay must give at its default bound. */

import t from 'tap'
import { createVerifier } from '../../src/chains/solana/signatures/verify.ts'
import { WireTransaction } from '../../src/chains/solana/wire.ts'
import { SignatureChecker } from '../../src/relay/submissions/signatures.ts'
import { Vm } from '../../src/sandbox/solana/ledger/vm.ts'
import { readVectors, skipWithout } from '../fixtures/vectors.ts'

const FILE = 'solana-v1.json'

interface Case {
  readonly id: string
  readonly base64: string
  readonly relay: 'accept' | 'reject'
}

for (const engine of ['noble', 'native'] as const) {
  t.test(`every case gets its verdict, by ${engine}`, { skip: skipWithout(FILE) }, async (t) => {
    const { cases } = readVectors<{ cases: Case[] }>(FILE)
    t.equal(cases.length, 38)
    const wire = new WireTransaction()
    const checker = new SignatureChecker(createVerifier(engine))
    for (const { id, base64, relay } of cases) {
      const refusal = wire.parse(new Uint8Array(Buffer.from(base64, 'base64')))
      const bad = refusal === null ? await checker.findBad([wire]) : null
      t.equal(refusal === null && bad === null, relay === 'accept', `${id}: ${refusal ?? bad?.code}`)
    }
  })
}

/** The virtual machine's native half aborts on bytes that do not divide into the fields of a version. */
const UNREADABLE: ReadonlySet<string> = new Set(['transaction_truncated', 'config_mask_invalid'])
/** Rules of nodes and leaders, which the machine does not have. */
const LEFT_TO_NODES: ReadonlySet<string> = new Set(['transaction_too_large', 'trailing_bytes'])

t.test('the virtual machine gives the same verdicts', { skip: skipWithout(FILE) }, async (t) => {
  const { cases } = readVectors<{ cases: Case[] }>(FILE)
  const vm = await Vm.load()
  const checker = new SignatureChecker(createVerifier('native'))
  const wire = new WireTransaction()
  let judged = 0
  for (const { id, base64 } of cases) {
    const bytes = new Uint8Array(Buffer.from(base64, 'base64'))
    const refusal = wire.parse(bytes, 4_096)
    if (bytes[0] !== 0x81 || (refusal !== null && UNREADABLE.has(refusal))) continue
    const bad = refusal === null ? await checker.findBad([wire]) : null
    const isSanitary = refusal === null || LEFT_TO_NODES.has(refusal)
    const err = bad !== null ? 'SignatureFailure' : isSanitary ? 'AccountNotFound' : 'SanitizeFailure'
    t.equal(vm.simulate(bytes, { signatures: true, blockhash: false }).failure?.err, err, id)
    judged++
  }
  t.equal(judged, 30)
})
