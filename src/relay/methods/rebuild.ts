/**
 * Builds the `params` that go upstream: JSON text made from validated values,
 * with the schema's keys in the schema's order and nothing else. A duplicate or
 * unknown key or a number's spelling never leaves the relay.
 *
 * Source: agave rpc/src/rpc.rs (send_transaction, simulate_transaction)
 */
import type { TSchema } from 'typebox'
import { MAX_RETRIES } from '../../config/defaults.ts'
import { type ParamsSchema, type SendOptions, SimulationOptions } from './params.ts'

type Copy = (value: unknown) => unknown

/**
 * Makes the function that turns a method's validated params into JSON text,
 * without absent or empty members at the end. Called once per method.
 */
export function rebuilder(schema: ParamsSchema): (params: readonly unknown[]) => string {
  const copies = schema.prefixItems.map(copier)
  return (params) => {
    const fresh: unknown[] = []
    for (let i = 0; i < params.length; i++) fresh.push(copies[i]!(params[i]))
    while (fresh[fresh.length - 1] === null) fresh.pop()
    return JSON.stringify(fresh)
  }
}

/**
 * Applies the submission policy: preflight always, at `confirmed` unless the client asks for another level;
 * retries within the bound; base64 of the verified bytes.
 * @param base64   the transaction
 * @param options  validated; `skipPreflight: true` was refused earlier
 */
export function submissionParams(
  base64: string,
  options: SendOptions | null | undefined,
  maxRetriesBound: number = MAX_RETRIES,
): string {
  const policy = {
    encoding: 'base64',
    skipPreflight: false,
    preflightCommitment: options?.preflightCommitment ?? 'confirmed',
    maxRetries: retriesOf(options, maxRetriesBound),
    minContextSlot: options?.minContextSlot ?? undefined,
  }
  return JSON.stringify([base64, policy])
}

/** How often a submission may be resent: as the client asked, within the bound. */
export function retriesOf(options: SendOptions | null | undefined, bound: number): number {
  return Math.min(options?.maxRetries ?? bound, bound)
}

/** The params of a simulation: the client's options, and base64 of the checked bytes. */
export function simulationParams(base64: string, options: SimulationOptions | null | undefined): string {
  return JSON.stringify([base64, { ...copySimulation(options), encoding: 'base64' }])
}

interface ObjectKeywords {
  readonly properties: Readonly<Record<string, TSchema>>
}

/** Copies what a schema declares; null for null, an absent value and an object without a declared key. */
function copier(schema: TSchema): Copy {
  const object = objectIn(schema)
  if (object === null) return (value) => value ?? null

  const names = Object.keys(object.properties)
  const copies = names.map((name) => copier(object.properties[name]!))
  return (value) => {
    if (typeof value !== 'object' || value === null) return value ?? null
    return copyObject(value as Readonly<Record<string, unknown>>, names, copies)
  }
}

function copyObject(
  value: Readonly<Record<string, unknown>>,
  names: readonly string[],
  copies: readonly Copy[],
): Record<string, unknown> | null {
  let fresh: Record<string, unknown> | null = null
  for (let i = 0; i < names.length; i++) {
    const copied = copies[i]!(value[names[i]!])
    if (copied === null) continue
    fresh ??= {}
    fresh[names[i]!] = copied
  }
  return fresh
}

/** The object schema among a schema's alternatives, if any: each union here has at most one. */
function objectIn(schema: TSchema): ObjectKeywords | null {
  if ('properties' in schema) return schema as ObjectKeywords
  if (!('anyOf' in schema)) return null
  return (schema.anyOf as TSchema[]).map(objectIn).find((member) => member !== null) ?? null
}

const copySimulation = copier(SimulationOptions) as (
  options: SimulationOptions | null | undefined,
) => Partial<SimulationOptions> | null
