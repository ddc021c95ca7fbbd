/** The contents of a transaction, read from the pasted bytes alone. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { encodeBase58 } from '../../../../chains/solana/base58.ts'
import type { WireTransaction } from '../../../../chains/solana/wire.ts'
import { count } from '../../format.ts'
import { Fact } from '../../parts/fact.tsx'
import { type Column, column, Table } from '../../parts/table.tsx'
import { type AccountKey, describe, type InstructionView, type LookupTable } from './describe.ts'
import type { PastedTransaction, SignatureState } from './read.ts'

export function Decoded({ reading }: { readonly reading: PastedTransaction }) {
  const { bytes, maxBytes, wire } = reading
  if (bytes === null) return null
  return (
    <details class="panel bytes">
      <summary>{`Bytes: ${count(bytes.length)} of ${count(maxBytes)}`}</summary>
      {wire === null ? <code>{bytesToHex(bytes)}</code> : <Whole reading={reading} wire={wire} />}
    </details>
  )
}

function Whole({ reading, wire }: { readonly reading: PastedTransaction; readonly wire: WireTransaction }) {
  const { version, blockhash, keys, steps, tables, messageBytes, budget } = describe(wire)
  const signatures = reading.signatures.map((state, i) => ({
    signer: keys[i]!.address,
    signature: encodeBase58(wire.signature(i)),
    state,
  }))
  return (
    <>
      <dl class="facts">
        <Fact title="Version">{version}</Fact>
        <Fact title="Message">{`${count(messageBytes)} bytes`}</Fact>
        <Fact title={reading.isDurableNonce ? 'Durable nonce' : 'Blockhash'}>
          <code>{blockhash}</code>
        </Fact>
        <Fact title="Compute budget">{budget ?? 'by its instructions'}</Fact>
      </dl>
      <h3>{`Signatures: ${signatures.length}`}</h3>
      <Table
        caption="Signatures"
        columns={SIGNATURE_COLUMNS}
        rows={signatures}
        idOf={({ signer }) => signer}
      />
      <h3>{`Instructions: ${steps.length}`}</h3>
      <Steps steps={steps} />
      <h3>{`Accounts: ${keys.length}`}</h3>
      <Table caption="Accounts" columns={KEY_COLUMNS} rows={keys} idOf={({ index }) => String(index)} />
      {tables.length > 0 && <Lookups tables={tables} />}
    </>
  )
}

type SignatureRow = { readonly signer: string; readonly signature: string; readonly state: SignatureState }

const SIGNATURE_COLUMNS: readonly Column<SignatureRow>[] = [
  column('signer', 'Signer', ({ signer }) => <code>{signer}</code>),
  column('state', 'Signature', ({ state }) => (
    <span class={`chip ${state === 'holds' ? 'state-ok' : 'state-refused'}`}>
      {state === 'holds' ? 'valid' : state}
    </span>
  )),
  column('signature', 'Base58', ({ signature }) => <code>{signature}</code>),
]

const KEY_COLUMNS: readonly Column<AccountKey>[] = [
  column('index', 'Account', ({ index, address }) => (
    <>
      {`${index} `}
      <code>{address}</code>
    </>
  )),
  column('roles', 'Roles', ({ roles }) => (
    <span class="chips row">
      {roles.map((role) => (
        <span key={role} class="chip">
          {role}
        </span>
      ))}
    </span>
  )),
  column('program', 'Known as', ({ program }) => program),
]

const Steps = ({ steps }: { readonly steps: readonly InstructionView[] }) => (
  <ol class="instructions" start={0}>
    {steps.map(({ index, program, programName, setting, data, dataBytes, accounts }) => (
      <li key={index}>
        <p>
          <strong>{programName ?? 'Unknown program'}</strong>
          {programName === null && <code>{program}</code>}
        </p>
        {setting !== null && <p>{setting}</p>}
        <details>
          <summary>{`${count(dataBytes)} bytes of data, ${accounts.length} accounts`}</summary>
          <p>
            <code>{data === '' ? 'no data' : data}</code>
          </p>
          <ol class="accounts" start={0}>
            {accounts.map((address, i) => (
              <li key={i}>
                <code>{address}</code>
              </li>
            ))}
          </ol>
        </details>
      </li>
    ))}
  </ol>
)

function Lookups({ tables }: { readonly tables: readonly LookupTable[] }) {
  const columns: readonly Column<LookupTable>[] = [
    column('table', 'Table', ({ address }) => <code>{address}</code>),
    column('writable', 'Writable entries', ({ writable }) => writable.join(', ')),
    column('readonly', 'Read-only entries', ({ readonly }) => readonly.join(', ')),
  ]
  return (
    <>
      <h3>Lookup tables</h3>
      <Table caption="Lookup tables" columns={columns} rows={tables} idOf={({ address }) => address} />
      <p class="note">The addresses in these tables are known only on chain.</p>
    </>
  )
}
