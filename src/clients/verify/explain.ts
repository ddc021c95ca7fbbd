/** Explains in the wallet, by the same code as the service. */
import { explain as explained, instructionInWords, inWords } from '../../explain/explain.ts'
import type { ExplainOptions, ExplainRequest, Explanation } from '../../explain/types.ts'

export { instructionInWords, inWords }

export async function explain(
  request: ExplainRequest,
  { tables, isRefused, execute, descriptors }: ExplainOptions,
): Promise<Explanation> {
  const describe =
    descriptors && new (await import('../../explain/evm/descriptors.ts')).Descriptors(descriptors)
  return explained(request, {
    ...(tables && { tables }),
    ...(isRefused && { isRefused }),
    ...(describe && { describe }),
    ...(execute && { execute: (asked) => execute(asked) }),
  })
}
