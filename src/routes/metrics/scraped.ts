/** Metrics whose values are read at each scrape. */
import { Counter, Gauge, type LabelValues, type Registry } from 'prom-client'
import help from './help.json' with { type: 'json' }

/** What a metric is, by its name. */
type Name = keyof typeof help

/** The common members of a metric's configuration. */
export const named = (name: Name, registers: [Registry]) => ({ name, help: help[name], registers })

/**
 * A counter of what is counted here.
 * @param known  labels that are shown at 0 before anything of theirs is counted; read at each scrape
 */
export const counted = <Label extends string>(
  name: Name,
  registers: [Registry],
  labelNames: readonly Label[],
  known: () => Iterable<LabelValues<Label>> = () => [],
): Counter<Label> =>
  new Counter({
    ...named(name, registers),
    labelNames,
    collect() {
      for (const labels of known()) this.inc(labels, 0)
    },
  })

/** The values by their labels. */
type Samples<Label extends string> = Iterable<readonly [Partial<Record<Label, string>>, number]>

export class Scraped {
  readonly #registers: [Registry]

  constructor(registers: [Registry]) {
    this.#registers = registers
  }

  /** A gauge without labels. */
  number(name: Name, read: () => number | Promise<number>): void {
    this.gauge(name, [], async () => [[{}, await read()]])
  }

  /** A gauge that keeps the value of labels that are no longer read. */
  gauge<Label extends string>(
    name: Name,
    labelNames: readonly Label[],
    read: () => Samples<Label> | Promise<Samples<Label>>,
  ): void {
    const collect = async function (this: Gauge<Label>) {
      for (const [labels, value] of await read()) this.set(labels, value)
    }
    new Gauge({ ...named(name, this.#registers), labelNames, collect })
  }

  /** A counter of what is counted elsewhere. */
  counter<Label extends string>(name: Name, labelNames: readonly Label[], read: () => Samples<Label>): void {
    const collect = function (this: Counter<Label>) {
      this.reset()
      for (const [labels, value] of read()) this.inc(labels, value)
    }
    new Counter({ ...named(name, this.#registers), labelNames, collect })
  }
}
