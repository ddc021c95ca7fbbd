/** The sandbox's control endpoint: who is told to fail how. */

export interface Kind {
  readonly fault: string
  readonly amounts?: Readonly<
    Record<string, { readonly min: number; readonly max: number; readonly usual?: number }>
  >
}

export interface Dial {
  /** Null: it works. */
  readonly fault: string | null
  /** Of one that steals: what it did last. */
  readonly theft?: string | null
  readonly [amount: string]: unknown
}

export type Kinds = Readonly<Record<string, readonly Kind[]>>
export type Dials = Readonly<Record<string, Dial>>

/** What was asked could not be done; the message says why. */
export class ControlError extends Error {}

export const readKinds = (control: string): Promise<Kinds> => ask(`${control}/kinds`, 'GET')

export const readDials = (control: string): Promise<Dials> => ask(`${control}/faults`, 'GET')

export const resetDials = (control: string): Promise<Dials> => ask(`${control}/faults`, 'DELETE')

export const turnDial = (control: string, name: string, dial: Dial): Promise<Dial> =>
  ask(`${control}/faults/${name}`, 'PUT', dial)

/** @throws ControlError */
async function ask<Answer>(url: string, method: string, body?: unknown): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(url, { method, body: body === undefined ? null : JSON.stringify(body) })
  } catch {
    throw new ControlError(
      `The sandbox's dials at ${url} do not answer this browser. They listen on the gateway's own machine only.`,
    )
  }
  const answer = await response.json()
  if (!response.ok) throw new ControlError(answer.error)
  return answer
}
