/** Transactions to try a view with. */
import { SAMPLES } from '../data/samples.ts'

export function Samples({ choose }: { readonly choose: (transaction: string) => void }) {
  return (
    <p class="samples">
      {'Try '}
      {SAMPLES.map(({ title, transaction }) => (
        <button key={title} type="button" class="filter" onClick={() => choose(transaction)}>
          {title}
        </button>
      ))}
    </p>
  )
}
