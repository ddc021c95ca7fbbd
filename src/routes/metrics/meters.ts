/** How this service's metrics are made: each by its name, with its help. */
import { type Aggregator, Counter, Gauge, Histogram, type LabelValues, type Registry } from 'prom-client'
import aggregators from './aggregators.json' with { type: 'json' }
import help from './help.json' with { type: 'json' }

/** What a metric is, by its name. */
type Name = keyof typeof help

/** Bounds of latency histograms, in seconds. Below 1 ms is the gateway alone, above it the upstream. */
const LATENCY_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** What the values of several threads are together; others are added up. */
const AGGREGATORS = aggregators as Readonly<Partial<Record<string, Aggregator>>>

/** The values by their labels. */
type Samples<Label extends string> = Iterable<readonly [Partial<Record<Label, string>>, number]>

export class Meters {
  readonly registers: [Registry]

  constructor(registry: Registry) {
    this.registers = [registry]
  }

  /** The common members of a metric's configuration. */
  named(name: Name) {
    return { name, help: help[name], registers: this.registers, aggregator: AGGREGATORS[name] ?? 'sum' }
  }

  /**
   * A counter of what is counted here.
   * @param known  labels that are shown at 0 before anything of theirs is counted; read at each scrape
   */
  counted<Label extends string>(
    name: Name,
    labelNames: readonly Label[],
    known: () => Iterable<LabelValues<Label>> = () => [],
  ): Counter<Label> {
    return new Counter({
      ...this.named(name),
      labelNames,
      collect() {
        for (const labels of known()) this.inc(labels, 0)
      },
    })
  }

  /** A histogram of latencies. */
  durations<Label extends string>(name: Name, label: Label): Histogram<Label> {
    return new Histogram({ ...this.named(name), labelNames: [label], buckets: LATENCY_BUCKETS })
  }

  /** A gauge without labels that is read at each scrape. */
  number(name: Name, read: () => number | Promise<number>): void {
    this.gauge(name, [], async () => [[{}, await read()]])
  }

  /** A gauge that is read at each scrape, and keeps the value of labels that are no longer read. */
  gauge<Label extends string>(
    name: Name,
    labelNames: readonly Label[],
    read: () => Samples<Label> | Promise<Samples<Label>>,
  ): void {
    const collect = async function (this: Gauge<Label>) {
      for (const [labels, value] of await read()) this.set(labels, value)
    }
    new Gauge({ ...this.named(name), labelNames, collect })
  }

  /** A counter of what is counted elsewhere. */
  counter<Label extends string>(name: Name, labelNames: readonly Label[], read: () => Samples<Label>): void {
    const collect = function (this: Counter<Label>) {
      this.reset()
      for (const [labels, value] of read()) this.inc(labels, value)
    }
    new Counter({ ...this.named(name), labelNames, collect })
  }
}
