/** One environment variable as a row of data: how it is read, documented and defaulted. */

/** What a variable accepts. */
export interface Format<T> {
  /** In words, for the help and for errors. */
  readonly accepts: string
  /**
   * @returns undefined if the text is not accepted
   * @throws TypeError  with a message that says more than `accepts`
   */
  parse(text: string): T | undefined
}

export interface Setting<T> {
  readonly variable: string
  /** Shown in the help, and parsed if the variable is not set. Absent: an empty text is. */
  readonly fallback?: string | undefined
  readonly meaning: string
  readonly format: Format<T>
  /** Whether the text may hold a key, or names one of the operator's hosts: then no error repeats it. */
  readonly isSecret?: boolean
  /** Whether other programs share the variable, which many set in lower case. */
  readonly isShared?: boolean
}

/** Settings by name. A member that isn't a setting is a group of its own. */
export interface SettingGroup {
  readonly [name: string]: Setting<unknown> | SettingGroup
}

/** The values of a group of settings, by the same names. */
export type Values<Group> = {
  readonly [Name in keyof Group]: Group[Name] extends Setting<infer T> ? T : Values<Group[Name]>
}

export function isSetting(member: Setting<unknown> | SettingGroup): member is Setting<unknown> {
  return 'variable' in member
}

/** All settings of a group, nested groups included, in their order. */
export function settingsIn(group: SettingGroup): readonly Setting<unknown>[] {
  return Object.values(group).flatMap((member) => (isSetting(member) ? member : settingsIn(member)))
}
