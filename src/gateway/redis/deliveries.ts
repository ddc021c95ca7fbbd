/**
 * The swaps of all instances: what each builds, so that a receipt may be asked of any of them, and what each counts, so
 * that they judge providers together. One that is repeated counts once.
 */
import { jsonReader } from '../../chains/json/reader.ts'
import { CountedSwap, type Deliveries, KeptSwap, MAX_BUILT } from '../../http/counts/deliveries.ts'
import { SharedStream, type StreamOptions } from './stream.ts'

const COUNTED = {
  ...{ tag: 'rows', name: 'landed', purpose: 'rows of landed swaps' },
  max: 5_000,
  /** A day more than they count. */
  keepMs: 8 * 86_400_000,
  read: jsonReader(CountedSwap),
}

const BUILT = {
  ...{ tag: 'builds', name: 'built', purpose: 'builds of swaps' },
  // Each has two keys in memory.
  max: MAX_BUILT / 2,
  keepMs: 600_000,
  read: jsonReader(KeptSwap),
}

/** From now on, what is built and counted here is known to all instances, and the other way round. */
export function shareDeliveries(
  options: Pick<StreamOptions<never>, 'store' | 'secret' | 'everyMs'>,
  deliveries: Deliveries,
): void {
  // What is known is not taken, as it would be repeated to all threads.
  const counted = new SharedStream<CountedSwap>({
    ...options,
    ...COUNTED,
    take: (swap) => void (deliveries.hasCounted(swap) || deliveries.shared(swap)),
  })
  const built = new SharedStream<KeptSwap>({
    ...options,
    ...BUILT,
    take: (swap) => void (deliveries.hasBuilt(swap) || deliveries.sharedBuild(swap)),
  })
  deliveries.onCounted = (swap) => counted.append(swap)
  deliveries.onBuilt = (swap) => built.append(swap)
  deliveries.catchUp = built.catchUp
}
