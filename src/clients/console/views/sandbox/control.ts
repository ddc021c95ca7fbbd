/** The client of the sandbox's control endpoint, which sets the faults of its providers and nodes. */

interface FaultKind {
  readonly fault: string
  readonly amounts?: Readonly<Record<string, { readonly min: number; readonly max: number }>>
}

export interface FaultDial {
  /** Null: no fault. */
  readonly fault: string | null
  /** With the fault `steal`: the last theft, in words. */
  readonly theft?: string | null
  readonly [amount: string]: unknown
}

export type FaultKinds = Readonly<Record<string, readonly FaultKind[]>>
export type FaultDials = Readonly<Record<string, FaultDial>>

/** A request to the control endpoint failed; the message says why. */
export class ControlError extends Error {}

export const readKinds = (control: string): Promise<FaultKinds> => ask(`${control}/kinds`, 'GET')

export const readDials = (control: string): Promise<FaultDials> => ask(`${control}/faults`, 'GET')

export const resetDials = (control: string): Promise<FaultDials> => ask(`${control}/faults`, 'DELETE')

export const turnDial = (control: string, name: string, dial: FaultDial): Promise<FaultDial> =>
  ask(`${control}/faults/${name}`, 'PUT', dial)

/** @throws ControlError */
async function ask<Answer>(url: string, method: string, body?: unknown): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(url, { method, body: body === undefined ? null : JSON.stringify(body) })
  } catch {
    throw new ControlError(
      `The sandbox's control endpoint at ${url} does not answer this browser. It listens on the gateway's own machine only.`,
    )
  }
  const answer = await response.json()
  if (!response.ok) throw new ControlError(answer.error)
  return answer
}
