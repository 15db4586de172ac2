const UUID = /^([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** A group's name for a list: of a generated one its first eight characters say enough. */
export function formatGroup(group: string): string {
  return UUID.exec(group)?.[1] ?? group
}
