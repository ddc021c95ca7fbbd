/** The contents of a transaction, read from the pasted bytes alone. */
import { encodeBase58 } from '../../../../chains/solana/base58.ts'
import type { WireTransaction } from '../../../../chains/solana/wire.ts'
import { count } from '../../format.ts'
import { Fact } from '../../parts/fact.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import {
  type AccountKey,
  computeBudgetOf,
  describe,
  type InstructionView,
  type LookupTable,
} from './describe.ts'
import type { PastedTransaction, SignatureState } from './read.ts'

export function Decoded({ reading }: { readonly reading: PastedTransaction }) {
  const { bytes, maxBytes, wire } = reading
  return (
    <>
      {bytes !== null && <Size bytes={bytes.length} maxBytes={maxBytes} />}
      {wire !== null && <Whole reading={reading} wire={wire} />}
    </>
  )
}

function Size({ bytes, maxBytes }: { readonly bytes: number; readonly maxBytes: number }) {
  const part = Math.min(100, (bytes / maxBytes) * 100)
  return (
    <Panel title="Size">
      <p>{`${count(bytes)} of ${count(maxBytes)} bytes`}</p>
      <meter class="size" min={0} max={100} value={part} aria-label="Share of the largest transaction size" />
    </Panel>
  )
}

function Whole({ reading, wire }: { readonly reading: PastedTransaction; readonly wire: WireTransaction }) {
  const description = describe(wire)
  const { version, blockhash, keys, steps, tables, messageBytes } = description
  return (
    <>
      <Panel title="Summary">
        <dl class="facts">
          <Fact title="Version">{version}</Fact>
          <Fact title="Signatures">{wire.signatureCount}</Fact>
          <Fact title="Accounts">{keys.length}</Fact>
          <Fact title="Instructions">{steps.length}</Fact>
          <Fact title="Message">{`${count(messageBytes)} bytes`}</Fact>
          <Fact title={reading.isDurableNonce ? 'Durable nonce' : 'Blockhash'}>
            <code>{blockhash}</code>
          </Fact>
          <Fact title="Compute budget">
            {computeBudgetOf(description) ?? <span class="unknown">the network’s default</span>}
          </Fact>
        </dl>
      </Panel>
      <Panel title="Signatures">
        <Table
          caption="Signatures"
          columns={SIGNATURE_COLUMNS}
          rows={reading.signatures.map((state, i) => ({
            signer: keys[i]!.address,
            signature: encodeBase58(wire.signature(i)),
            state,
          }))}
          idOf={({ signer }) => signer}
        />
      </Panel>
      <Panel title="Instructions">
        <Steps steps={steps} />
      </Panel>
      <Panel title="Accounts">
        <Table caption="Accounts" columns={KEY_COLUMNS} rows={keys} idOf={({ index }) => String(index)} />
      </Panel>
      {tables.length > 0 && <Lookups tables={tables} />}
    </>
  )
}

interface SignatureRow {
  readonly signer: string
  readonly signature: string
  readonly state: SignatureState
}

const STATES: Readonly<Record<SignatureState, readonly [text: string, style: string]>> = {
  holds: ['holds', 'state-ok'],
  missing: ['missing: all zero', 'state-refused'],
  invalid: ['does not verify', 'state-refused'],
}

const SIGNATURE_COLUMNS: readonly Column<SignatureRow>[] = [
  { key: 'signer', title: 'Signer', cell: ({ signer }) => <code>{signer}</code> },
  {
    key: 'state',
    title: 'Signature',
    cell: ({ state }) => <span class={`chip ${STATES[state][1]}`}>{STATES[state][0]}</span>,
  },
  { key: 'signature', title: 'Base58', cell: ({ signature }) => <code>{signature}</code> },
]

const KEY_COLUMNS: readonly Column<AccountKey>[] = [
  {
    key: 'index',
    title: 'Account',
    cell: ({ index, address }) => (
      <>
        {`${index} `}
        <code>{address}</code>
      </>
    ),
  },
  {
    key: 'roles',
    title: 'Roles',
    cell: ({ roles }) => (
      <span class="chips row">
        {roles.map((role) => (
          <span key={role} class="chip">
            {role}
          </span>
        ))}
      </span>
    ),
  },
  { key: 'program', title: 'Known as', cell: ({ program }) => program },
]

function Steps({ steps }: { readonly steps: readonly InstructionView[] }) {
  return (
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
}

function Lookups({ tables }: { readonly tables: readonly LookupTable[] }) {
  const columns: readonly Column<LookupTable>[] = [
    { key: 'table', title: 'Table', cell: ({ address }) => <code>{address}</code> },
    { key: 'writable', title: 'Writable entries', cell: ({ writable }) => writable.join(', ') },
    { key: 'readonly', title: 'Read-only entries', cell: ({ readonly }) => readonly.join(', ') },
  ]
  return (
    <Panel title="Lookup tables">
      <Table caption="Lookup tables" columns={columns} rows={tables} idOf={({ address }) => address} />
      <p class="note">The addresses in these tables are known only on chain.</p>
    </Panel>
  )
}
