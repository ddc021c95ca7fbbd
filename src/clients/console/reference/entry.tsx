/** An entry: what it takes, in fields that are filled in, its programs, a trial, and what it answers. */
import { useContext, useState } from 'preact/hooks'
import { objectOf } from '../../client/json.ts'
import { programsOf, requestOf } from './code.ts'
import { Codes } from './codes.tsx'
import { type Body, type Entry, type Parameter, type Reference, valuesOf } from './document.ts'
import { Resolver, Row, Shape } from './schema.tsx'
import { Folded, Programs, Source, Text } from './text.tsx'
import texts from './texts.json' with { type: 'json' }
import { Trial } from './trial.tsx'

/** The fields and the body of an example; a build's without its quote, which is past. */
function filledIn({ inputs, parameters }: Entry, example: string) {
  const { quote: _, ...body } = inputs[example]!
  const values = Object.fromEntries(parameters.map(({ name }) => [name, String(body[name] ?? '')]))
  return { example, values, body: JSON.stringify(body, null, 2) }
}

export function EntryView({ entry, reference }: { readonly entry: Entry; readonly reference: Reference }) {
  const { title, label, path, text, operation, inputs, parameters, params } = entry
  const examples = Object.keys(inputs)
  const [filled, fill] = useState(() => filledIn(entry, examples[0]!))
  const { example, values, body } = filled
  const request = requestOf(entry, filled, reference)
  return (
    <article class="entry">
      <header>
        <h1 tabIndex={-1}>{title}</h1>
        <p class="row">
          <b>{label}</b>
          <code>{path}</code>
          {operation['x-stability'] !== undefined && <span class="chip">may change</span>}
        </p>
        <Text text={text} />
        {label === 'RPC' && <Text text={texts.rpc} />}
      </header>
      <div class="takes">
        {parameters.map((one) => (
          <Field
            key={one.name}
            parameter={one}
            value={values[one.name]!}
            set={(value) => fill({ ...filled, values: { ...values, [one.name]: value } })}
          />
        ))}
        {entry.body !== null && (
          <>
            <textarea
              aria-label="Body"
              rows={Math.min(20, body.split('\n').length)}
              value={body}
              onInput={({ currentTarget }) => fill({ ...filled, body: currentTarget.value })}
            />
            {request.quoteTarget !== null && <Text text={texts.build} />}
            {objectOf(body) === null && <p role="alert">{texts.noObject}</p>}
            {(params?.prefixItems ?? []).map((schema, i) => (
              <Row key={i} name={`params[${i}]`} schema={schema} required={i < (params?.minItems ?? 0)}>
                <Shape schema={schema} />
              </Row>
            ))}
            <Shape schema={entry.body} isFolded={label === 'RPC'} />
          </>
        )}
      </div>
      <aside aria-label="Code and trial">
        {examples.length > 1 && (
          <label class="check">
            Example
            <select
              value={example}
              onChange={({ currentTarget }) => fill(filledIn(entry, currentTarget.value))}
            >
              {optionsOf(examples)}
            </select>
          </label>
        )}
        <Programs programs={programsOf(request, location.origin)} />
        <Trial request={request} />
      </aside>
      <div class="replies">
        <h2>Answers</h2>
        {Object.entries(operation.responses).map(([status, reply]) => (
          <Answers key={status} status={status} reply={reference.resolve(reply)} reference={reference} />
        ))}
      </div>
    </article>
  )
}

const optionsOf = (choices: readonly string[]) => choices.map((one) => <option key={one}>{one}</option>)

type FieldProps = { readonly parameter: Parameter; readonly value: string; set(value: string): void }

function Field({ parameter, value, set }: FieldProps) {
  const own = useContext(Resolver)(parameter.schema)
  const choices = own.type === 'boolean' ? [true, false] : own.enum
  const common = { 'aria-label': parameter.name, value }
  return (
    <Row {...parameter}>
      {choices === undefined ? (
        <input {...common} onInput={({ currentTarget }) => set(currentTarget.value)} />
      ) : (
        <select {...common} onChange={({ currentTarget }) => set(currentTarget.value)}>
          {optionsOf(['', ...choices.map(String)])}
        </select>
      )}
    </Row>
  )
}

type AnswersProps = { readonly status: string; readonly reply: Body; readonly reference: Reference }

function Answers({ status, reply: { description, headers = {}, content = {} }, reference }: AnswersProps) {
  const [shown] = Object.values(content)
  const examples = Object.entries(shown === undefined ? {} : valuesOf(shown))
  return (
    <Folded title={`${status} ${description}`} isOpen={status === '200'}>
      {() => (
        <>
          <p class="type">{[...Object.keys(content), ...Object.keys(headers)].join(' · ')}</p>
          {examples.map(([name, value]) => (
            <Folded key={name} title={`Example ${name}`}>
              {() => <Source text={JSON.stringify(value, null, 2)} what={`the example ${name}`} />}
            </Folded>
          ))}
          <Codes codes={reference.errors.filter((row) => row.status === status)} />
          {shown !== undefined && <Shape schema={shown.schema} />}
        </>
      )}
    </Folded>
  )
}
