export { build, context, transform, version } from 'esbuild'
