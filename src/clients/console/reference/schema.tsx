/** Schemas for people: a row for each member with its type and bounds; what is inside it is drawn when it is opened. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import bounds from './bounds.json' with { type: 'json' }
import type { Parameter, Reference, Schema } from './document.ts'
import { Folded, Text } from './text.tsx'

type Resolve = Reference['resolve']
export const Resolver = createContext<Resolve>((value) => value)

/** The type of a value in a few words: `string`, `"buy" | "sell"`, `Quote[]`. */
function typeOf({ $ref, anyOf, enum: values, const: only, type, items }: Schema): string {
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf('/') + 1)
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(' | ')
  if (only !== undefined || values !== undefined)
    return (values ?? [only]).map((value) => JSON.stringify(value)).join(' | ')
  if (type !== 'array' || items === undefined) return type ?? 'any'
  const item = typeOf(items)
  return item.includes('|') ? `(${item})[]` : `${item}[]`
}

/** Its bounds and its default in words: `at least 1`. */
function boundsOf({ items, anyOf = [], ...own }: Schema): string {
  const each = items?.title === undefined ? {} : { title: `each ${items.title}` }
  const all: Readonly<Record<string, unknown>> = Object.assign(each, ...anyOf, own)
  return Object.entries(bounds)
    .filter(([keyword]) => keyword in all)
    .map(([keyword, words]) => words.replace('{}', () => String(all[keyword])))
    .join('; ')
}

/** The objects in a value that have members, each with its type. */
function partsOf(schema: Schema, resolve: Resolve): readonly (readonly [title: string, part: Schema])[] {
  const own = resolve(schema)
  const { properties, patternProperties, anyOf = [], items, 'x-variants': variants = {} } = own
  return [
    ...((properties ?? patternProperties) ? [[schema.$ref ? typeOf(schema) : 'Members', own] as const] : []),
    ...Object.entries(variants),
    ...(items === undefined ? anyOf : [items]).flatMap((part) => partsOf(part, resolve)),
  ]
}

type ShapeProps = { readonly schema: Schema; readonly isFolded?: boolean }

/** The members of what a schema allows: of the first part, and those of the others folded. */
export function Shape({ schema, isFolded = false }: ShapeProps) {
  const parts = partsOf(schema, useContext(Resolver))
  return parts.map(([title, { properties, patternProperties, required = [] }], i) => (
    <Folded key={`${title} ${i}`} title={title} isOpen={i === 0 && !isFolded}>
      {() =>
        Object.entries({ ...properties, ...patternProperties }).map(([name, member]) => (
          <Row key={name} name={name} schema={member} required={required.includes(name)}>
            <Shape schema={member} isFolded />
          </Row>
        ))
      }
    </Folded>
  ))
}

type RowProps = Omit<Parameter, 'description'> & Partial<Parameter> & { readonly children: ComponentChildren }

/** A parameter or a member. */
export function Row({ name, schema, description, required, children }: RowProps) {
  const own = useContext(Resolver)(schema)
  return (
    <div class="field">
      <p class="row">
        <code>{name}</code>
        <span class="type">{typeOf(schema)}</span>
        {required && <span class="chip">required</span>}
        <small>{boundsOf(own)}</small>
      </p>
      <Text text={description ?? schema.description ?? own.description ?? ''} />
      {children}
    </div>
  )
}
