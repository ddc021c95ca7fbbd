/**
 * Transactions to try a view with: a transfer, a swap, and one whose second signature was altered. They are signed with
 * keys that aren't secret, for blockhashes that no chain has.
 */
import samples from '../data/samples.json' with { type: 'json' }

export function Samples({ choose }: { readonly choose: (transaction: string) => void }) {
  return (
    <p class="samples row">
      {'Try '}
      {samples.map(({ title, transaction }) => (
        <button key={title} type="button" class="filter" onClick={() => choose(transaction)}>
          {title}
        </button>
      ))}
    </p>
  )
}
