export function install(name: string, packages: readonly string[], flags?: readonly string[]): string
export function installLocked(manifest: string): string
