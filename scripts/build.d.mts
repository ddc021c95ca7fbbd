import type { BuildOptions } from 'esbuild'

export function programs(outdir: string): BuildOptions
