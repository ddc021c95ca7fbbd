/** Programs, the buffers of their code, and lookup tables. */
import { LOADER_PROGRAM } from '../../chains/solana/programs.ts'
import { rentOf, SOLANA_CEILING } from '../../proof/terms/fees.ts'
import { destroys, hands, opens } from '../ledger.ts'
import { at, type InstructionReader, said, signerOf, table } from './call.ts'
import { empties, who } from './lamports.ts'

const loaderAuthority: InstructionReader = (call, _, found) => {
  const [account, from, to] = [at(call, 0), at(call, 1), at(call, 2)]
  const more = { by: signerOf(call, found), ...(to === null && { severity: 'warning' as const }) }
  const words = `gives the program or buffer ${account} to ${to === null ? 'nobody' : found.nameOf(to)}`
  const control = hands(from, account, to, 'changing the code', 'authority_change', more)
  found.act('authority', words, { program: LOADER_PROGRAM, from, to }, [control])
}

const PROGRAM_DATA_BYTES = 45n

export const LOADER = table(
  4,
  {
    0: (call, _, found, memory) => {
      const [buffer, to] = [at(call, 0), at(call, 1)]
      const control = hands(memory.makerOf(buffer), buffer, to, 'the buffer', 'authority_change')
      found.act('deploy', `makes the buffer ${buffer} for code`, { program: LOADER_PROGRAM, to }, [control])
    },
    1: (call, data, found) => {
      data.u32()
      data.text()
      found.act('deploy', `writes code into the buffer ${at(call, 0)}`, { program: LOADER_PROGRAM }, [])
    },
    2: (call, data, found) => {
      const [payer, program, authority] = [at(call, 0), at(call, 2), at(call, 7)]
      const rent = opens(payer, rentOf(data.u64() + PROGRAM_DATA_BYTES), authority)
      const control = hands(payer, program, authority, 'changing the code', 'authority_change')
      // The buffer's lamports go to the payer.
      const buffer = empties(found, call, authority, payer)
      const words = `deploys the program ${program}, which ${who(authority, found)} may change`
      const more = { program: LOADER_PROGRAM, from: payer, to: program }
      found.act('deploy', words, more, [rent, control, buffer])
    },
    3: (call, _, found) => {
      const [program, buffer, authority] = [at(call, 1), at(call, 2), at(call, 6)]
      const words = `replaces the code of ${program} by the buffer ${buffer}`
      found.act('upgrade', words, { program: LOADER_PROGRAM, from: buffer, to: program }, [
        hands(authority, program, buffer, 'the code', 'upgrade', { by: signerOf(call, found) }),
        empties(found, call, authority, at(call, 3)),
      ])
    },
    4: loaderAuthority,
    5: (call, _, found) => {
      const [account, to, authority, program] = [at(call, 0), at(call, 1), at(call, 2), at(call, 3)]
      const more = { program: LOADER_PROGRAM, asset: 'native', from: account, to }
      found.act('close', `closes ${program ?? account}`, more, [
        empties(found, call, authority, to),
        ...(program === null ? [] : [destroys(authority, program, '1', { by: signerOf(call, found) })]),
      ])
    },
    6: (call, data, found) => {
      const [program, payer] = [at(call, 1), at(call, 3)]
      // Without a payer the account has enough.
      const rent = opens(payer, BigInt(data.u32()) * SOLANA_CEILING.perByte, program)
      const more = { program: LOADER_PROGRAM, from: payer, to: program }
      const effects = call.accounts.length > 3 ? [rent] : []
      found.act('deploy', `makes room for more code of ${program}`, more, effects)
    },
    7: loaderAuthority,
  },
  (call, memory) => {
    if (call.data[0] === 0) memory.finishes(at(call, 0), at(call, 1))
    if (call.data[0] === 2) memory.finishes(at(call, 2), at(call, 7))
  },
)

const TABLE_BYTES = 56n
const KEY_BYTES = 32n

export const LOOKUP_TABLE = table(4, {
  0: (call, data, found) => {
    data.u64()
    data.u8()
    const rent = opens(at(call, 2), rentOf(TABLE_BYTES), at(call, 1))
    found.act('create', `makes the lookup table ${at(call, 0)}`, { program: call.program }, [rent])
  },
  1: (call, _, found) => {
    const [account, authority] = [at(call, 0), at(call, 1)]
    const more = { by: signerOf(call, found), severity: 'warning' } as const
    found.act('setting', `freezes the lookup table ${account}`, { program: call.program, from: authority }, [
      hands(authority, account, null, 'changing and closing', 'authority_change', more),
    ])
  },
  2: (call, data, found) => {
    const count = data.u64()
    data.skip(Number(count * KEY_BYTES))
    const rent = opens(at(call, 2), count * KEY_BYTES * SOLANA_CEILING.perByte, at(call, 1))
    const words = `adds ${count} addresses to the lookup table ${at(call, 0)}`
    found.act('setting', words, { program: call.program }, call.accounts.length > 2 ? [rent] : [])
  },
  3: said('close', 'deactivates a lookup table'),
  4: (call, _, found) => {
    const [account, authority, to] = [at(call, 0), at(call, 1), at(call, 2)]
    const more = { program: call.program, asset: 'native', from: account, to }
    found.act('close', `closes the lookup table ${account}`, more, [empties(found, call, authority, to)])
  },
})
