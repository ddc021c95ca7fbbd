/** The common part of providers that are asked for quotes only, to compare the other providers with. */
import { refuseMaterial } from '../../proof/verification.ts'
import type { SwapProvider } from '../provider.ts'

/** @param name  the provider's name as people write it */
export function secondOpinion(name: string): Pick<SwapProvider, 'canBuild' | 'freshMs' | 'build' | 'prove'> {
  return {
    canBuild: false,
    freshMs: 0,
    build() {
      throw new TypeError(`${name} is asked for quotes only.`)
    },
    prove() {
      throw refuseMaterial('kind')
    },
  }
}
