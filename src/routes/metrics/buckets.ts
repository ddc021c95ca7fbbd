/** Bounds of latency histograms, in seconds. Below 1 ms is the gateway alone, above it the upstream. */
export const LATENCY_BUCKETS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
