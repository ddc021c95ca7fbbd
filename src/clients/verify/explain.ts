/** Explains in the wallet, by the same code as the service. */
import { explain as explained } from '../../proof/explain/explain.ts'
import type { ExplainOptions, ExplainRequest, Explanation } from '../../proof/explain/types.ts'

export function explain(
  request: ExplainRequest,
  { tables, isRefused, execute }: ExplainOptions,
): Promise<Explanation> {
  return explained(request, {
    ...(tables && { tables }),
    ...(isRefused && { isRefused }),
    ...(execute && { execute: (asked) => execute(asked) }),
  })
}
