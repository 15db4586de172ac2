const UUID = /^([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const HASH = /^((?:ci-)?[0-9a-f]{8})[0-9a-f]{12,}$/i

/** A group's name for a list: only the first eight digits of a generated one. */
export function formatGroup(group: string): string {
  return UUID.exec(group)?.[1] ?? HASH.exec(group)?.[1] ?? group
}

/** The same with the word "build", where the name does not begin with it. */
export function nameGroup(group: string): string {
  return /^build\b/i.test(group) ? formatGroup(group) : `build ${formatGroup(group)}`
}
